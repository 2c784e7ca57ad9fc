"""The list of keyboard shortcuts: by its own keys and from the menu, and not while somebody types a question mark."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations_in_both_colours
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_question_mark_shows_the_shortcuts(visit: Visit) -> None:
    chat = visit().open()
    dialog = chat.page.get_by_role("dialog", name="Keyboard shortcuts")
    chat.composer.focus()
    chat.page.keyboard.type("Why?")
    expect(chat.composer).to_have_value("Why?")
    expect(dialog).to_have_count(0)
    chat.page.keyboard.press("Control+/")
    expect(dialog.get_by_role("region", name="Message box")).to_contain_text("Edit your last message")
    assert violations_in_both_colours(chat.page) == []
    chat.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(chat.composer).to_be_focused()
    menu = chat.page.get_by_role("button", name="settings and sign out")
    menu.click()
    chat.page.get_by_role("menuitem", name="Keyboard shortcuts").click()
    expect(dialog).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    chat.page.keyboard.press("?")
    expect(dialog).to_be_visible()


def test_keys_copy_the_answer_and_hide_the_sidebar(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("*Green* tea."))
    chat = visit().open()
    chat.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.ask("Which tea?")
    chat.page.keyboard.press("Control+Shift+C")
    expect(chat.page.get_by_text("The answer is copied.")).to_be_visible()
    assert chat.page.evaluate("navigator.clipboard.readText()") == "*Green* tea."
    chat.page.keyboard.press("Control+b")
    expect(chat.sidebar).to_have_count(0)
    chat.page.keyboard.press("Control+b")
    expect(chat.sidebar).to_be_visible()
