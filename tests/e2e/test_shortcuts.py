"""The list of keyboard shortcuts: by its own keys and from the menu, and not while somebody types a question mark."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.accessibility import violations_in_both_colours
from tests.e2e.pages import Visit


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
