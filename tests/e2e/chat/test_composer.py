"""The message box: the + menu by keyboard, switches that reach the request, and writing by voice."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

# The browser's recognizer, as far as the page uses it; a test says what it hears.
SPEECH = """
window.SpeechRecognition = class {
  start() { window.recognizer = this }
  stop() { this.onend() }
  abort() { this.onend() }
}
window.hear = (...pieces) => window.recognizer.onresult({
  resultIndex: 0,
  results: pieces.map(([transcript, isFinal]) => ({ isFinal, 0: { transcript } })),
})
window.fail = (error) => { window.recognizer.onerror({ error }); window.recognizer.onend() }
"""


def test_the_plus_menu_works_by_keyboard_and_its_switch_reaches_the_model(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    page = chat.page
    plus = page.get_by_role("button", name="Add files and more")
    menu = page.get_by_role("menu")
    chip = page.get_by_role("button", name="Search the web is on")
    expect(chip).to_be_visible()
    for _ in range(2):
        plus.press("Enter")
        expect(menu.get_by_role("menuitem", name="Add files")).to_be_focused()
        assert violations(page) == []
        # The menu library moves the focus in a timer: a second key before that would start from the same item.
        page.keyboard.press("ArrowDown")
        expect(menu.get_by_role("menuitem", name="From GitHub")).to_be_focused()
        page.keyboard.press("ArrowDown")
        search = menu.get_by_role("menuitemcheckbox", name="Search the web")
        expect(search).to_be_focused()
        page.keyboard.press("Space")
        page.keyboard.press("Escape")
        expect(plus).to_be_focused()
    expect(chip).to_be_visible()
    chip.click()
    expect(chip).to_have_count(0)
    page.reload()
    expect(plus).to_be_visible()
    expect(chip).to_have_count(0)
    model.answer_chat(Text("Fine."))
    chat.ask("Hello")
    assert "fetch_url" not in model.chat_requests[-1].tool_names

    chat.add("Insert a prompt")
    expect(chat.composer).to_be_focused()
    expect(chat.composer).to_have_value("/")
    with page.expect_file_chooser():
        chat.composer.fill("")  # answered after the browser was told to report choosers, so the key can't overtake that
        page.keyboard.press("Control+u")


def test_what_is_said_is_written_at_the_caret(visit: Visit) -> None:
    chat = visit(fresh="a script of its own")
    page = chat.page
    page.add_init_script(SPEECH)
    chat.open()
    dictate = page.get_by_role("button", name="Dictate")
    chat.composer.fill("Buy now")
    chat.composer.evaluate("box => box.setSelectionRange(3, 3)")
    dictate.click()
    expect(page.get_by_text("Listening…")).to_be_visible()
    assert violations(page) == []
    page.evaluate("hear(['green', false])")
    expect(page.get_by_role("status").filter(has_text="green")).to_be_visible()
    page.evaluate("hear(['green', true], [' tea', true])")
    expect(chat.composer).to_have_value("Buy green tea now")
    page.evaluate("hear(['leaves', true])")
    expect(chat.composer).to_have_value("Buy green tea leaves now")
    dictate.click()
    expect(dictate).to_have_attribute("aria-pressed", "false")
    dictate.click()
    page.evaluate("fail('not-allowed')")
    expect(page.get_by_role("alert")).to_contain_text("The microphone is blocked.")
    expect(chat.composer).to_have_value("Buy green tea leaves now")


def test_there_is_no_voice_input_where_the_browser_has_none(visit: Visit) -> None:
    chat = visit(fresh="a script of its own")
    chat.page.add_init_script("delete window.webkitSpeechRecognition; delete window.SpeechRecognition")
    chat.open()
    expect(chat.composer).to_be_visible()
    expect(chat.page.get_by_role("button", name="Dictate")).to_have_count(0)
