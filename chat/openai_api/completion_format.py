"""OpenAI's objects as JSON: completions, their chunks and usage."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from agents.engine.messages import ToolCall, Usage
from chat.entries import as_json

FINISH_REASONS = {"length": "length", "content-filter": "content_filter", "tool-calls": "tool_calls"}
DONE = b"data: [DONE]\n\n"


def finish_reason(reason: str) -> str:
    """OpenAI's word for the engine's and the AI SDK's."""
    return FINISH_REASONS.get(reason, "stop")


def usage_item(usage: Usage) -> dict[str, Any]:
    completion = usage.output_tokens + usage.thinking_tokens
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": completion,
        "total_tokens": usage.input_tokens + completion,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.thinking_tokens},
    }


def tool_call_items(calls: Sequence[ToolCall], *, indexed: bool) -> list[dict[str, Any]]:
    """`indexed`: as they are in chunks."""
    return [
        {
            **({"index": index} if indexed else {}),
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": as_json(dict(call.arguments)).decode()},
        }
        for index, call in enumerate(calls)
    ]


def sse_event(data: dict[str, Any]) -> bytes:
    """One server-sent event."""
    return b"data: " + orjson.dumps(data) + b"\n\n"


@dataclass(frozen=True, slots=True)
class CompletionFormat:
    """What all chunks of one answer have in common. `model`: as the caller named it. `usage`: the caller wants it in the stream."""

    answer_id: UUID
    model: str
    usage: bool = False
    created: int = field(default_factory=lambda: int(time.time()))

    def completion(self, *, text: str, calls: Sequence[ToolCall], reason: str, usage: Usage) -> dict[str, Any]:
        """The whole answer."""
        message: dict[str, Any] = {"role": "assistant", "content": text or None if calls else text, "refusal": None}
        if calls:
            message["tool_calls"] = tool_call_items(calls, indexed=False)
        choice = {"index": 0, "message": message, "finish_reason": finish_reason(reason), "logprobs": None}
        return {**self._envelope("chat.completion"), "choices": [choice], "usage": usage_item(usage)}

    def start(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def text(self, delta: str) -> bytes:
        return self._chunk({"content": delta})

    def calls(self, calls: Sequence[ToolCall]) -> bytes:
        return self._chunk({"tool_calls": tool_call_items(calls, indexed=True)})

    def end(self, reason: str, usage: Usage) -> bytes:
        """The last chunks and the mark of the end."""
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
