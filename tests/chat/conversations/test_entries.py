"""What models and tools send and no database takes is cleaned before it is stored, shown and sent again."""

from __future__ import annotations

from typing import Any

import pytest

from agents.messages import AssistantText, NextStep, ToolCall, ToolResult
from chat.entries import storable_entry


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("a\x00b", "ab"),
        ({"a\x00": ["\x00", 1.0]}, {"a": ["", 1.0]}),
        ("half \ud83d pair", "half ? pair"),
        ([float("nan"), float("-inf"), 1e22], [None, None, 1e22]),
    ],
)
def test_what_can_not_be_stored_is_taken_out(output: Any, expected: Any) -> None:
    entry = ToolResult("c1", "fetch", output, next_step=NextStep.FINISH)
    assert storable_entry(entry) == ToolResult("c1", "fetch", expected, next_step=NextStep.FINISH)


@pytest.mark.parametrize("text", ["plain", "\\u0000 as text", "\N{GRINNING FACE}\u2028"])
def test_everything_else_stays_as_it_is(text: str) -> None:
    entry = AssistantText(text)
    assert storable_entry(entry) == entry


def test_what_a_provider_may_have_signed_stays() -> None:
    extras = {"provider": "google", "parts": [{"functionCall": {"args": {"a": "\x00"}}}]}
    assert storable_entry(ToolCall("c1", "look_up", {"a": "\x00"}, extras)) == ToolCall("c1", "look_up", {"a": ""}, extras)
