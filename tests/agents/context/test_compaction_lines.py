"""What an older turn says when it has become one line."""

from __future__ import annotations

from typing import Any

import pytest

from agents.context.compaction import shorten, turn_summary
from agents.messages import (
    AssistantText,
    Entry,
    File,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)
from tests.agents.context.histories import group_turns

CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("", {}, "read()"),
    ("", {"path": "a.txt", "lines": [1, 2], "deep": {"a": None}}, 'read(path=a.txt, lines=[1, 2], deep={"a": null})'),
    ("read {path}", {"path": "a\n  b.txt"}, "read a b.txt"),
    ("read {path} from {line}", {"path": "a.txt"}, "read a.txt from "),
    ("read {path.__class__} {0}", {"path": "a.txt"}, "read  "),
    ("read {path}", {"path": "x" * 100}, f"read {'x' * 59}…"),
    ("{a}{b}{c}", dict.fromkeys("abc", "x" * 60), f"{'x' * 159}…"),
]


@pytest.mark.parametrize(("template", "arguments", "line"), CALLS)
def test_a_tool_call_is_compacted_into_one_line(template: str, arguments: dict[str, Any], line: str) -> None:
    call = ToolCall("1", "read", arguments)
    (turn,) = group_turns([call])
    assert turn_summary(turn, {"1": ToolResult("1", "read", "ok")}, {"read": template}) == line.strip()
    assert turn_summary(turn, {"1": ToolResult("1", "read", "no", is_error=True)}, {"read": template}) == f"{line.strip()} failed"
    assert turn_summary(turn, {}, {"read": template}) == f"{line.strip()} failed"


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ([UserMessage("a\nb")], "User: a b"),
        ([UserMessage("see"), File("1", "a.pdf", "application/pdf", 1), File("2", "b.txt", "text/plain", 1)], "User: see [a.pdf, b.txt]"),
        ([Reasoning("hm"), AssistantText("a"), AssistantText("b")], "Assistant: a b"),
        ([Reasoning("hm"), AssistantText(" ")], ""),
        ([Reminder("r")], ""),
        ([AssistantText("I look."), ToolCall("1", "a", {}), ToolCall("2", "b", {}), ToolResult("1", "a", 1)], "a(); b() failed"),
    ],
)
def test_a_turn_is_compacted_into_one_line(entries: list[Entry], line: str) -> None:
    (turn,) = group_turns(entries)
    assert turn_summary(turn, {"1": ToolResult("1", "a", 1)}, {}) == line


@pytest.mark.parametrize(("text", "short"), [("", ""), ("abcde", "abcde"), ("abcdef", "abcd…"), ("a  b\n", "a b"), (f"a{' ' * 99}b", "a…")])
def test_shortened_texts_show_that_they_are(text: str, short: str) -> None:
    assert shorten(text, 5) == short
