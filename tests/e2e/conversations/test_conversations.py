"""The list of conversations, and the keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider, title_of

Titled = Callable[[str], tuple[ChatPage, str]]

# The right edges of an element's first and last letter, where they would be if nothing were cut.
EDGES_OF_LETTERS = """({ firstChild: text }) => [0, text.length - 1].map((place) => {
    const letter = document.createRange()
    letter.setStart(text, place)
    letter.setEnd(text, place + 1)
    return letter.getBoundingClientRect().right
})"""


@pytest.fixture
def titled(visit: Visit, model: ScriptedProvider) -> Titled:
    """titled(question): a new conversation of one question and its answer, and the title that the model gave it."""

    def make(question: str) -> tuple[ChatPage, str]:
        model.answer_chat(Text("The answer."))
        chat = visit().open()
        chat.ask(question)
        expect(chat.row(title_of(question))).to_be_visible()
        return chat, title_of(question)

    return make


def test_a_renamed_conversation_keeps_its_name_in_every_tab(titled: Titled) -> None:
    chat, old = titled("What is old?")
    other = ChatPage(chat.context.new_page()).open()
    chat.options(old, "Rename")
    field = chat.page.get_by_role("textbox", name="Title of the conversation")
    field.fill("New name")
    field.press("Enter")
    for tab in (chat, other):
        expect(tab.row("New name")).to_be_visible()
        expect(tab.row(old)).to_have_count(0)
    chat.page.reload()
    expect(chat.row("New name")).to_be_visible()


def test_a_deleted_conversation_can_be_brought_back_for_a_moment(titled: Titled) -> None:
    chat, chat_title = titled("What is unwanted?")
    address = chat.page.url
    other = ChatPage(chat.context.new_page()).open()
    expect(other.row(chat_title)).to_be_visible()
    chat.composer.fill("A draft")
    chat.options(chat_title, "Delete")
    for tab in (chat, other):
        expect(tab.row(chat_title)).to_have_count(0)
    expect(chat.page).to_have_url("/o/acme/")
    chat.page.get_by_role("button", name="Undo").click()
    expect(chat.page).to_have_url(address)
    expect(chat.answer).to_contain_text("The answer.")
    expect(chat.composer).to_have_value("A draft")
    for tab in (chat, other):
        expect(tab.row(chat_title)).to_be_visible()
    chat.composer.fill("")
    chat.options(chat_title, "Delete")
    expect(chat.row(chat_title)).to_have_count(0)
    expect(chat.composer).to_be_focused()
    chat.page.goto(address)
    expect(chat.page.get_by_role("heading", name="Conversation not found")).to_be_visible()


def test_a_conversation_opens_from_its_address_and_from_the_list(titled: Titled) -> None:
    chat, chat_title = titled("What was lost?")
    address = chat.page.url
    chat.open()
    expect(chat.answers).to_have_count(0)
    chat.row(chat_title).click()
    expect(chat.page).to_have_url(address)
    expect(chat.answer).to_contain_text("The answer.")
    chat.page.go_back()
    expect(chat.answers).to_have_count(0)
    chat.page.goto(address)
    expect(chat.answer).to_contain_text("The answer.")
    expect(chat.row(chat_title)).to_have_attribute("aria-current", "page")


def test_a_long_title_is_cut_at_its_own_end_and_told_in_full_on_hover(titled: Titled) -> None:
    chat, chat_title = titled("What is short?")
    long = "ما هي عاصمة ألمانيا وكيف أصل إليها بالقطار من باريس في الصيف"
    chat.options(chat_title, "Rename")
    chat.sidebar.get_by_role("textbox").fill(long)
    chat.page.keyboard.press("Enter")
    text = chat.row(long).get_by_text(long)
    text.hover()
    expect(text).to_have_attribute("title", long)
    first, last = text.evaluate(EDGES_OF_LETTERS)
    assert last < first  # from right to left: what is cut stands left of the text, outside of it
    assert text.evaluate("(text, x) => text.getBoundingClientRect().right - x", first) < 20


def test_the_menu_of_a_conversation_gives_the_keyboard_back(titled: Titled) -> None:
    chat, chat_title = titled("Where is the focus?")
    keyboard = chat.page.keyboard
    options = chat.sidebar.get_by_role("button", name=f"Options for {chat_title}")
    options.focus()
    keyboard.press("Enter")
    expect(chat.page.get_by_role("menu")).to_be_visible()
    keyboard.press("Escape")
    expect(options).to_be_focused()
    title = chat.sidebar.get_by_role("textbox")
    keyboard.press("Enter")
    chat.page.get_by_role("menuitem", name="Rename").press("Enter")
    expect(title).to_be_visible()
    keyboard.press("Escape")
    expect(title).to_have_count(0)
    expect(options).to_be_focused()


def test_the_keyboard_is_enough(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Text("Beginning"), gate, Text(" and end."))
    chat = visit().open()
    keyboard = chat.page.keyboard
    chat.sidebar.get_by_role("button", name="New chat").focus()
    keyboard.press("/")
    expect(chat.composer).to_be_focused()
    keyboard.type("One line")
    keyboard.press("Shift+Enter")
    keyboard.type("and another")
    expect(chat.composer).to_have_value("One line\nand another")
    keyboard.press("Enter")
    expect(chat.composer).to_have_value("")
    expect(chat.questions).to_have_text("One line\nand another")
    expect(chat.answer).to_contain_text("Beginning")
    keyboard.press("Escape")
    expect(chat.answer.get_by_role("note")).to_be_visible()
    expect(chat.send_button).to_be_visible()
    keyboard.press("Control+Shift+O")
    expect(chat.page).to_have_url("/o/acme/")
    expect(chat.composer).to_be_focused()
    keyboard.press("Control+k")
    expect(chat.page.get_by_role("combobox", name="Search your chats")).to_be_focused()


def test_a_window_that_becomes_narrow_does_not_put_the_list_over_the_page(visit: Visit) -> None:
    chat = visit().open()
    expect(chat.sidebar).to_be_visible()
    chat.page.set_viewport_size({"width": 390, "height": 844})
    expect(chat.page.get_by_role("button", name="Show sidebar")).to_be_visible()
    expect(chat.sidebar).to_be_hidden()
    chat.page.set_viewport_size({"width": 1280, "height": 800})
    expect(chat.sidebar).to_be_visible()


def test_two_tabs_have_their_own_drafts_and_a_closed_one_leaves_its_draft(visit: Visit) -> None:
    first = visit().open()
    first.composer.fill("What is tea?")
    second = ChatPage(first.context.new_page()).open()
    expect(second.composer).to_have_value("")
    second.composer.fill("What is coffee?")
    second.page.reload()
    expect(second.composer).to_have_value("What is coffee?")
    first.page.reload()
    expect(first.composer).to_have_value("What is tea?")
    second.page.close()
    third = ChatPage(first.context.new_page()).open()
    expect(third.composer).to_have_value("What is coffee?")
    third.page.reload()
    expect(third.composer).to_have_value("What is coffee?")


def test_each_conversation_has_its_own_draft(titled: Titled) -> None:
    chat, first = titled("What is kept here?")
    chat.composer.fill("Half a thought")
    chat.sidebar.get_by_role("button", name="New chat").click()
    expect(chat.composer).to_have_value("")
    chat.composer.fill("Another one")
    chat.row(first).click()
    expect(chat.composer).to_have_value("Half a thought")
    chat.page.reload()
    expect(chat.composer).to_have_value("Half a thought")
    chat.sidebar.get_by_role("button", name="New chat").click()
    expect(chat.composer).to_have_value("Another one")
