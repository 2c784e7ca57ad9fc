"""Links for people who are named: what they see, comment and edit, and who else gets nothing."""

from __future__ import annotations

import os
import re

from playwright.sync_api import expect

from tests.e2e.accessibility import violations
from tests.e2e.artifacts.test_artifacts_editing import open_editor, write_line
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.sharing.share_dialog import allow, dialog_of, make_link, share_to_edit


def test_a_conversation_is_shared_with_named_people_and_with_a_password(visit: Visit, model: ScriptedProvider) -> None:
    allow(visit, "public")
    chat = with_document(visit("bob"), model)
    page = chat.page
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = dialog_of(page)
    dialog.get_by_label("Only people I name").check()
    dialog.get_by_label("People and groups").press("Enter")  # which makes no link
    expect(dialog.get_by_role("alert")).to_have_count(0)
    dialog.get_by_role("button", name="Create link").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Choose at least one")
    dialog.get_by_label("People and groups").fill("ali")
    dialog.get_by_role("button", name="Alice").click()
    expect(dialog.get_by_role("list", name="Chosen")).to_contain_text("Alice")
    assert violations(page) == []
    shot(page, "named")
    url = make_link(page)
    expect(dialog.get_by_role("listitem", name="Link to").first).to_contain_text("Alice")
    alice, charlie = visit("alice"), visit("charlie", organization="other")
    alice.page.goto(url)
    expect(alice.page.get_by_role("region", name="Tea")).to_contain_text("Drink it hot.")
    charlie.page.goto(url)
    expect(charlie.page.get_by_role("heading", name="This link no longer works")).to_be_visible()

    dialog.get_by_label("Anyone with the link").check()
    dialog.get_by_label("Ask for a password").check()
    dialog.get_by_label("Password of the link").fill("tea at nine")
    assert violations(page) == []
    shot(page, "password-dialog")
    url = make_link(page)
    expect(dialog.get_by_role("listitem", name="Link to").first).to_contain_text("Anyone with the password")
    reader = visit(None)
    reader.page.goto(url)
    assert violations(reader.page) == []
    shot(reader.page, "password")
    reader.page.get_by_label("Password").fill("wrong one")
    reader.page.get_by_role("button", name="Open").click()
    expect(reader.page.get_by_role("alert")).to_contain_text("not the password")
    reader.page.get_by_label("Password").fill("tea at nine")
    reader.page.get_by_role("button", name="Open").click()
    expect(reader.page.get_by_role("region", name="Tea")).to_contain_text("Drink it hot.")
    assert reader.context.cookies() == []
    if os.environ.get("SHOTS"):
        for name, window in (("named-dark", visit("bob", dark=True)), ("named-phone", visit("bob", phone=True))):
            again = window.open(f"c/{chat.conversation_id}/")
            again.page.get_by_role("button", name=re.compile("^Shared?$")).click()
            dialog_of(again.page).get_by_label("Only people I name").check()
            dialog_of(again.page).get_by_label("People and groups").fill("a")
            expect(dialog_of(again.page).get_by_role("list", name="Found")).to_be_visible()
            shot(again.page, name)


def test_named_members_comment_and_edit_beside_the_owner(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit("bob"), model)
    page, conversation_id = chat.page, chat.conversation_id
    url = share_to_edit(page, query="ali", name="Alice")
    dialog = dialog_of(page)
    row = dialog.get_by_role("listitem", name="Link to").first
    expect(row).to_contain_text("can comment and edit · always the latest")
    shot(page, "rights-dialog")
    page.keyboard.press("Escape")

    alice = visit("alice").page
    alice.goto(url)
    alice.get_by_role("link", name="Comment and edit").click()
    answer = alice.get_by_role("main").get_by_role("region", name="Tea").last
    alice.get_by_role("button", name="Comment", exact=True).last.click()
    alice.get_by_label("Your comment").fill("Which tea?")
    alice.get_by_role("button", name="Comment", exact=True).last.click()
    expect(alice.get_by_role("listitem", name="Comment by Alice")).to_contain_text("Which tea?")
    assert violations(alice) == []
    shot(alice, "comments")

    page.get_by_role("button", name="Show", exact=True).click()  # of the message that somebody commented
    comment = page.get_by_role("listitem", name="Comment by Alice")
    expect(comment).to_contain_text("Which tea?")
    comment.get_by_role("button", name="Resolve").click()
    expect(alice.get_by_role("listitem", name="Comment by Alice")).to_contain_text("Resolved")
    place = alice.get_by_role("button", name="Comment", exact=True).last
    expect(place).to_be_focused()  # after it was sent
    place.click()
    alice.get_by_label("Your comment").fill("And how hot?")
    alice.get_by_role("button", name="Comment", exact=True).last.click()
    again = page.get_by_role("listitem", name="Comment by Alice").filter(has_text="And how hot?")
    expect(again).to_be_visible()
    expect(page.get_by_text("Alice commented on")).to_have_count(0)  # he looks at it
    alice.get_by_role("listitem", name="Comment by Alice").filter(has_text="And how hot?").get_by_role(
        "button", name="Delete the comment"
    ).click()
    expect(again).to_have_count(0)
    expect(place).to_be_focused()

    answer.get_by_role("button", name="Edit", exact=True).click()
    panel = alice.get_by_role("complementary", name="Document: Tea")
    panel.get_by_role("button", name="Markdown").click()
    panel.get_by_role("textbox", name="Tea, source").press("Control+End")
    alice.keyboard.type("Never boil it twice.")
    alice.keyboard.press("Control+s")
    expect(panel).to_contain_text("Version 2 of 2")
    assert violations(alice) == []
    shot(alice, "editing")
    expect(page.get_by_role("region", name="Tea").last).to_contain_text("Never boil it twice.")

    page.get_by_role("button", name="Edit", exact=True).click()
    open_editor(chat.panel)
    expect(chat.panel.root.get_by_text("Also writing: Alice")).to_be_attached()
    expect(panel.get_by_text("Also writing: Bob")).to_be_attached()
    write_line(chat.panel, "Wait. ")
    source = panel.get_by_role("textbox", name="Tea, source")
    expect(source).to_contain_text("Wait. Drink it hot.")
    source.press("Control+End")
    alice.keyboard.type(" Ever.")
    expect(chat.panel.editor).to_contain_text("Never boil it twice. Ever.")
    alice.keyboard.press("Control+s")
    for document in (chat.panel.root, panel):
        expect(document.get_by_text("Edited by Bob, Alice")).to_be_visible()

    stranger = visit("charlie", organization="other").page
    assert stranger.request.get(url).status == 404
    page.goto(f"/o/acme/c/{conversation_id}/")
    page.get_by_role("button", name="Shared", exact=True).click()
    dialog.get_by_role("combobox", name="What they may do").select_option("read")
    expect(panel).to_have_count(0)
    expect(alice.get_by_role("button", name="Comment", exact=True)).to_have_count(0)
    stop = dialog.get_by_role("button", name="Stop sharing")
    stop.click()
    question = page.get_by_role("alertdialog", name="Stop sharing?")
    expect(question).to_contain_text("the comments there are deleted")
    shot(page, "stop")
    page.route("**/api/shares/*/", lambda route: route.fulfill(status=409), times=1)
    question.get_by_role("button", name="Stop sharing").click()
    expect(question).to_have_count(0)
    expect(stop).to_be_focused()  # it was refused
    stop.press("Enter")
    question.get_by_role("button", name="Stop sharing").click()
    expect(alice.get_by_text("This is no longer shared with you")).to_be_visible()
    shot(alice, "ended")
    if os.environ.get("SHOTS"):
        dialog.get_by_label("Only people I name").check()
        dialog.get_by_label("People and groups").fill("ali")
        dialog.get_by_role("button", name="Alice").click()
        new_url = make_link(page, "They also save new versions")
        for name, window in (("comments-dark", visit("alice", dark=True)), ("comments-phone", visit("alice", phone=True))):
            window.page.goto(new_url)
            window.page.get_by_role("link", name="Comment and edit").click()
            expect(window.page.get_by_role("button", name="Edit", exact=True)).to_be_visible()
            shot(window.page, name)
