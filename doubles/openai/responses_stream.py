"""Converts an answer's items into the events of a Responses stream.

Source: https://developers.openai.com/api/reference/resources/responses/streaming-events.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any

import orjson

from doubles.openai.encrypted_reasoning import ContentOwner, encrypt, item_id_after
from doubles.openai.errors import status_error
from doubles.openai.models import model_profile
from doubles.openai.player import Frame, Step
from doubles.openai.quirks import ServerQuirks
from doubles.openai.responses_items import (
    FunctionCallItem,
    HostedItem,
    ImageItem,
    MessageItem,
    OpenItem,
    ReasoningItem,
    arguments_text,
)
from doubles.openai.responses_request import includes, offers, reasons, wants_encrypted, wants_summary
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
    Refusal,
    Text,
    Thought,
    Usage,
    split_tokens,
)
from doubles.signals import Gate
from doubles.tokens import TokenCounter

COMPLETED = "completed"
# The tool's declaration, its item type, and the `include` value with its results.
_HOSTED = {
    "web_search": ("web_search", "web_search_call", "web_search_call.action.sources"),
    "code_execution": ("code_interpreter", "code_interpreter_call", "code_interpreter_call.outputs"),
}
_MALFORMED = b'event: response.output_text.delta\ndata: {"type": "response.output_text.delta", "delta\n\n'


class ResponsesStream:
    """One answer. Iterate `steps` once; then `response` is the complete response object, as without streaming."""

    def __init__(self, answer: Answer, request: ReceivedRequest, quirks: ServerQuirks) -> None:
        body = request.body
        self._quirks = quirks
        self._items = answer.items
        self._body = body
        self._owner = ContentOwner(request.model, request.key_hash)
        self._counter = TokenCounter(answer, [body.get("instructions"), body["input"], body.get("tools")], body.get("max_output_tokens"))
        self._thinks = reasons(body, model_profile(request.model))
        self._number = 0
        self._open: OpenItem | None = None
        self._reasoning_id: str | None = None
        self.response: dict[str, Any] = {
            "id": f"resp_{uuid.uuid4().hex}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "in_progress",
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "model": request.model,
            "output": [],
            "parallel_tool_calls": body.get("parallel_tool_calls", True),
            "reasoning": body.get("reasoning") or {"effort": None, "summary": None},
            "store": body.get("store", True),
            "tool_choice": body.get("tool_choice", "auto"),
            "tools": body.get("tools", []),
            "metadata": {},
            "usage": None,
        }

    def steps(self) -> Iterator[Step]:
        yield self._event("response.created", response=self.response)
        yield self._event("response.in_progress", response=self.response)
        finish = next((item.reason for item in self._items if isinstance(item, Finish)), COMPLETED)
        if self._thinks and not any(isinstance(item, Thought) for item in self._items):
            yield from self._begin(ReasoningItem(self))  # a reasoning model always has one, shown or not
        for item in self._items:
            for step in self._step(item):
                yield step
                if isinstance(step, Fault):
                    return
            if self._ends_stream(item):
                return
            if self._counter.is_over_limit:
                finish = "max_output_tokens"
                break
        yield from self._close("completed" if finish == COMPLETED else "incomplete")
        if finish is not None:
            yield self._end(finish)

    def _ends_stream(self, item: Item) -> bool:
        return isinstance(item, Fault) and item.kind in ("mid_stream_error", "failed")

    def _step(self, item: Item) -> Iterator[Step]:
        match item:
            case Thought():
                yield from self._thought(item)
            case Text():
                yield from self._text(item)
            case ProviderTool():
                yield from self._hosted_tool(item)
            case Picture():
                yield from self._picture(item)
            case Call():
                yield from self._call(item)
            case Fault():
                yield from self._fault(item)
            case Pause() | Gate():
                yield item
            case Usage() | Finish():
                return

    def _thought(self, item: Thought) -> Iterator[Step]:
        if not self._thinks:
            return
        if not isinstance(self._open, ReasoningItem):
            yield from self._begin(ReasoningItem(self))
        assert isinstance(self._open, ReasoningItem)
        has_summary = wants_summary(self._body)
        if has_summary:
            yield self._open.begin_part()
        for piece in item.chunks():
            tokens = self._counter.add(piece, thinking=True)
            if self._counter.is_over_limit:
                return
            if has_summary:
                yield self._open.delta(piece, tokens)
        if has_summary:
            yield from self._open.end_part()

    def _text(self, item: Text) -> Iterator[Step]:
        kind = "refusal" if isinstance(item, Refusal) else "output_text"
        if not (isinstance(self._open, MessageItem) and self._open.kind == kind):
            yield from self._begin(MessageItem(self, kind, self._phase()))
        assert isinstance(self._open, MessageItem)
        for piece in item.chunks():
            tokens = self._counter.add(piece)
            if self._counter.is_over_limit:
                return
            yield self._open.delta(piece, tokens)
        if isinstance(item, CitedText):
            yield from self._open.cite(item.pages)

    def _hosted_tool(self, item: ProviderTool) -> Iterator[Step]:
        """Yield a hosted tool's item, only when the request offers the tool."""
        tool_name, kind, include = _HOSTED.get(item.tool, ("", "", ""))
        if not offers(self._body, tool_name):
            return
        yield from self._begin(HostedItem(self, kind))
        assert isinstance(self._open, HostedItem)
        yield from self._open.run(item, include_results=includes(self._body, include))

    def _picture(self, item: Picture) -> Iterator[Step]:
        """Yield an image, only when the request offers the tool, and never while the model thinks."""
        if item.draft or not offers(self._body, "image_generation"):
            return
        yield from self._begin(ImageItem(self))
        assert isinstance(self._open, ImageItem)
        yield from self._open.make(item)

    def _call(self, item: Call) -> Iterator[Step]:
        yield from self._begin(FunctionCallItem(self, item))
        assert isinstance(self._open, FunctionCallItem)
        for piece in split_tokens(arguments_text(item)):
            tokens = self._counter.add(piece)
            if self._counter.is_over_limit:
                return
            yield self._open.delta(piece, tokens)

    def _fault(self, fault: Fault) -> Iterator[Step]:
        error = status_error(fault).error
        match fault.kind:
            case "malformed":
                yield Frame(_MALFORMED)
            case "sse_comment":
                yield Frame(f": {fault.message}\n\n".encode())
            case "mid_stream_error":
                yield self._event("error", code=error["code"], message=error["message"], param=None)
            case "failed":
                self.response |= {"status": "failed", "error": {"code": error["code"], "message": error["message"]}}
                yield self._event("response.failed", response=self.response)
            case _:
                yield fault

    def _phase(self) -> str | None:
        if not self._thinks:
            return None
        return "commentary" if any(isinstance(item, Call) for item in self._items) else "final_answer"

    def _begin(self, item: OpenItem) -> Iterator[Step]:
        yield from self._close("completed")
        self._open = item
        if isinstance(item, ReasoningItem):
            self._reasoning_id = item.id
        yield from item.begin()

    def _close(self, status: str) -> Iterator[Step]:
        if self._open:
            yield from self._open.end(status)
            self.response["output"].append(self._open.item)
        self._open = None

    def _end(self, finish: str) -> Frame:
        if self._counter.is_reported:
            self.response["usage"] = _usage(self._counter)
        if finish == COMPLETED:
            self.response["status"] = COMPLETED
            return self._event("response.completed", response=self.response)
        self.response |= {"status": "incomplete", "incomplete_details": {"reason": finish}}
        return self._event("response.incomplete", response=self.response)

    # The interface ItemStream, for the open item.

    @property
    def index(self) -> int:
        return len(self.response["output"])

    def new_id(self, prefix: str) -> str:
        return item_id_after(prefix, self._reasoning_id, self.index)

    def encrypted(self, item_id: str) -> str | None:
        return encrypt(item_id, self._owner) if wants_encrypted(self._body) else None

    def event(self, name: str, tokens: int = 0, /, **more: Any) -> Frame:
        """Return an event about the open item; nothing for a server that sends the output with the last event only."""
        if self._quirks.output_at_end:
            return Frame(b"", tokens)
        return self._event(name, tokens, output_index=self.index, **more)

    def _event(self, name: str, tokens: int = 0, /, **more: Any) -> Frame:
        payload = orjson.dumps({"type": name, "sequence_number": self._number, **more})
        self._number += 1
        return Frame(b"event: " + name.encode() + b"\ndata: " + payload + b"\n\n", tokens, _usage(self._counter))


def _usage(counter: TokenCounter) -> dict[str, Any]:
    return {
        "input_tokens": counter.input,
        "input_tokens_details": {"cached_tokens": counter.cached, "cache_write_tokens": counter.cache_writes},
        "output_tokens": counter.output,
        "output_tokens_details": {"reasoning_tokens": counter.thinking},
        "total_tokens": counter.input + counter.output,
    }
