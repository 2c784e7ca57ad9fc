"""Converts an answer's items into the events of a Claude stream.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from doubles.anthropic.config_rules import thinks
from doubles.anthropic.models import model_profile
from doubles.anthropic.request import prompt_tokens
from doubles.anthropic.server_tools import citation, offers, result_block, use_block
from doubles.anthropic.signatures import prefix_of, sign
from doubles.gemini.stream import ENDING_FAULTS, Chunk, count_tokens
from doubles.script import (
    Answer,
    Call,
    CitedText,
    Fault,
    Finish,
    Item,
    Pause,
    Picture,
    ProviderTool,
    ReceivedRequest,
    Text,
    Thought,
    Usage,
    split_tokens,
)
from doubles.signals import Gate

# All doubles share scripts, so other wires' finish reasons are translated.
_REASONS = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens", "SAFETY": "refusal"}


class Event(Chunk):
    """One event of the stream, encoded as the Claude API does."""

    def encode(self) -> bytes:
        return f"event: {self.payload['type']}\ndata: ".encode() + orjson.dumps(self.payload) + b"\n\n"


Step = Chunk | Pause | Gate | Fault


def render(answer: Answer, request: ReceivedRequest) -> list[Step]:
    """Return the complete stream, in order. It ends with message_stop, unless a fault ends it earlier."""
    return list(_Stream(answer, request).steps())


def whole_response(steps: Iterable[Step]) -> dict[str, Any]:
    """Return the API's answer to a request without streaming: the events merged into one message."""
    message: dict[str, Any] = {}
    for step in steps:
        if isinstance(step, Chunk):
            _merge(message, step.payload)
    for block in message["content"]:
        if (arguments := block.pop("partial_json", None)) is not None:
            block["input"] = orjson.loads(arguments or "{}")
    return message


def _merge(message: dict[str, Any], event: Mapping[str, Any]) -> None:
    match event["type"]:
        case "message_start":
            message |= event["message"]
        case "content_block_start":
            message["content"].append(dict(event["content_block"]))
        case "content_block_delta":
            block, delta = message["content"][event["index"]], dict(event["delta"])
            if delta.pop("type") == "citations_delta":
                block["citations"].append(delta["citation"])
                return
            block |= {name: block.get(name, "") + text for name, text in delta.items()}
        case "message_delta":
            message |= event["delta"]
            message["usage"] = message.get("usage", {}) | event.get("usage", {})


class _Stream:
    """Builds one stream and counts its usage."""

    def __init__(self, answer: Answer, request: ReceivedRequest) -> None:
        self._body = body = request.body
        self._items = answer.items
        self._model = model_profile(request.model)
        self._thinks = thinks(body, self._model)
        self._display = (body.get("thinking") or {}).get("display") or self._model.default_display
        self._prefix = prefix_of(body, len(body["messages"]))
        self._limit = body["max_tokens"]
        self._scripted_usage = next((item for item in self._items if isinstance(item, Usage)), Usage())
        self._input = prompt_tokens(body) if self._scripted_usage.input_tokens is None else self._scripted_usage.input_tokens
        self._output = 0
        self._thinking = 0
        self._index = -1
        self._open = ""
        self._thought = ""

    def steps(self) -> Iterator[Step]:
        yield self._start()
        finish = next((item for item in self._items if isinstance(item, Finish)), None)
        for step in self._content():
            if isinstance(step, Chunk) and self._output + self._thinking > self._limit:
                finish = Finish("max_tokens")
                break
            yield step
            if isinstance(step, Fault) and step.kind in ENDING_FAULTS:
                return
        yield from self._end(finish or Finish(self._default_stop_reason()))

    def _default_stop_reason(self) -> str:
        return "tool_use" if any(isinstance(item, Call) for item in self._items) else "end_turn"

    def _start(self) -> Event:
        message: dict[str, Any] = {
            "id": f"msg_{uuid.uuid4().hex[:24]}",
            "type": "message",
            "role": "assistant",
            "model": self._model.name,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
        }
        cache_reads, cache_writes = self._scripted_usage.cached_tokens or 0, self._scripted_usage.cache_write_tokens or 0
        usage = {
            "input_tokens": self._input - cache_reads - cache_writes,
            "cache_creation_input_tokens": cache_writes,
            "cache_read_input_tokens": cache_reads,
            "output_tokens": 1,
            "service_tier": "standard",
        }
        return Event({"type": "message_start", "message": message | ({"usage": usage} if self._scripted_usage.reported else {})}, 0)

    def _content(self) -> Iterator[Step]:
        for item in self._items:
            yield from self._step(item)
        yield from self._close()

    def _step(self, item: Item) -> Iterator[Step]:
        match item:
            case Thought():
                if self._thinks:
                    yield from self._thoughts(item)
            case Text():
                yield from self._texts(item)
            case ProviderTool():
                yield from self._server_tool(item)
            case Call():
                yield from self._call(item)
            case Pause() | Gate() | Fault():
                yield item
            case Usage() | Finish() | Picture():  # Claude makes no images
                return

    def _texts(self, item: Text) -> Iterator[Step]:
        """Yield a text; one with citations gets a block of its own."""
        pages = item.pages if isinstance(item, CitedText) else ()
        if pages:
            yield from self._close()
        yield from self._begin("text", {"type": "text", "text": "", **({"citations": []} if pages else {})})
        for url, title in pages:
            yield self._delta({"type": "citations_delta", "citation": citation(url, title, item.text)}, 0)
        for piece in item.chunks():
            self._output += count_tokens(piece)
            yield self._delta({"type": "text_delta", "text": piece}, count_tokens(piece))
        if pages:
            yield from self._close()

    def _server_tool(self, item: ProviderTool) -> Iterator[Step]:
        """Yield a server tool's blocks, only when the request offers the tool."""
        if not offers(self._body, item):
            return
        yield from self._close()
        use = use_block(item)
        yield from self._begin("served", use)
        for piece in split_tokens(orjson.dumps(dict(item.arguments)).decode()):
            yield self._delta({"type": "input_json_delta", "partial_json": piece}, count_tokens(piece))
        yield from self._close()
        if not item.waits:
            yield from self._begin("served", result_block(item, use))
            yield from self._close()

    def _thoughts(self, item: Thought) -> Iterator[Step]:
        if item.redacted:
            self._thinking += count_tokens(item.text)
            data = sign("", self._model.name, self._prefix)
            yield from self._begin("redacted", {"type": "redacted_thinking", "data": data})
            yield from self._close()
            return
        yield from self._begin("thinking", {"type": "thinking", "thinking": "", "signature": ""})
        for piece in item.chunks():
            self._thinking += count_tokens(piece)
            if self._display == "summarized":
                self._thought += piece
                yield self._delta({"type": "thinking_delta", "thinking": piece}, count_tokens(piece))

    def _call(self, item: Call) -> Iterator[Step]:
        yield from self._close()
        call = {"type": "tool_use", "id": item.id or f"toolu_{uuid.uuid4().hex[:24]}", "name": item.name, "input": {}}
        yield from self._begin("call", call)
        text = item.arguments if isinstance(item.arguments, str) else orjson.dumps(item.arguments).decode()
        for piece in ["", *split_tokens(text)]:
            self._output += count_tokens(piece)
            yield self._delta({"type": "input_json_delta", "partial_json": piece}, count_tokens(piece))
        yield from self._close()

    def _begin(self, kind: str, block: dict[str, Any]) -> Iterator[Step]:
        """Continue the open block of this kind, or open a new one. The API sends a ping after the first block's start."""
        if self._open == kind:
            return
        yield from self._close()
        self._open = kind
        self._index += 1
        yield Event({"type": "content_block_start", "index": self._index, "content_block": block}, 0)
        if self._index == 0:
            yield Event({"type": "ping"}, 0)

    def _close(self, *, cut: bool = False) -> Iterator[Step]:
        """Close the open block. `cut`: at the length limit, which leaves thinking without a signature."""
        if not self._open:
            return
        if self._open == "thinking" and not cut:
            signature = sign(self._thought, self._model.name, self._prefix)
            yield self._delta({"type": "signature_delta", "signature": signature}, 0)
            self._thought = ""
        self._open = ""
        yield Event({"type": "content_block_stop", "index": self._index}, 0)

    def _delta(self, delta: dict[str, Any], tokens: int) -> Event:
        return Event({"type": "content_block_delta", "index": self._index, "delta": delta}, tokens)

    def _end(self, finish: Finish) -> Iterator[Step]:
        reason = _REASONS.get(finish.reason or "", finish.reason)
        yield from self._close(cut=reason == "max_tokens")
        details = {"stop_details": {"type": "refusal", "category": None, "explanation": finish.message}} if finish.message else {}
        ran_code = any(isinstance(item, ProviderTool) and item.tool == "code_execution" for item in self._items)
        container = {"container": {"id": "container_1", "expires_at": "2026-11-21T13:00:00Z"}} if ran_code else {}
        delta = {"stop_reason": reason, "stop_sequence": None, **details, **container}
        usage = {"usage": self._usage()} if self._scripted_usage.reported else {}
        yield Event({"type": "message_delta", "delta": delta, **usage}, 0)
        yield Event({"type": "message_stop"}, 0)

    def _usage(self) -> dict[str, Any]:
        """Return the usage. On this wire `output_tokens` includes thinking; the script's number does not."""
        output = self._output if self._scripted_usage.output_tokens is None else self._scripted_usage.output_tokens
        thinking = self._thinking if self._scripted_usage.thinking_tokens is None else self._scripted_usage.thinking_tokens
        searches = sum(isinstance(item, ProviderTool) and item.tool == "web_search" for item in self._items)
        server_usage = {"server_tool_use": {"web_search_requests": searches}} if searches else {}
        return {
            "output_tokens": output + thinking,
            **server_usage,
            **({"output_tokens_details": {"thinking_tokens": thinking}} if thinking else {}),
        }
