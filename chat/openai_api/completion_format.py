"""Formats answers as OpenAI's JSON objects: completions, stream chunks, tool calls and usage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from agents.messages import ToolCall, Usage
from chat.entries import as_json

FINISH_REASONS = {"length": "length", "content-filter": "content_filter", "tool-calls": "tool_calls"}
DONE = b"data: [DONE]\n\n"


def finish_reason(reason: str) -> str:
    """Return OpenAI's finish reason for one of the engine or the AI SDK."""
    return FINISH_REASONS.get(reason, "stop")


def usage_item(usage: Usage) -> dict[str, Any]:
    """Return OpenAI's usage object. Its completion tokens include thinking tokens."""
    completion = usage.output_tokens + usage.thinking_tokens
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": completion,
        "total_tokens": usage.input_tokens + completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.thinking_tokens},
    }


def tool_call_items(calls: Sequence[ToolCall], *, has_index: bool) -> list[dict[str, Any]]:
    """Return the tool calls as OpenAI's objects. `has_index`: with an index, as stream chunks have it."""
    return [
        {
            **({"index": index} if has_index else {}),
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": as_json(dict(call.arguments)).decode()},
        }
        for index, call in enumerate(calls)
    ]


def sse_event(data: dict[str, Any]) -> bytes:
    """Return `data` as one server-sent event."""
    return b"data: " + orjson.dumps(data) + b"\n\n"


@dataclass(frozen=True, slots=True)
class CompletionFormat:
    """Formats one answer, with the fields that all its objects have in common. Stream chunks are returned as server-sent events."""

    answer_id: UUID
    model: str  # as the caller named it
    usage: bool = False  # whether the caller wants the usage in the stream
    created: int = field(default_factory=lambda: int(time.time()))

    def completion(self, *, text: str, calls: Sequence[ToolCall], reason: str, usage: Usage) -> dict[str, Any]:
        """Return the whole answer as a chat.completion object."""
        message: dict[str, Any] = {"role": "assistant", "content": text or None if calls else text, "refusal": None}
        if calls:
            message["tool_calls"] = tool_call_items(calls, has_index=False)
        choice = {"index": 0, "message": message, "finish_reason": finish_reason(reason), "logprobs": None}
        return {**self._envelope("chat.completion"), "choices": [choice], "usage": usage_item(usage)}

    def start(self) -> bytes:
        """Return the first chunk."""
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, delta: str) -> bytes:
        """Return a chunk of text."""
        return self._chunk({"content": delta})

    def calls(self, calls: Sequence[ToolCall]) -> bytes:
        """Return a chunk with complete tool calls."""
        return self._chunk({"tool_calls": tool_call_items(calls, has_index=True)})

    def end(self, reason: str, usage: Usage) -> bytes:
        """Return the last chunks, followed by [DONE]."""
        last = self._chunk({}, finish_reason(reason))
        if self.usage:
            last += sse_event({**self._envelope("chat.completion.chunk"), "choices": [], "usage": usage_item(usage)})
        return last + DONE

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        nothing_yet = {"usage": None} if self.usage else {}
        return sse_event({**self._envelope("chat.completion.chunk"), "choices": [choice], **nothing_yet})

    def _envelope(self, kind: str) -> dict[str, Any]:
        return {"id": f"chatcmpl-{self.answer_id.hex}", "object": kind, "created": self.created, "model": self.model}
