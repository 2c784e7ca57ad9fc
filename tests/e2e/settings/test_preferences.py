"""What a member wants of answers: written in the settings, never lost, read by the assistant."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

WISH = "Answer Bob in rhymes."
OTHER_WISH = "Answer Bob in prose."


def open_instructions(chat: ChatPage) -> Locator:
    """The section of the settings, and in it the text as it is stored."""
    section = chat.settings("Instructions")
    expect(section.get_by_role("textbox")).to_be_focused()
    return section


@pytest.fixture
def chat(visit: Visit) -> ChatPage:
    return visit("bob").open()


def test_saved_preferences_are_read_with_the_next_message(chat: ChatPage, model: ScriptedProvider) -> None:
    dialog = open_instructions(chat)
    assert violations(chat.page) == []
    dialog.get_by_role("textbox").fill(WISH)
    dialog.get_by_role("button", name="Save").click()
    expect(chat.page.get_by_text("Your instructions are saved.")).to_be_visible()
    chat.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    model.answer_chat(Text("Tea is for me."))
    chat.ask("What is tea?")
    assert WISH in model.chat_requests[-1].system_text
    chat.page.reload()
    expect(open_instructions(chat).get_by_role("textbox")).to_have_value(WISH)
    chat.page.keyboard.press("Escape")


def test_preferences_that_could_not_be_saved_are_not_lost(chat: ChatPage) -> None:
    dialog = open_instructions(chat)
    chat.page.route("**/api/me/", lambda route: route.abort())
    dialog.get_by_role("textbox").fill(OTHER_WISH)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("cannot be reached")
    chat.page.keyboard.press("Escape")
    chat.page.unroute("**/api/me/")
    chat.page.reload()
    expect(open_instructions(chat).get_by_role("textbox")).to_have_value(OTHER_WISH)
    dialog.get_by_role("button", name="Save").click()
    expect(chat.page.get_by_text("Your instructions are saved.")).to_be_visible()


def test_too_long_preferences_cannot_be_saved(chat: ChatPage) -> None:
    dialog = open_instructions(chat)
    dialog.get_by_role("textbox").fill("x" * 2001)
    expect(dialog.get_by_text("2,001 of 2,000 characters")).to_be_visible()
    expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    chat.page.keyboard.press("Escape")
