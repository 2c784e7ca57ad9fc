"""Chat Completions' JSON to and from engine types: the chunks of many servers, and histories as their templates want them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.errors import ProviderUnavailable
from agents.messages import (
    ArtifactReference,
    AssistantText,
    CompactedHistory,
    Entry,
    File,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    Usage as EngineUsage,
    UserMessage,
)
from agents.providers.openai.chat_assembler import ChatCompletionAssembler
from agents.providers.openai.chat_messages import build_messages


def call_piece(arguments: object = None, **more: Any) -> dict[str, Any]:
    function = {name: more.pop(name) for name in ("name",) if name in more} | ({} if arguments is None else {"arguments": arguments})
    return {**more, "function": function}


class TestChunks:
    @pytest.mark.parametrize(
        "pieces",
        [
            # repeated heads
            [call_piece('{"a"', index=0, id="1", name="f"), call_piece(": 1}", index=0, id="1", name="f")],
            # no index
            [call_piece('{"a"', id="1", name="f"), call_piece(": 1}")],
            # an empty id in later pieces
            [call_piece("", index=0, id="1", name="f"), call_piece('{"a": 1}', index=0, id="", name=None)],
            [call_piece({"a": 1}, index=0, id="1", name="f")],
        ],
    )
    def test_pieces_of_one_call(self, pieces: list[dict[str, Any]]) -> None:
        assert self.calls(pieces) == [("1", "f", {"a": 1})]

    @pytest.mark.parametrize(
        "heads",
        [
            ({"index": 0, "id": "1"}, {"index": 0, "id": "2"}),  # all whole calls at one index
            ({"index": 0}, {"index": 0}),
            ({}, {}),
            ({"index": 1, "id": "1"}, {"index": 0, "id": "2"}),
        ],
    )
    def test_two_calls_in_one_delta_each_are_read(self, heads: tuple[dict[str, Any], ...]) -> None:
        pieces = [call_piece(f'{{"a": {n}}}', name="f", **head) for n, head in enumerate(heads)]
        assert [arguments for _, _, arguments in self.calls(pieces)] == [{"a": 0}, {"a": 1}]

    def test_interleaved_calls_are_put_together(self) -> None:
        first, second = {"index": 0}, {"index": 1}
        pieces = [
            call_piece("", name="f", id="1", **first),
            call_piece("", name="g", id="2", **second),
            call_piece('{"a"', **first),
            call_piece('{"b"', **second),
            call_piece(": 1}", **first),
            call_piece(": 2}", **second),
        ]
        assert self.calls(pieces) == [("1", "f", {"a": 1}), ("2", "g", {"b": 2})]

    @pytest.mark.parametrize(
        "chunk",
        [
            {"choices": ["no object"]},
            {"choices": [{"delta": {"content": 1}}]},
            {"choices": [{"delta": {"tool_calls": ["x"]}}]},
            {"choices": [{"delta": "x"}]},
            {"choices": 1},
        ],
    )
    def test_a_chunk_of_another_shape(self, chunk: dict[str, Any]) -> None:
        with pytest.raises(ProviderUnavailable, match="could not be read"):
            ChatCompletionAssembler("compatible", "m").add(chunk)

    @pytest.mark.parametrize("usage", [None, [], "much", {"prompt_tokens": "9"}, {"completion_tokens_details": 1}])
    def test_unreadable_usage_counts_as_nothing(self, usage: object) -> None:
        assembler = ChatCompletionAssembler("compatible", "m")
        assembler.add({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage})
        assert assembler.response().usage == EngineUsage()

    def test_deepseeks_name_for_cached_tokens(self) -> None:
        assembler = ChatCompletionAssembler("compatible", "m")
        assembler.add({"choices": [], "usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "completion_tokens": 1}})
        assert assembler.usages == (EngineUsage(9, 1, 0, 4),)

    def calls(self, pieces: list[dict[str, Any]]) -> list[tuple[str, str, object]]:
        assembler = ChatCompletionAssembler("compatible", "m")
        for piece in pieces:
            assembler.add({"choices": [{"delta": {"tool_calls": [piece]}}]})
        assembler.add({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
        return [(call.id, call.name, call.arguments) for call in assembler.response().tool_calls]


def test_user_and_assistant_take_turns() -> None:
    """Templates of open models refuse two messages of one side in a row."""
    history: list[Entry] = [
        CompactedHistory("Earlier.", covers=2),
        UserMessage("Hello"),
        File("f", "a.txt", "text/plain", 3, "abc"),
        Reasoning("Hm."),
        AssistantText("Hi."),
        Notice("stopped", "Stopped."),
        UserMessage(""),
        AssistantText(" Again."),
        ToolCall("c1", "f", {}),
        ArtifactReference("a", "T", "document", 1, "create", "c1"),
        AssistantText("After."),
        ToolResult("c1", "f", "no", is_error=True),
        Reminder("Mind."),
        UserMessage("More"),
    ]
    messages = build_messages(history, "", "compatible", "m")
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "user"]
    assert messages[0]["content"].endswith('<file name="a.txt" type="text/plain">\nabc\n</file>')
    assert messages[1]["content"] == "Hi. Again.After."
    assert messages[2]["content"] == '{"error":"no"}'
    assert messages[3]["content"] == "<reminder>\nMind.\n</reminder>\n\nMore"
