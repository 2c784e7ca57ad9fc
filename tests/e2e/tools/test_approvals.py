"""A tool that asks first: the user sees what it would get, and nothing happens until he decides."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from doubles.script import Call, Text
from tests.e2e.accessibility import violations
from tests.e2e.agent_settings import changed
from tests.e2e.app.test_language import read_in_german
from tests.e2e.conftest import SessionOf
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import DOCUMENT_TOOL, ScriptedProvider
from tests.e2e.windows import Windows

QUESTION = "Write a document about tea."
REFUSE = re.compile("^Don.t allow$")
ASKS_FIRST = {"ask_first": "on"}
AS_FOR_ALL = {"ask_first": ""}  # as before: a value of its own would be in the file of agents, and not in a release, where it is the same
INSTRUCTION = "Write about <b>tea</b>.\n" + "And about its history.\n" * 30


@pytest.fixture(scope="module", autouse=True)
def asks_first(windows: Windows, session_of: SessionOf) -> Iterator[None]:
    with changed(windows, session_of, agent="document_agent_demo", change=ASKS_FIRST, back=AS_FOR_ALL):
        yield


def card(chat: ChatPage) -> Locator:
    return chat.answer.get_by_role("region", name="Allow “Document agent”?")


def own_row(chat: ChatPage) -> Locator:
    """The open conversation in the sidebar."""
    return chat.sidebar.get_by_role("listitem").filter(has=chat.page.locator("[aria-current=page]"))


def waits(chat: ChatPage) -> None:
    expect(chat.page.locator("body")).to_have_attribute("data-waiting", "approval")
    expect(card(chat)).to_be_visible()


def goes_on(chat: ChatPage) -> None:
    expect(chat.page.locator("body")).to_have_attribute("data-waiting", "")
    chat.rests()


@pytest.fixture
def chat(visit: Visit, model: ScriptedProvider) -> ChatPage:
    """A conversation whose answer waits for a decision."""
    model.calls_document_agent(operation="create", title="Tea", instruction=INSTRUCTION)
    page = visit().open()
    page.ask(QUESTION)
    waits(page)
    return page


def test_the_user_sees_every_value_and_nothing_runs_before_he_decides(chat: ChatPage, model: ScriptedProvider) -> None:
    values = card(chat).get_by_role("group", name="What is sent").locator("pre")
    assert sorted(values.all_text_contents()) == sorted(["create", "Tea", INSTRUCTION])
    assert model.document_requests == []
    assert violations(chat.page) == []
    expect(own_row(chat)).to_contain_text("Needs you")
    chat.page.reload()
    waits(chat)
    assert chat.conversation["waiting"] == "approval"


def test_an_allowed_call_runs_and_the_answer_goes_on(chat: ChatPage, model: ScriptedProvider) -> None:
    model.answer_document(Text("# Tea\n\nIt comes from China.\n"))
    model.answer_chat(Text("It is written."))
    card(chat).get_by_role("button", name="Allow", exact=True).click()
    expect(chat.answer).to_contain_text("It is written.")
    goes_on(chat)
    expect(card(chat)).to_have_count(0)
    expect(chat.chip("Tea")).to_contain_text("Created")
    expect(chat.work).to_have_count(0)
    chat.panel.shows_version(1, of=1)
    expect(own_row(chat)).not_to_contain_text("Needs you")
    expect(chat.answers).to_have_count(1)


def test_a_refusal_by_keyboard_tells_the_model_the_reason(chat: ChatPage, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Then I tell you here."))
    refuse = card(chat).get_by_role("button", name=REFUSE)
    refuse.focus()
    refuse.press("Enter")
    reason = card(chat).get_by_role("textbox", name="Reason")
    expect(reason).to_be_focused()
    reason.press_sequentially("No documents, please.")
    reason.press("Enter")
    expect(chat.answer).to_contain_text("Then I tell you here.")
    goes_on(chat)
    row = chat.work
    expect(row).to_contain_text("Not allowed")
    expect(row).to_contain_text("No documents, please.")
    expect(chat.composer).to_be_focused()
    assert "No documents, please." in str(model.chat_requests[-1].body)
    assert model.document_requests == []
    assert chat.artifact_ids == []


def test_several_calls_are_decided_one_by_one(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(
        *(Call(DOCUMENT_TOOL, {"operation": "create", "title": title, "instruction": "Be brief."}) for title in ("Tea", "Coffee"))
    )
    chat = visit().open()
    chat.ask("Write a document about tea and one about coffee.")
    expect(card(chat)).to_have_count(2)
    model.answer_document(Text("# Coffee\n"))
    model.answer_chat(Text("Only coffee, then."))
    card(chat).first.get_by_role("button", name=REFUSE).click()
    card(chat).first.get_by_role("button", name=REFUSE).click()
    expect(card(chat)).to_have_count(1)
    waits(chat)
    card(chat).get_by_role("button", name="Allow", exact=True).click()
    expect(chat.answer).to_contain_text("Only coffee, then.")
    goes_on(chat)
    assert [artifact["title"] for artifact in chat.conversation["artifacts"]] == ["Coffee"]


def test_a_decision_in_one_tab_is_followed_in_the_other(chat: ChatPage, model: ScriptedProvider) -> None:
    other = ChatPage(chat.context.new_page()).open(f"c/{chat.conversation_id}/")
    waits(other)
    model.answer_document(Text("# Tea\n"))
    model.answer_chat(Text("It is written."))
    card(other).get_by_role("button", name="Allow", exact=True).click()
    for tab in (chat, other):
        expect(tab.answer).to_contain_text("It is written.")
        goes_on(tab)
        expect(card(tab)).to_have_count(0)


def test_stop_ends_the_wait(chat: ChatPage, model: ScriptedProvider) -> None:
    chat.stop_button.click()
    goes_on(chat)
    expect(card(chat)).to_have_count(0)
    expect(chat.work).to_contain_text("Stopped")
    expect(own_row(chat)).not_to_contain_text("Needs you")
    model.answer_chat(Text("Gladly."))
    chat.ask("Something else, please.")
    expect(chat.answer).to_contain_text("Gladly.")


def test_a_message_instead_of_a_decision_refuses_the_call(chat: ChatPage, model: ScriptedProvider) -> None:
    model.answer_chat(Text("All right, no document."))
    chat.composer.fill("Just say it here.")
    chat.composer.press("Enter")
    expect(chat.answer).to_contain_text("All right, no document.")
    goes_on(chat)
    expect(chat.work).to_contain_text("Not allowed")
    expect(chat.answer.get_by_role("group", name="You, meanwhile")).to_have_text("Just say it here.")
    assert DOCUMENT_TOOL in model.chat_requests[-1].tool_names
    assert model.document_requests == []
    expect(chat.work.get_by_text("A message was written instead.", exact=True)).to_be_visible()
    read_in_german(chat.page)
    chat.page.reload()
    expect(chat.page.get_by_text("Stattdessen wurde eine Nachricht geschrieben.", exact=True)).to_be_visible()
