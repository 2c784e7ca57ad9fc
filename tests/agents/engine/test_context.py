"""From stored entries to what the model is sent."""

from __future__ import annotations

import pytest

from agents.engine.context import NO_RESULT, model_context, open_calls, with_unique_call_ids
from agents.engine.messages import (
    ArtifactReference,
    AssistantText,
    Entry,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)

USER = UserMessage("u")
TEXT = AssistantText("a")
REMINDER = Reminder("r")
ARTIFACT = ArtifactReference("1", "Poem", "text", 1, "create", "c1")
NOTICE = Notice("stopped", "Stopped.")


def asked(call_id: str) -> ToolCall:
    return ToolCall(call_id, "t", {})


def given(call_id: str, output: str = "ok") -> ToolResult:
    return ToolResult(call_id, "t", output)


def missing(call_id: str) -> ToolResult:
    return ToolResult(call_id, "t", NO_RESULT, is_error=True)


@pytest.mark.parametrize(
    ("entries", "sent"),
    [
        ([], []),
        ([USER, NOTICE, TEXT, ARTIFACT], [USER, TEXT]),
        ([USER, AssistantText("par", partial=True)], [USER, AssistantText("par", partial=True)]),
        ([USER, asked("1"), given("1"), TEXT], [USER, asked("1"), given("1"), TEXT]),
        # results follow their calls in call order, whatever was appended between them
        (
            [USER, asked("1"), asked("2"), given("1"), REMINDER, given("2"), TEXT],
            [USER, asked("1"), asked("2"), given("1"), given("2"), REMINDER, TEXT],
        ),
        # two steps in a row stay two steps
        ([USER, asked("1"), given("1"), asked("2"), given("2")], [USER, asked("1"), given("1"), asked("2"), given("2")]),
        # a stopped run's call without a result
        ([USER, asked("1"), asked("2"), given("2"), NOTICE, USER], [USER, asked("1"), asked("2"), missing("1"), given("2"), USER]),
        ([USER, asked("1"), NOTICE, USER], [USER, asked("1"), missing("1"), USER]),
        ([USER, asked("1")], [USER, asked("1"), missing("1")]),
        # a result whose call is gone
        ([given("9"), USER], [USER]),
    ],
)
def test_the_model_is_sent_a_valid_history(entries: list[Entry], sent: list[Entry]) -> None:
    assert list(model_context(entries)) == sent


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([USER, TEXT], []),
        ([USER, asked("1"), asked("2"), given("1")], ["2"]),
        ([USER, asked("1"), given("1"), asked("2")], ["2"]),
        ([USER, asked("1"), asked("2"), NOTICE], ["1", "2"]),
        ([USER, asked("1"), NOTICE, USER], []),  # an earlier run was stopped: nobody waits for it
    ],
)
def test_open_calls_are_those_since_the_last_user_message(entries: list[Entry], expected: list[str]) -> None:
    assert [call.id for call in open_calls(entries)] == expected


@pytest.mark.parametrize(
    ("in_history", "in_response", "expected"),
    [
        ([], ["a", "b"], ["a", "b"]),
        ([], ["a", "a", "a"], ["a", "a-2", "a-3"]),
        (["a", "a-2"], ["a"], ["a-3"]),
        (["call"], ["", ""], ["call-2", "call-3"]),
    ],
)
def test_call_ids_are_made_unique_in_the_conversation(in_history: list[str], in_response: list[str], expected: list[str]) -> None:
    unique = with_unique_call_ids([asked(call_id) for call_id in in_response], [asked(call_id) for call_id in in_history])
    assert [call.id for call in unique if isinstance(call, ToolCall)] == expected


def test_other_entries_of_a_response_stay_as_they_are() -> None:
    assert with_unique_call_ids([Reasoning("r"), TEXT], [USER]) == (Reasoning("r"), TEXT)
