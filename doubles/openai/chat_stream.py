"""Converts an answer's items into the chunks of a Chat Completions stream.

Sources: https://developers.openai.com/api/reference/resources/chat/subresources/completions/streaming-events; for the servers' quirks,
the documentation of vLLM, llama.cpp, Ollama and DeepSeek.
"""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Iterator
from typing import Any

import orjson

from doubles.openai.errors import status_error
from doubles.openai.player import Frame, Step
from doubles.openai.quirks import ServerQuirks
from doubles.openai.responses_items import arguments_text
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

STOP = "stop"
_MALFORMED = b'data: {"id": "chatcmpl-1", "choices": [{"delta"\n\n'
_DONE = b"data: [DONE]\n\n"


class ChatStream:
    """One answer. Iterate `steps` once; then `completion` is the response without streaming."""

    def __init__(self, answer: Answer, request: ReceivedRequest, quirks: ServerQuirks) -> None:
        body = request.body
        limit = body.get("max_completion_tokens") or body.get("max_tokens")
        self._items = answer.items
        self._quirks = quirks
        self._counter = TokenCounter(answer, [body["messages"], body.get("tools")], limit)
        wants_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        self._sends_usage = (wants_usage or quirks.always_sends_usage) and self._counter.is_reported
        self._identity = {"id": f"chatcmpl-{uuid.uuid4().hex}", "created": int(time.time()), "model": request.model}
        self._message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
        self._finish: str | None = STOP

    def steps(self) -> Iterator[Step]:
        if self._quirks.sends_bom:
            yield Frame(b"\xef\xbb\xbf")
        yield self._delta({"role": "assistant", "content": ""})
        has_calls = any(isinstance(item, Call) for item in self._items)
        default = Finish(self._quirks.call_finish_reason if has_calls else STOP)
        self._finish = next((item for item in self._items if isinstance(item, Finish)), default).reason
        for item in self._items:
            for step in self._step(item):
                yield step
                if isinstance(step, Fault):
                    return
            if isinstance(item, Fault) and item.kind == "mid_stream_error":
                return
            if self._counter.is_over_limit:
                self._finish = "length"
                break
        yield from self._end()

    @property
    def completion(self) -> dict[str, Any]:
        choice = {"index": 0, "message": self._message, "finish_reason": self._finish}
        return {"object": "chat.completion", **self._identity, "choices": [choice], "usage": _usage(self._counter)}

    def _step(self, item: Item) -> Iterator[Step]:
        match item:
            case Thought():
                yield from self._thought(item)
            case Refusal():
                yield from self._texts(item, "refusal")
            case Text():
                yield from self._texts(item, "content")
            case ProviderTool():
                return  # this API has none
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
        if self._quirks.reasoning_field != "tags":
            yield from self._texts(item, self._quirks.reasoning_field, thinking=True)
            return
        tagged_text = Text(f"<think>\n{item.text}\n</think>\n\n", _tagged_pieces(item))
        yield from self._texts(tagged_text, "content", thinking=True)

    def _texts(self, item: Text, field: str, *, thinking: bool = False) -> Iterator[Step]:
        """Yield a text. With `field` "" its tokens count, but it is not shown."""
        for piece in item.chunks():
            tokens = self._counter.add(piece, thinking=thinking)
            if self._counter.is_over_limit:
                return
            if field:
                self._message[field] = (self._message.get(field) or "") + piece
                parts = [{"type": "text", "text": piece}]
                yield self._delta({field: parts if field == "content" and self._quirks.content_parts else piece}, tokens)
        if isinstance(item, CitedText) and self._quirks.sends_citations:
            pages = [{"type": "url_citation", "url_citation": {"url": url, "title": title}} for url, title in item.pages]
            yield self._delta({"annotations": pages})

    def _picture(self, item: Picture) -> Iterator[Step]:
        """Yield an image in OpenRouter's form; OpenAI's own API has no such field.

        Source: https://openrouter.ai/docs/guides/overview/multimodal/image-generation.
        """
        if item.draft or not self._quirks.images:
            return
        url = f"data:{item.media_type};base64,{base64.b64encode(item.data).decode()}"
        images = self._message.setdefault("images", [])
        images.append({"type": "image_url", "image_url": {"url": url}, "index": len(images)})
        yield self._delta({"role": "assistant", "content": "", "images": images[-1:]})

    def _call(self, item: Call) -> Iterator[Step]:
        text = arguments_text(item)
        index = len(self._message.setdefault("tool_calls", []))
        given_id = f"call_{uuid.uuid4().hex[:24]}" if item.id is None else item.id
        head = {"index": index, "type": "function"} | ({"id": given_id} if self._quirks.call_ids else {})
        arguments = orjson.loads(text) if self._quirks.object_arguments else text
        whole = {**head, "function": {"name": item.name, "arguments": arguments}}
        self._message["tool_calls"].append({name: value for name, value in whole.items() if name != "index"})
        if self._quirks.calls_in_one_delta or self._quirks.object_arguments:
            yield self._delta({"tool_calls": [whole]}, self._counter.add(text))
            return
        yield self._delta({"tool_calls": [{**head, "function": {"name": item.name, "arguments": ""}}]})
        for piece in split_tokens(text):
            tokens = self._counter.add(piece)
            if self._counter.is_over_limit:
                return
            yield self._delta({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, tokens)

    def _fault(self, fault: Fault) -> Iterator[Step]:
        match fault.kind:
            case "malformed":
                yield Frame(_MALFORMED)
            case "sse_comment":
                yield Frame(f": {fault.message}\n\n".encode())
            case "mid_stream_error":
                yield Frame(b"data: " + orjson.dumps(status_error(fault).body) + b"\n\n")
            case _:
                yield fault

    def _end(self) -> Iterator[Step]:
        if self._finish is not None:
            yield self._delta({}, finish_reason=self._finish)
        if self._sends_usage:
            yield self._chunk([], usage=_usage(self._counter))
        if self._quirks.sends_done:
            yield Frame(_DONE)

    def _delta(self, delta: dict[str, Any], tokens: int = 0, *, finish_reason: str | None = None) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        other = [{**choice, "index": 1, "delta": {"content": "other"}}] if self._quirks.other_choices else []
        return self._chunk([*other, choice], tokens)

    def _chunk(self, choices: list[dict[str, Any]], tokens: int = 0, **more: Any) -> Frame:
        payload = {"object": "chat.completion.chunk", **self._identity, "choices": choices, **more}
        if self._sends_usage and "usage" not in more:
            payload["usage"] = None
        return Frame(b"data: " + orjson.dumps(payload) + b"\n\n", tokens, _usage(self._counter))


def _tagged_pieces(item: Thought) -> list[str]:
    """Return the pieces of the thought between its tags, which are cut in two."""
    return ["<thi", "nk>\n", *item.chunks(), "\n</th", "ink>\n", "\n"]


def _usage(counter: TokenCounter) -> dict[str, Any]:
    return {
        "prompt_tokens": counter.input,
        "completion_tokens": counter.output,
        "total_tokens": counter.input + counter.output,
        "prompt_tokens_details": {"cached_tokens": counter.cached, "cache_write_tokens": counter.cache_writes, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": counter.thinking, "audio_tokens": 0},
    }
