"""How many tokens an entry and a prompt are taken for."""

from __future__ import annotations

import pytest

from agents.context.tokens import TOKENS_PER_ENTRY, estimate_prompt, estimate_tokens
from agents.messages import (
    AssistantText,
    Entry,
    File,
    Notice,
    Reasoning,
    SystemPrompt,
    ToolCall,
    ToolDefinition,
    ToolResult,
    UserMessage,
)


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        (UserMessage(""), 0),
        (UserMessage("a" * 40), 10),
        (UserMessage("a" * 41), 11),
        (AssistantText("長い文章"), 4),
        (Reasoning("größe"), 3),
        (Reasoning("abcd", {"provider": "p", "signature": "x" * 270}), 1 + 102),
        (File("1", "abcd", "text", 9, "a" * 40), 2 + 10),
        (ToolCall("c1c1", "read", {"path": "a" * 17}), 2 + 10),
        (ToolResult("c1c1", "read", "a" * 30), 2 + 10),
        (ToolResult("c1c1", "read", {"path": [1, 2, None]}), 2 + 8),
    ],
)
def test_tokens_are_estimated_from_the_text_length(entry: Entry, tokens: int) -> None:
    assert estimate_tokens(entry) == TOKENS_PER_ENTRY + tokens


def test_what_is_not_sent_costs_nothing_and_the_prompt_counts_with_its_tools() -> None:
    assert estimate_tokens(Notice("stopped", "Stopped.")) == 0
    system = SystemPrompt("a" * 20, "b" * 18)
    tool = ToolDefinition("read", "Reads.", {"type": "object"})
    assert estimate_prompt(system, ()) == TOKENS_PER_ENTRY + 10
    assert estimate_prompt(system, [tool]) == 2 * TOKENS_PER_ENTRY + 10 + 3 + 6
