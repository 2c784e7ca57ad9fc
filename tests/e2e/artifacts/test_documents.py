"""Documents: written live into the panel, every change a version."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import wait_for

FIRST = "# Tea\n\nIt comes from China.\n\nDrink it hot.\n"
SECOND = "# Tea\n\nIt comes from Yunnan.\n\nDrink it hot.\n"


def with_document(chat: ChatPage, model: ScriptedProvider) -> ChatPage:
    """A new conversation with the document "Tea" in its first version."""
    model.creates_document("Tea", Text(FIRST))
    chat.open().ask("Write a document about tea.")
    chat.panel.shows_version(1, of=1)
    return chat


def with_two_versions(chat: ChatPage, model: ScriptedProvider) -> ChatPage:
    with_document(chat, model)
    model.updates_document(chat.artifact_ids[0], Text(SECOND))
    chat.ask("It comes from Yunnan.")
    chat.panel.shows_version(2, of=2)
    return chat


def test_a_document_appears_in_the_panel_while_it_is_written(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.creates_document("Tea", Text("# Tea\n\nIt comes from Ch"), gate, Text("ina.\n"), then="The document is ready.")
    chat = visit().open()
    chat.say("Write a document about tea.")
    expect(chat.panel.text).to_contain_text("It comes from Ch")
    expect(chat.panel.root.get_by_text("Writing…")).to_be_visible()
    expect(chat.composer).to_be_focused()
    gate.release()
    chat.rests()
    expect(chat.panel.text).to_contain_text("It comes from China.")
    chat.panel.shows_version(1, of=1)
    expect(chat.chip("Tea")).to_contain_text("Created · version 1")
    expect(chat.answer).to_contain_text("The document is ready.")


def test_a_reloaded_page_shows_a_document_that_is_being_written(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.creates_document("Tea", Text("# Tea\n\nIt comes from Ch"), gate, Text("ina.\n"))
    chat = visit().open()
    chat.say("Write a document about tea.")
    expect(chat.panel.text).to_contain_text("It comes from Ch")
    chat.page.reload()
    expect(chat.panel.text.get_by_role("paragraph")).to_have_text(["It comes from Ch"])
    gate.release()
    chat.rests()
    expect(chat.panel.text.get_by_role("paragraph")).to_have_text(["It comes from China."])
    chat.panel.shows_version(1, of=1)


def test_the_footer_steps_through_the_versions_and_compare_shows_what_changed(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_two_versions(visit(), model)
    panel = chat.panel
    expect(panel.text).to_contain_text("Yunnan")
    panel.previous.click()
    panel.shows_version(1, of=2)
    expect(panel.text).to_contain_text("China")
    expect(panel.previous).to_be_disabled()
    panel.next.click()
    panel.shows_version(2, of=2)
    expect(panel.text).to_contain_text("Yunnan")
    expect(panel.next).to_be_disabled()

    panel.view("Diff")
    earlier = panel.root.get_by_label("From")
    expect(earlier.locator("option:checked")).to_have_text(re.compile("Version 1: Created by Document agent, "))
    changes = panel.root.get_by_role("textbox", name="changes to version 1")
    expect(changes.get_by_role("deletion")).to_have_text("It comes from China.")
    expect(changes.get_by_role("insertion")).to_have_text("It comes from Yunnan.")
    panel.view("Markdown")
    expect(panel.root.get_by_role("textbox", name="Tea, source")).to_contain_text("# Tea")


def test_a_restored_version_is_a_new_one_on_every_screen_and_survives_a_reload(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_two_versions(visit(), model)
    second = ChatPage(chat.context.new_page()).open(f"c/{chat.conversation_id}/")
    second.open_document("Tea")
    second.panel.shows_version(2, of=2)
    panel = chat.panel
    panel.previous.click()
    panel.restore.click()
    for screen in (chat, second):
        screen.panel.shows_version(3, of=3)
        expect(screen.panel.text).to_contain_text("China")

    restores_after_what_is_typed(chat)
    chat.page.reload()
    chat.page.route("**/versions/2/", lambda route: route.abort())
    chat.chip("Tea").click()
    panel.shows_version(2, of=5)
    expect(panel.root.get_by_role("alert")).to_contain_text("could not be loaded")
    chat.page.unroute("**/versions/2/")
    panel.root.get_by_role("button", name="Try again").click()
    expect(panel.text).to_contain_text("Yunnan")
    chat.page.get_by_role("button", name="1 document").click()
    chat.page.get_by_role("menuitem", name="Tea").click()
    panel.shows_version(5, of=5)
    expect(panel.text).to_contain_text("China")
    expect(panel.text).to_contain_text("Drink it hot.")
    panel.close.click()
    expect(panel.root).to_have_count(0)
    chat.chip("Tea").click()
    panel.shows_version(2, of=5)


def restores_after_what_is_typed(chat: ChatPage) -> None:
    """What is typed is a version first, however slow the server is; without it nothing is restored."""
    panel, page = chat.panel, chat.page
    panel.view("Write")
    panel.rich_text.press("Control+End")
    page.keyboard.insert_text(" Slowly.")
    routes: list[Route] = []
    is_down = True
    page.route("**/artifacts/*/versions/", lambda route: route.abort() if is_down else routes.append(route))
    panel.previous.click()
    panel.previous.click()
    panel.shows_version(1, of=3)
    panel.restore.click()
    expect(page.get_by_text("Nothing was restored, because what you typed could not be saved.")).to_be_visible()
    panel.shows_version(1, of=3)
    is_down = False
    panel.restore.click()
    wait_for(lambda: routes, "what is typed is sent")
    expect(panel.root.get_by_role("button", name="Restoring…")).to_be_visible()
    routes[0].continue_()
    panel.shows_version(5, of=5)
    page.unroute("**/artifacts/*/versions/")
