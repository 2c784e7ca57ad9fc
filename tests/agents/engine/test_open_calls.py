"""What becomes of each open tool call: one table for the engine and the chat (docs/engine.md, "Open calls")."""

from __future__ import annotations

import pytest

from agents.engine.lifecycle import RunEnd
from agents.engine.open_calls import (
    ACTIONS,
    CLIENT_DID_NOT_ANSWER,
    CLIENT_OUTPUT_NOT_USED,
    UNDECIDED,
    WROTE_INSTEAD,
    CallAction,
    CallState,
    Occasion,
    approval_request,
    closing_entries,
    pending_calls,
)
from agents.messages import ApprovalRequest, ApprovalResponse, ClientOutput, ClientRequest, Entry, ToolCall, ToolResult, UserMessage
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, ScriptedModel, answer, call
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal

CALL = call("c1")
APPROVAL_REQUEST = approval_request(CALL)
ALLOWED = ApprovalResponse(APPROVAL_REQUEST.approval_id, "c1", approved=True)
CLIENT_ASKED, CLIENT_ANSWER = ClientRequest("c1", "look_up", {}), ClientOutput("c1", {"a": 1})

# Only this execution can have cut a call off, and only checks find it invalid: of a new step, they come before anything is cut.
CUT = {CallState.CUT, CallState.CUT_BEFORE_CLIENT}
RECORDED = {CallState.ASKED_CLIENT, CallState.CLIENT_ANSWERED, CallState.ASKED_USER, CallState.DENIED, CallState.UNKNOWN}


@pytest.mark.parametrize(
    ("occasion", "states"),
    [
        (Occasion.STEP, {CallState.INVALID, CallState.MUST_ASK, CallState.NEW}),
        (Occasion.RESUME, set(CallState) - CUT),
        (Occasion.RESUME_TO_MESSAGE, set(CallState) - CUT),
        (Occasion.INTERRUPTED, set(CallState) - {CallState.INVALID}),
        (Occasion.REPLACED, RECORDED),
        (Occasion.OVER, RECORDED),
    ],
)
def test_each_state_that_can_occur_has_an_action(occasion: Occasion, states: set[CallState]) -> None:
    assert set(ACTIONS[occasion]) == states


def test_a_call_waits_only_where_nothing_came_instead() -> None:
    waiting = {CallAction.WAIT, CallAction.ASK_USER}
    assert {occasion for occasion, actions in ACTIONS.items() if waiting & set(actions.values())} == {Occasion.STEP, Occasion.RESUME}


def test_no_tool_runs_where_the_chat_settles() -> None:
    assert all(CallAction.RUN not in ACTIONS[occasion].values() for occasion in (Occasion.REPLACED, Occasion.OVER))


def test_only_calls_since_the_last_message_are_open() -> None:
    assert pending_calls([call("c0"), UserMessage("And now?"), CALL, call("c2"), ToolResult("c2", "look_up", "ok")]) == (CALL,)


def error(text: str, *, denied: bool = False) -> ToolResult:
    return ToolResult("c1", "look_up", text, is_error=True, denied=denied)


NO = ApprovalResponse(APPROVAL_REQUEST.approval_id, "c1", approved=False, reason=WROTE_INSTEAD)


@pytest.mark.parametrize(
    ("recorded", "replaced", "over"),
    [
        ((), [error(UNDECIDED)], []),
        ((APPROVAL_REQUEST,), [NO, error(UNDECIDED, denied=True)], []),
        ((APPROVAL_REQUEST, ALLOWED), [error(UNDECIDED)], []),
        ((CLIENT_ASKED,), [error(CLIENT_DID_NOT_ANSWER)], [error(CLIENT_DID_NOT_ANSWER)]),
        ((CLIENT_ASKED, CLIENT_ANSWER), [error(UNDECIDED)], [error(CLIENT_OUTPUT_NOT_USED.format(output='{"a": 1}'))]),
    ],
)
def test_the_open_calls_of_a_run_that_is_over_get_what_its_entries_say(
    recorded: tuple[Entry, ...], replaced: list[Entry], over: list[Entry]
) -> None:
    entries = [QUESTION, CALL, *recorded]
    assert list(closing_entries([CALL], entries, Occasion.REPLACED)) == replaced
    assert list(closing_entries([CALL], entries, Occasion.OVER)) == over


async def test_what_a_client_has_done_is_not_asked_about_when_an_admin_changes_the_tool() -> None:
    tool = FunctionTool(by_client=True, repeatable=True, confirm=True)
    client_call = ToolCall("c1", "look_up", {}, by_client=True)
    journal = MemoryJournal([QUESTION, client_call, CLIENT_ASKED, CLIENT_ANSWER])
    outcome = await run_agent(AGENT, model=ScriptedModel([answer()]), tools=[tool], journal=journal, first_step=2)
    assert (outcome.end, journal.appended[0]) == (RunEnd.ANSWERED, ToolResult("c1", "look_up", "ok"))
    assert not any(isinstance(entry, ApprovalRequest) for entry in journal.appended)


async def test_a_request_whose_tool_is_gone_is_withdrawn_by_a_message() -> None:
    journal, inbox = MemoryJournal([QUESTION, CALL, APPROVAL_REQUEST]), MemoryInbox()
    inbox.of(journal).message("Never mind.")
    await run_agent(AGENT, model=ScriptedModel([answer()]), tools=[], journal=journal, inbox=inbox, first_step=2)
    assert list(journal.appended[:2]) == [NO, error(UNDECIDED, denied=True)]
