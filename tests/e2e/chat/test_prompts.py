"""Saved prompts in the message box, and long pastes as files."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

_PASTE = """
(box, text) => {
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', text)
  box.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
}
"""


def test_a_prompt_is_saved_found_with_a_slash_filled_and_sent(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Dear Ann."))
    chat = visit().open()
    page, box = chat.page, chat.composer
    box.press_sequentially("/")
    page.get_by_role("button", name="New prompt").click()
    page.get_by_role("textbox", name="Title").fill("Delay notice")
    page.get_by_role("textbox", name="Text", exact=True).fill("Write to {{customer}} about {{order}}.")
    assert violations(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    option = page.get_by_role("option", name="Delay notice")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(box).to_be_focused()
    assert violations(page) == []
    box.press("Enter")
    expect(option).to_have_count(0)
    expect(box).to_have_value("Write to {{customer}} about {{order}}.")
    keys = page.get_by_role("status").filter(has_text="sends when all are filled")
    expect(keys).to_be_visible()
    page.keyboard.type("Ann")
    page.keyboard.press("Enter")  # goes to the gap that is open
    page.keyboard.type("order 7")
    expect(box).to_have_value("Write to Ann about order 7.")
    expect(keys).to_have_count(0)
    page.keyboard.press("Enter")
    expect(chat.questions.last).to_contain_text("Write to Ann about order 7.")
    chat.rests()


def test_escape_closes_the_list_and_the_slash_stays(visit: Visit) -> None:
    chat = visit(phone=True).open()
    chat.composer.press_sequentially("/")
    expect(chat.page.get_by_role("button", name="New prompt")).to_be_visible()
    chat.composer.press("Escape")
    expect(chat.page.get_by_role("button", name="New prompt")).to_have_count(0)
    expect(chat.composer).to_have_value("/")


def test_a_long_paste_becomes_a_file(visit: Visit) -> None:
    chat = visit().open()
    chat.composer.evaluate(_PASTE, "tea " * 1_000)
    expect(chat.page.get_by_role("list", name="Files to send")).to_have_count(0)
    chat.composer.evaluate(_PASTE, "tea " * 1_001)
    expect(chat.page.get_by_role("list", name="Files to send").get_by_role("listitem")).to_contain_text("Pasted text.txt")
    expect(chat.composer).to_have_value("")
    chat.composer.fill("Before, after.")
    chat.composer.evaluate("(box) => box.setSelectionRange(7, 7)")
    chat.page.get_by_role("button", name="Undo").click()
    expect(chat.page.get_by_role("list", name="Files to send")).to_have_count(0)
    expect(chat.composer).to_have_value("Before," + "tea " * 1_001 + " after.")
    expect(chat.composer).to_be_focused()
