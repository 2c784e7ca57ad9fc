"""A history in atomic turns."""

from __future__ import annotations

import pytest
from hypothesis import given

from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ContextData,
    Entry,
    File,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)
from tests.agents.context.histories import ANY_HISTORY, group_turns, property_settings

LETTERS: dict[str, Entry] = {
    "u": UserMessage("u"),
    "f": File("1", "a.txt", "text/plain", 1),
    "t": AssistantText("t"),
    "r": Reasoning("r"),
    "c": ToolCall("c", "tool", {}),
    "o": ToolResult("c", "tool", "o"),
    "a": ArtifactReference("1", "Poem", "text", 1, "create", "c"),
    "w": WorkflowStep("w"),
    "?": ApprovalRequest("1", "c"),
    "!": ApprovalResponse("1", "c", approved=True),
    "s": Reminder("s"),
    "n": Notice("stopped", "n"),
}


@pytest.mark.parametrize(
    ("letters", "turns"),
    [
        ("", []),
        ("u", ["u"]),
        ("urt", ["u", "rt"]),
        ("trut", ["tr", "u", "t"]),  # a greeting before any user message is its own turn
        ("uffrt", ["uff", "rt"]),
        ("uu", ["u", "u"]),
        ("urtcoort", ["u", "rtcoo", "rt"]),
        ("uccoaoat", ["u", "ccoaoa", "t"]),  # parallel calls, references between the results
        ("uc?!ocwot", ["u", "c?!o", "cwo", "t"]),  # two steps in a row
        ("ucosct", ["u", "cos", "ct"]),  # a reminder belongs to what it follows
        ("ucouct", ["u", "co", "u", "ct"]),  # a message between two steps
        ("ucnu", ["u", "cn", "u"]),  # stopped before the result
        ("st", ["s", "t"]),
    ],
)
def test_what_belongs_together_is_one_turn(letters: str, turns: list[str]) -> None:
    names = {id(entry): letter for letter, entry in LETTERS.items()}
    groups = group_turns([LETTERS[letter] for letter in letters])
    assert ["".join(names[id(entry)] for entry in turn.entries) for turn in groups] == turns


@property_settings
@given(ANY_HISTORY)
def test_every_entry_is_in_one_turn_and_stays_in_its_place(entries: list[Entry]) -> None:
    turns = group_turns(entries)
    assert [entry for turn in turns for entry in turn.entries] == entries
    assert all(entries[turn.start] is turn.entries[0] for turn in turns)


def test_a_message_keeps_what_came_along_with_it() -> None:
    along = [LETTERS["u"], LETTERS["f"], ContextData("artifacts", "<artifact/>")]
    assert group_turns([*along, LETTERS["s"], LETTERS["t"]])[0].message == along
