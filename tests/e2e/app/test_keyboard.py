"""A day by keyboard alone: everything is reached, the focus is seen wherever it goes, and goes where one types next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.admin_config.test_assistants import make_assistant
from tests.e2e.app.keyboard import Keyboard
from tests.e2e.artifacts.test_documents import FIRST
from tests.e2e.conversations.test_search import wait_until_indexed
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.accounts.cast import PASSWORD


@contextmanager
def offered_assistant(admin: Page, name: str) -> Iterator[None]:
    """An assistant of the organization for as long as a test takes."""
    make_assistant(admin, name)
    expect(admin.get_by_text("is live")).to_be_visible()
    yield
    admin.get_by_role("link", name=name).first.click()
    admin.locator("#id_is_offered").uncheck()
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("is live")).to_be_visible()


def signed_in(visit: Visit) -> tuple[ChatPage, Keyboard]:
    chat = visit(None)
    keys = Keyboard(chat.page)
    chat.page.goto("/login/")
    expect(chat.page.get_by_label("E-mail")).to_be_focused()
    keys.type("bob@example.org")
    keys.press("Enter")
    expect(chat.page.get_by_label("Password")).to_be_focused()
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(chat.composer).to_be_focused()
    return chat, keys


def choose_from_user_menu(chat: ChatPage, keys: Keyboard, item: str) -> None:
    keys.choose(chat.page.get_by_role("button", name="settings and sign out"), back=True)
    menu_item = chat.page.get_by_role("menuitem", name=item)
    expect(menu_item).to_be_visible()
    keys.arrow_to(menu_item)
    keys.press("Enter")


def test_from_the_sign_in_over_an_assistants_answer_to_the_sign_out(visit: Visit, model: ScriptedProvider) -> None:
    with offered_assistant(visit().open("admin/admin_config/assistant/add/").page, "Archivist"):
        chat, keys = signed_in(visit)
        keys.choose(chat.sidebar.get_by_role("button", name="New chat"), back=True)
        expect(chat.composer).to_be_focused()
        keys.type("@arch")
        expect(chat.page.get_by_role("option", name="Archivist")).to_have_attribute("aria-selected", "true")
        keys.press("Enter")
        expect(chat.page.get_by_role("button", name="Chat without Archivist")).to_be_visible()
        expect(chat.composer).to_be_focused()
        gate = Gate()
        model.answer_chat(Text("Green tea is"), gate, Text(" fine."))
        keys.type("Which tea?")
        keys.press("Enter")
        expect(chat.answer).to_contain_text("Green tea is")
        expect(chat.composer).to_be_focused()
        keys.choose(chat.stop_button)
        chat.rests()
        gate.release()
        expect(chat.composer).to_be_focused()
        keys.choose(chat.page.get_by_role("button", name="Chat without Archivist"))
        expect(chat.composer).to_be_focused()
        choose_from_user_menu(chat, keys, "Sign out")
        expect(chat.page).to_have_url(re.compile("/login/"))
        expect(chat.page.get_by_label("E-mail")).to_be_focused()


def test_a_document_is_opened_written_and_restored(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    keys, panel = Keyboard(chat.page), chat.panel
    model.creates_document("Tea", Text(FIRST))
    chat.ask("Write a document about tea.")
    panel.shows_version(1, of=1)
    keys.choose(panel.close)
    expect(chat.composer).to_be_focused()
    keys.choose(chat.chip("Tea"), back=True)
    keys.choose(panel.root.get_by_role("button", name="Write", exact=True))
    expect(panel.rich_text).to_be_visible()
    keys.tab_to(panel.rich_text)
    keys.press("Control+End")
    keys.type(" Best in spring.")
    keys.press("Control+s")
    panel.shows_version(2, of=2)
    expect(panel.rich_text).to_be_focused()
    keys.type(" Or in May.")
    versions = panel.root.get_by_role("button", name="All versions")
    keys.choose(versions)
    list_of_versions = chat.page.get_by_role("dialog", name="All versions")
    keys.choose(list_of_versions.get_by_role("button").last)
    panel.shows_version(1, of=2)
    expect(versions).to_be_focused()
    keys.choose(panel.restore)
    panel.shows_version(4, of=4)
    expect(versions).to_be_focused()
    keys.choose(panel.previous)
    panel.shows_version(3, of=4)
    expect(panel.root).to_contain_text("Best in spring. Or in May.")  # what was not saved yet is a version, too
    keys.press("Enter")
    panel.shows_version(2, of=4)
    keys.press("Enter")
    panel.shows_version(1, of=4)
    expect(panel.previous).to_be_disabled()
    expect(panel.previous).to_be_focused()
    keys.choose(panel.close, back=True)
    expect(chat.composer).to_be_focused()


def test_messages_are_copied_answered_again_edited_and_found(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit()
    chat.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.open()
    page, keys = chat.page, Keyboard(chat.page)
    for text in ("Green tea, says the zyzzyva.", "White tea.", "Black tea."):
        model.answer_chat(Text(text))
    chat.ask("Which tea?")
    expect(chat.composer).to_be_focused()
    keys.choose(chat.answer.get_by_role("button", name="Copy answer"), back=True)
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('zyzzyva')")
    keys.choose(chat.answer.get_by_role("button", name="Regenerate"))
    expect(chat.answer).to_contain_text("White tea.")
    chat.rests()
    expect(chat.composer).to_be_focused()
    keys.choose(chat.answer.get_by_role("button", name="Previous branch"), back=True)
    expect(chat.answer).to_contain_text("Green tea")
    expect(chat.answer.get_by_role("button", name="Next branch")).to_be_focused()
    keys.press("]")
    expect(chat.answer).to_contain_text("White tea.")
    expect(chat.answer.get_by_role("button", name="Previous branch")).to_be_focused()

    keys.choose(chat.questions.get_by_role("button", name="Edit and send again"), back=True)
    expect(page.get_by_role("textbox", name="Edit message")).to_be_focused()
    keys.type(" At night!")
    keys.press("Enter")
    expect(chat.answer).to_contain_text("Black tea.")
    chat.rests()
    expect(chat.composer).to_be_focused()
    keys.choose(chat.answer.get_by_role("button", name="Delete answer"), back=True)
    question = page.get_by_role("alertdialog", name="Delete this answer?")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    keys.press("Escape")
    expect(chat.answer.get_by_role("button", name="Delete answer")).to_be_focused()

    wait_until_indexed(chat, "zyzzyva")
    keys.press("Control+k")
    expect(page.get_by_role("combobox", name="Search your chats")).to_be_focused()
    keys.type("zyzzyva")
    expect(page.get_by_role("option", selected=True)).to_contain_text("says the zyzzyva")
    keys.press("Enter")
    expect(page.get_by_role("dialog", name="Search")).to_have_count(0)


def test_each_section_of_the_settings_is_left_and_reached(visit: Visit) -> None:
    chat = visit("bob").open()
    page, keys = chat.page, Keyboard(chat.page)
    choose_from_user_menu(chat, keys, "Settings")
    dialog = page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_role("button", name="Profile", exact=True)).to_be_focused()
    for name in ("Appearance", "Chat", "Security", "Usage", "Data"):
        keys.choose(dialog.get_by_role("button", name=name, exact=True))
        expect(chat.section(name)).to_be_visible()
        expect(chat.section(name).get_by_role("status", name=re.compile("^Loading"))).to_have_count(0)
        keys.tab_to(dialog.get_by_role("button", name="Close", exact=True))
        keys.tab_to(dialog.get_by_role("button", name=name, exact=True))
    keys.press("Escape")
    expect(page.get_by_role("button", name="settings and sign out")).to_be_focused()
