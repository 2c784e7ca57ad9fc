"""Every kind of entry comes back from its JSON as it was."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from agents.entry_codec import ENTRY_TYPES, entries_decode, entry_decode, entry_encode
from agents.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    ClientOutput,
    ClientRequest,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    NextStep,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)

ODD = {"zeta": 1.0, "alpha": [1, -0.0, 1e-7, None, True], "m": {"y": "\u2028\x00\N{GRINNING FACE}", "b": {}}}
ENTRIES: list[Entry] = [
    UserMessage("Hello", "m1"),
    File("f1", "a.txt", "text/plain", 3, "abc", "github"),
    AssistantText("Hi", {"provider": "google", "model": "m", "parts": [{"text": "Hi", "thoughtSignature": "s"}]}, partial=True),
    Reasoning("Hm.", partial=True),
    ToolCall("c1", "look_up", ODD, {"provider": "google", "parts": [ODD]}),
    ToolResult("c1", "look_up", ODD, is_error=True),
    ToolResult("c1", "look_up", "text", denied=True),
    ProviderToolCall("p1", "web_search", ODD, ODD, provider_metadata={"provider": "google", "parts": [ODD]}),
    AnswerFile("f1", "image.png", "image/png", 9, provider_metadata={"provider": "p", "model": "m", "parts": [{"a": 1}]}),
    Source("https://tea.example/", "Tea"),
    ArtifactReference("a1", "Tea", "text", None, "create", "c1", "failed"),
    Reminder("Mind this.", "loop", 2),
    NoToolCallRetry("Call a tool.", 1),
    WorkflowStep("Reading", "done"),
    CompactedHistory("- read a", 4, 2, 3, 1),
    ContextData("artifacts", "{}"),
    ApprovalRequest("p1", "c1", "Because."),
    ApprovalResponse("p1", "c1", approved=False, reason="No."),
    ClientRequest("c1", "look_up", ODD),
    ClientOutput("c1", ODD, is_error=True),
    ClientData("suggestions", ODD, "s1"),
    Notice("stopped", "Stopped.", "warning", "retry"),
    SubAgentEntry("c1", "helper_google", SubAgentEntry("c2", "other_google", ToolCall("c3", "look_up", ODD, {"provider": "google"}))),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_comes_back_with_the_order_of_its_keys(entry: Entry) -> None:
    json_text = json.dumps(entry_encode(entry))
    again = entry_decode(*json.loads(json_text))
    assert again == entry
    assert json.dumps(entry_encode(again)) == json_text


def test_many_come_back_like_each_one() -> None:
    """Also what an older version stored, without the newer fields, and a later one, with more."""
    rows = [json.loads(json.dumps(entry_encode(entry))) for entry in [*ENTRIES, *reversed(ENTRIES)]]
    older = ["tool_result", {"call_id": "c1", "name": "look_up", "output": ODD}, None]
    later = ["user_message", {"text": "Hello", "mood": "good"}, None]
    rows += [older, later]
    plain = [entry_decode(*each) for each in rows]
    entries = entries_decode(*zip(*rows, strict=True))
    assert entries == plain
    assert [json.dumps(entry_encode(entry)) for entry in entries] == [json.dumps(entry_encode(entry)) for entry in plain]
    assert [each.next_step is NextStep.GO_ON for each in entries if isinstance(each, ToolResult)] == [True] * 5
    with pytest.raises(KeyError):
        entries_decode(["user_message"], [{}], [None])


def test_an_empty_list_of_entries_comes_back_empty() -> None:
    assert entries_decode((), (), ()) == []


def test_every_kind_of_entry_has_its_name() -> None:
    assert set(ENTRY_TYPES.values()) == set(get_args(Entry)) == {type(entry) for entry in ENTRIES}


def test_keys_of_a_later_version_are_left_out() -> None:
    assert entry_decode("user_message", {"text": "Hello", "mood": "good"}, None) == UserMessage("Hello")


def test_a_choice_comes_back_as_itself() -> None:
    json_text = json.dumps(entry_encode(ToolResult("c1", "message", "", next_step=NextStep.FINISH)))
    again = entry_decode(*json.loads(json_text))
    assert isinstance(again, ToolResult)
    assert again.next_step is NextStep.FINISH
