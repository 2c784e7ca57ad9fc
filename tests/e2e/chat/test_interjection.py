"""Writing into an answer that is still being written: it is read next, and no text is ever lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Route, expect

from doubles.script import Call, Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.agent_settings import changed
from tests.e2e.conftest import SessionOf
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.windows import Windows

INPUT = "**/input/"


def own_words(chat: ChatPage) -> Locator:
    """What the user wrote into the newest answer, as the answer shows it."""
    return chat.answer.get_by_role("group", name="You, meanwhile")


def own_row(chat: ChatPage) -> Locator:
    """The open conversation in the sidebar."""
    return chat.sidebar.get_by_role("listitem").filter(has=chat.page.locator("[aria-current=page]"))


def on_the_way(chat: ChatPage) -> Locator:
    return chat.page.get_by_role("list", name="Messages on their way").get_by_role("listitem")


def add(chat: ChatPage, text: str) -> None:
    chat.composer.fill(text)
    chat.composer.press("Enter")


def refuse(route: Route) -> None:
    route.fulfill(status=500, json={"error": {"code": "server_error", "message": "Something went wrong."}})


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def chat(visit: Visit, model: ScriptedProvider, gate: Gate) -> ChatPage:
    """A conversation whose answer stops in the middle until `gate` opens."""
    model.answer_chat(Text("Tea comes from China, "), gate, Text("and from India."))
    page = visit().open()
    page.say("Where does tea come from?")
    expect(page.answer).to_contain_text("Tea comes from China,")
    return page


def test_a_message_interrupts_the_answer_and_is_part_of_it_in_every_tab(chat: ChatPage, model: ScriptedProvider) -> None:
    other = ChatPage(chat.context.new_page()).open(f"c/{chat.conversation_id}/")
    expect(other.answer).to_contain_text("Tea comes from China,")
    expect(chat.composer).to_have_attribute("placeholder", "Add to this answer…")
    model.answer_chat(Text("Coffee comes from Ethiopia."))
    add(chat, "I mean coffee.")
    for tab in (chat, other):
        expect(own_words(tab)).to_have_text("I mean coffee.")
        expect(tab.answer).to_contain_text("Coffee comes from Ethiopia.")
        tab.rests()
    expect(on_the_way(chat)).to_have_count(0)
    expect(chat.answers).to_have_count(1)
    expect(chat.questions).to_have_count(1)
    assert "I mean coffee." in model.chat_requests[-1].user_text
    assert violations(chat.page) == []
    chat.page.reload()
    in_order = r"Tea comes from China,.*I mean coffee\..*Coffee comes from Ethiopia\."
    expect(chat.answer).to_contain_text(re.compile(in_order, re.DOTALL))


def test_a_message_that_is_not_taken_stays_and_is_sent_again(chat: ChatPage, model: ScriptedProvider) -> None:
    chat.page.route(INPUT, refuse)
    add(chat, "I mean coffee.")
    expect(on_the_way(chat).get_by_role("alert")).to_contain_text("Not sent")
    expect(on_the_way(chat)).to_contain_text("I mean coffee.")
    chat.page.unroute(INPUT)
    model.answer_chat(Text("Coffee comes from Ethiopia."))
    on_the_way(chat).get_by_role("button", name="Send again").click()
    expect(own_words(chat)).to_have_text("I mean coffee.")
    chat.rests()
    expect(on_the_way(chat)).to_have_count(0)


def test_a_message_that_is_not_taken_can_be_edited(chat: ChatPage, gate: Gate) -> None:
    chat.page.route(INPUT, refuse)
    add(chat, "I mean coffee.")
    on_the_way(chat).get_by_role("button", name="Edit").click()
    expect(chat.composer).to_have_value("I mean coffee.")
    expect(on_the_way(chat)).to_have_count(0)
    gate.release()
    chat.rests()
    expect(chat.composer).to_have_value("I mean coffee.")


def test_a_message_that_comes_too_late_is_a_message_of_its_own(chat: ChatPage, model: ScriptedProvider, gate: Gate) -> None:
    routes: list[Route] = []
    chat.page.route(INPUT, lambda route: routes.append(route))  # Playwright wants a function
    add(chat, "And coffee?")
    expect(on_the_way(chat)).to_contain_text("Sending…")
    gate.release()
    chat.rests()
    model.answer_chat(Text("Coffee comes from Ethiopia."))
    routes[0].continue_()
    expect(chat.questions).to_have_count(2)
    expect(chat.questions.last).to_have_text("And coffee?")
    expect(chat.answer).to_contain_text("Coffee comes from Ethiopia.")
    chat.rests()
    expect(on_the_way(chat)).to_have_count(0)


def test_stop_still_stops_while_something_is_typed(chat: ChatPage) -> None:
    chat.composer.fill("Half a thou")
    chat.stop_button.click()
    chat.rests()
    expect(chat.answer.get_by_role("note")).to_have_text("Stopped. What was written so far is kept.")
    expect(chat.composer).to_have_value("Half a thou")


def test_a_question_of_the_assistant_is_answered_in_the_same_answer(
    visit: Visit, model: ScriptedProvider, windows: Windows, session_of: SessionOf
) -> None:
    with changed(windows, session_of, agent="chat_model_agent_demo", change={"completion": "message_tool"}, back={"completion": ""}):
        model.answer_chat(Call("message", {"type": "question", "text": "Which **kind**?"}))
        chat = visit().open()
        chat.ask("Which tea shall I buy?")
        expect(chat.answer.locator("strong")).to_have_text("kind")
        expect(chat.composer).to_have_attribute("placeholder", "Reply to the assistant…")
        expect(own_row(chat)).to_contain_text("Needs you")
        chat.page.reload()
        expect(chat.answer.locator("strong")).to_have_text("kind")
        model.answer_chat(Call("message", {"type": "result", "text": "Take *Sencha*."}))
        add(chat, "A green one.")
        expect(own_words(chat)).to_have_text("A green one.")
        expect(chat.answer.locator("em")).to_have_text("Sencha")
        chat.rests()
        expect(chat.answers).to_have_count(1)
        expect(own_row(chat)).not_to_contain_text("Needs you")
        expect(chat.answer.get_by_role("group", name=re.compile("^Tool: "))).to_have_count(0)  # no tool rows: the calls are what was said
