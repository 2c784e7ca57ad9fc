"""Pinned, archived and temporary chats, several at once, and projects: each flow in one page, with a second tab that follows."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from doubles.script import Call, Text
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider, title_of
from tests.support.files.documents import pdf


def chats(visit: Visit, model: ScriptedProvider, *questions: str) -> ChatPage:
    chat = visit().open()
    for question in questions:
        model.answer_chat(Text("The answer."))
        chat.open()
        chat.ask(question)
        expect(chat.row(title_of(question))).to_be_visible()
    return chat


def test_chats_are_pinned_archived_and_deleted_alone_and_together(visit: Visit, model: ScriptedProvider) -> None:
    chat = chats(visit, model, "What is first?", "What is second?", "What is third?")
    first, second, third = (title_of(f"What is {name}?") for name in ("first", "second", "third"))
    other = ChatPage(chat.context.new_page()).open()
    chat.options(first, "Pin")
    for tab in (chat, other):
        expect(tab.sidebar.get_by_role("region", name="Pinned", exact=True).get_by_role("link", name=first)).to_be_visible()
    chat.page.reload()
    expect(chat.sidebar.get_by_role("region", name="Pinned", exact=True).get_by_role("link", name=first)).to_be_visible()

    chat.options(second, "Archive")
    for tab in (chat, other):
        expect(tab.row(second)).to_have_count(0)
    other.sidebar.get_by_role("link", name="Archive", exact=True).click()
    archive = other.page.get_by_role("region", name="Archive", exact=True)
    expect(archive.get_by_role("link", name=second)).to_be_visible()
    assert violations(other.page) == []
    shot(other.page, "archive")
    chat.page.keyboard.press("Control+k")
    expect(chat.page.get_by_role("combobox", name="Search your chats")).to_be_focused()
    results = chat.page.get_by_role("dialog", name="Search").get_by_role("option").filter(has_text="Archived")
    chat.page.keyboard.type(second)
    chat.page.get_by_role("button", name="Search archived chats, too").click()
    expect(results.first).to_be_visible()
    assert violations(chat.page) == []
    shot(chat.page, "search")
    chat.page.keyboard.press("Escape")
    archive.get_by_role("button", name=f"Options for {second}").click()
    other.page.get_by_role("menuitem", name="Delete").click()
    expect(archive.get_by_role("link", name=second)).to_have_count(0)
    other.page.get_by_role("button", name="Undo").click()
    archive.get_by_role("button", name=f"Restore {second}").click()
    expect(archive.get_by_role("link", name=second)).to_have_count(0)
    for tab in (chat, other):
        expect(tab.row(second)).to_be_visible()

    chat.row(third).hover()
    chat.sidebar.get_by_role("button", name=f"Options for {third}").click()
    chat.page.get_by_role("menuitem", name="Select several").press("Enter")
    expect(chat.sidebar.get_by_role("checkbox", name=third)).to_be_checked()
    expect(chat.sidebar.get_by_role("checkbox", name=third)).to_be_focused()
    chat.sidebar.get_by_role("checkbox", name=first).focus()
    chat.page.keyboard.press("Space")
    bar = chat.sidebar.get_by_role("group", name="Selected chats")
    expect(bar).to_contain_text("2 selected")
    assert violations(chat.page) == []
    shot(chat.page, "chosen")
    bar.get_by_role("button", name="Delete").click()
    for tab in (chat, other):
        expect(tab.row(third)).to_have_count(0)
        expect(tab.row(first)).to_have_count(0)
    deleted = chat.page.get_by_role("status").locator("div").filter(has=chat.page.get_by_text("2 chats deleted", exact=True))
    deleted.get_by_role("button", name="Undo").click()  # the archive may still offer its own
    for tab in (chat, other):
        expect(tab.row(first)).to_be_visible()
        expect(tab.row(third)).to_be_visible()
    chat.options(first, "Unpin")
    expect(chat.sidebar.get_by_role("region", name="Pinned", exact=True)).to_have_count(0)


def test_a_project_from_its_first_chat_to_its_end(visit: Visit, model: ScriptedProvider) -> None:
    chat = chats(visit, model, "What came before?")
    before = title_of("What came before?")
    other = ChatPage(chat.context.new_page()).open()
    page = chat.page
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog", name="New project")
    dialog.get_by_role("textbox", name="Name").fill("Harbour tariffs 2027")
    dialog.get_by_role("textbox", name="What it is about").fill("What the new port fees mean for our tea.")
    dialog.get_by_role("radio", name="Amber").check(force=True)
    assert violations(page) == []
    shot(page, "new_project")
    dialog.get_by_role("button", name="Create").click()
    expect(page).to_have_url(re.compile("/p/"))
    for tab in (chat, other):
        expect(tab.sidebar.get_by_role("link", name="Harbour tariffs 2027")).to_be_visible()

    page.get_by_role("button", name="Add instructions").click()
    page.get_by_role("textbox", name="Instructions").fill("Amounts in euros only.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Instructions")).to_contain_text("Amounts in euros only.")
    expect(page.get_by_role("button", name="Edit instructions")).to_be_focused()
    files = page.get_by_role("region", name="Files the assistant knows")
    upload: Any = {"name": "rates.md", "mimeType": "text/markdown", "buffer": b"Crane fee: 12 euros."}
    files.locator("input[type=file]").set_input_files(upload)
    expect(files.get_by_role("listitem")).to_contain_text(["rates.md"])
    upload |= {"name": "scan.pdf", "mimeType": "application/pdf", "buffer": pdf("")}
    files.locator("input[type=file]").set_input_files(upload)
    scan = files.get_by_role("listitem").filter(has_text="scan.pdf")
    with page.expect_response(re.compile("/readings/$")) as again:
        scan.get_by_role("button", name="Retry scan.pdf").click()
    assert again.value.json()["state"] == "pending"
    expect(scan).to_contain_text("No text was found in it.")
    assert violations_in_both_colours(page) == []
    shot(page, "project_retry")
    scan.get_by_role("button", name="Remove scan.pdf").click()
    expect(scan).to_have_count(0)

    chat.add("From project files")
    dialog = page.get_by_role("dialog", name="Attach from Harbour tariffs 2027")
    dialog.get_by_role("button", name="rates.md").click()
    expect(dialog.get_by_role("button", name="rates.md")).to_contain_text("Attached")
    assert violations_in_both_colours(page) == []
    shot(page, "project_files")
    page.keyboard.press("Escape")
    expect(chat.composer).to_be_focused()
    expect(page.get_by_role("list", name="Files to send")).to_contain_text("rates.md")
    model.answer_chat(Text("Twelve euros."))
    chat.composer.fill("What is the crane fee?")
    chat.composer.press("Enter")
    expect(page).to_have_url(re.compile("/c/"))
    expect(chat.answer).to_contain_text("Twelve euros.")
    chat.rests()
    request = model.chat_requests[-1]
    assert "Amounts in euros only." in request.system_text
    assert "read_project_file" in request.tool_names
    assert "Crane fee: 12 euros." in request.user_text
    page.reload()
    page.get_by_role("main").get_by_role("link", name="Harbour tariffs 2027").click()
    inside = page.get_by_role("region", name="Chats in this project").get_by_role("link")
    expect(inside).to_have_count(1)

    page.get_by_role("button", name="Documents", exact=True).click()
    expect(page.get_by_text("of these chats will show here")).to_be_visible()
    model.answer_chat(Call("document_agent", {"operation": "create", "title": "Fees", "instruction": "The fees."}))
    model.answer_document(Text("# Fees\n"))
    model.answer_chat(Text("There they are."))
    page.go_back()
    chat.ask("Write the fees down.")
    page.get_by_role("main").get_by_role("link", name="Harbour tariffs 2027").click()
    page.get_by_role("button", name="Documents", exact=True).click()
    documents = page.get_by_role("list", name="Documents of this project")
    expect(documents).to_contain_text("FeesDocument · 1 version")
    assert violations_in_both_colours(page) == []
    shot(page, "project_documents")
    documents.get_by_role("link").click()
    expect(chat.panel.text).to_contain_text("Fees")
    page.get_by_role("main").get_by_role("link", name="Harbour tariffs 2027").click()

    chat.row(before).hover()
    chat.sidebar.get_by_role("button", name=f"Options for {before}").click()
    page.get_by_role("menuitem", name="Move to project").click()
    shot(page, "row_menu")
    page.get_by_role("menuitem", name="Harbour tariffs 2027").click()
    expect(inside).to_have_count(2)
    assert violations(page) == []
    shot(page, "project")
    page.get_by_role("button", name="Search here").click()
    search = page.get_by_role("dialog", name="Search")
    expect(search.get_by_role("option")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Search here")).to_be_focused()
    page.keyboard.press("Control+k")
    search.get_by_role("button", name="Any project").click()
    page.get_by_role("menuitem", name="Harbour tariffs 2027").click()
    expect(search.get_by_role("option")).to_have_count(2)
    page.keyboard.press("Escape")

    phone = visit(phone=True).open(f"p/{page.url.rstrip('/').rpartition('/')[2]}/")
    expect(phone.page.get_by_role("heading", name="Harbour tariffs 2027")).to_be_visible()
    expect(phone.page.get_by_role("region", name="Chats in this project").get_by_role("link")).to_have_count(2)
    assert violations_in_both_colours(phone.page) == []
    shot(phone.page, "project_phone")
    other.sidebar.get_by_role("link", name="Harbour tariffs 2027").click()
    page.get_by_role("button", name="Options for Harbour tariffs 2027").click()
    page.get_by_role("menuitem", name="Delete project").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete project").click()
    expect(other.page.get_by_role("heading", name="Project not found")).to_be_visible()
    for tab in (chat, other):
        expect(tab.sidebar.get_by_role("link", name="Harbour tariffs 2027")).to_have_count(0)
        expect(tab.row(before)).to_be_visible()


def test_a_temporary_chat_is_listed_nowhere_and_survives_a_reload(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    other = ChatPage(chat.context.new_page()).open()
    chat.page.get_by_role("button", name="Temporary").click()
    expect(chat.page.get_by_role("heading", name="Temporary chat")).to_be_visible()
    assert violations_in_both_colours(chat.page) == []
    shot(chat.page, "temporary")
    model.answer_chat(Text("It goes away."))
    chat.ask("What happens to this?")
    chat.page.reload()
    expect(chat.answer).to_contain_text("It goes away.")
    expect(chat.page.get_by_role("main").get_by_text("Temporary", exact=True)).to_be_visible()
    for tab in (chat, other):
        expect(tab.sidebar.get_by_role("link", name=re.compile("What happens"))).to_have_count(0)
    assert "What happens" not in str(chat.api("conversations/"))
    chat.page.keyboard.press("Control+Shift+O")
    expect(chat.page.get_by_role("button", name="Temporary")).to_have_attribute("aria-pressed", "false")
