"""Converts an answer's items into the chunks (GenerateContentResponse) of a Gemini stream."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson

from doubles.gemini.models import OUTPUT_TOKEN_LIMIT, model_profile
from doubles.gemini.request import thinks, wants_thoughts
from doubles.gemini.server_tools import ServerTools
from doubles.gemini.signatures import sign
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
)
from doubles.signals import Gate

IMAGE_TOKENS = 1290  # of an image that the model makes; https://ai.google.dev/gemini-api/docs/pricing
FILE_TOKENS = 258  # of a small image or one page
# Faults after which no chunk follows.
ENDING_FAULTS = ("cut", "drop", "reset", "silence", "mid_stream_error")


@dataclass(frozen=True)
class Chunk:
    """One chunk of the stream."""

    payload: dict[str, Any]
    tokens: int  # counted for pacing

    def encode(self) -> bytes:
        return b"data: " + orjson.dumps(self.payload) + b"\r\n\r\n"


Step = Chunk | Pause | Gate | Fault


def count_tokens(text: str) -> int:
    """Estimate the number of tokens: one per four characters, at least one for any text."""
    return max(1, round(len(text) / 4)) if text else 0


def render(answer: Answer, request: ReceivedRequest) -> list[Step]:
    """Return the complete stream, in order. It ends with the finish chunk, unless a fault ends it earlier."""
    return list(_Stream(answer, request).steps())


def whole_response(steps: Iterable[Step]) -> dict[str, Any]:
    """Return the answer of :generateContent: the chunks merged into one."""
    payloads = [step.payload for step in steps if isinstance(step, Chunk)]
    parts = [part for payload in payloads for part in payload["candidates"][0].get("content", {}).get("parts", [])]
    last = payloads[-1]
    candidate = last["candidates"][0] | {"content": {"parts": _merge_parts(parts), "role": "model"}}
    return last | {"candidates": [candidate]}


def blocked_response(fault: Fault, request: ReceivedRequest) -> dict[str, Any]:
    """Return an answer without candidates: the prompt was blocked."""
    prompt_tokens = _prompt_tokens(request)
    return {
        "promptFeedback": {"blockReason": fault.reason},
        "usageMetadata": {"promptTokenCount": prompt_tokens, "totalTokenCount": prompt_tokens},
        "modelVersion": request.model,
        "responseId": uuid.uuid4().hex,
    }


def _merge_parts(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for part in parts:
        before = result[-1] if result else {}
        joins = "text" in part and "text" in before and part.get("thought") == before.get("thought") and "thoughtSignature" not in before
        if joins:
            result[-1] = before | part | {"text": before["text"] + part["text"]}
        elif part.get("text") != "" or "thoughtSignature" in part:
            result.append(part)
    return result


def _prompt_tokens(request: ReceivedRequest) -> int:
    body = request.body
    files = [part for content in body["contents"] for part in content["parts"] if "inlineData" in part]
    texts = [[part for part in content["parts"] if "inlineData" not in part] for content in body["contents"]]
    prompt = [body.get("systemInstruction"), texts, body.get("tools")]
    return count_tokens(orjson.dumps(prompt).decode()) + FILE_TOKENS * len(files)


class _Stream:
    """Builds one stream and counts its usage."""

    def __init__(self, answer: Answer, request: ReceivedRequest) -> None:
        self._items = answer.items
        self._request = request
        self._model = model_profile(request.model)
        self._shows_thoughts = wants_thoughts(request.body)
        self._signs = self._model.needs_signatures or (thinks(request) and bool(request.tool_names))
        self._scripted_usage = next((item for item in self._items if isinstance(item, Usage)), Usage())
        self._input = _prompt_tokens(request) if self._scripted_usage.input_tokens is None else self._scripted_usage.input_tokens
        self._output = 0
        self._thinking = 0
        self._has_called = False
        self._text_before = ""
        self._server = ServerTools(request.body, self._model)
        self._limit = request.body.get("generationConfig", {}).get("maxOutputTokens") or OUTPUT_TOKEN_LIMIT
        self._identity = {"modelVersion": request.model, "responseId": uuid.uuid4().hex}

    def steps(self) -> Iterable[Step]:
        finish = next((item for item in self._items if isinstance(item, Finish)), Finish("STOP"))
        for step in self._content():
            if isinstance(step, Chunk) and self._output + self._thinking > self._limit:
                finish = Finish("MAX_TOKENS")
                break
            yield step
            if isinstance(step, Fault) and step.kind in ENDING_FAULTS:
                return
        yield self._end(finish)

    def _content(self) -> Iterable[Step]:
        for is_call, group in groupby(self._items, lambda item: isinstance(item, Call)):
            if is_call:
                yield self._calls([item for item in group if isinstance(item, Call)])
            else:
                for item in group:
                    yield from self._step(item)

    def _step(self, item: Item) -> Iterable[Step]:
        match item:
            case Thought():
                yield from self._thoughts(item)
            case Text():
                for piece in item.chunks():
                    self._output += count_tokens(piece)
                    yield self._chunk([{"text": piece}], count_tokens(piece))
                self._text_before += item.text
                if isinstance(item, CitedText):
                    self._server.cite(item, self._text_before)
            case ProviderTool():
                for part in self._server.run(item):
                    yield self._chunk([part], 1)
            case Picture():
                yield from self._picture(item)
            case Pause() | Gate() | Fault():
                yield item
            case Usage() | Finish() | Call():
                return

    def _thoughts(self, item: Thought) -> Iterable[Step]:
        """Yield thoughts, none when the request switched thinking off. They are billed whether they are shown or not."""
        for piece in item.chunks() if thinks(self._request) else ():
            self._thinking += count_tokens(piece)
            if self._shows_thoughts:
                yield self._chunk([{"text": piece, "thought": True}], count_tokens(piece))

    def _picture(self, item: Picture) -> Iterable[Step]:
        """Yield an image. Drafts made while thinking have no signature.

        Source: https://ai.google.dev/gemini-api/docs/image-generation.
        """
        part: dict[str, Any] = {"inlineData": {"mimeType": item.media_type, "data": base64.b64encode(item.data).decode()}}
        if item.draft:
            self._thinking += IMAGE_TOKENS
            if self._shows_thoughts:
                yield self._chunk([part | {"thought": True}], 1)
            return
        self._output += IMAGE_TOKENS
        signature = {"thoughtSignature": sign(part, self._model.name)} if self._model.needs_signatures else {}
        yield self._chunk([part | signature], 1)

    def _calls(self, items: Sequence[Call]) -> Chunk:
        parts: list[dict[str, Any]] = []
        for item in items:
            arguments = dict(item.arguments) if isinstance(item.arguments, Mapping) else item.arguments
            call = {"id": item.id or uuid.uuid4().hex[:16], "name": item.name, "args": arguments}
            parts.append({"functionCall": call})
        if self._signs and not self._has_called:
            parts[0]["thoughtSignature"] = sign(parts[0], self._model.name)
        self._has_called = True
        tokens = count_tokens(orjson.dumps(parts).decode())
        self._output += tokens
        return self._chunk(parts, tokens)

    def _end(self, finish: Finish) -> Chunk:
        part: dict[str, Any] = {"text": ""}
        if self._model.needs_signatures and not self._has_called:
            part["thoughtSignature"] = sign(part, self._model.name)
        usage = self._scripted_usage
        self._output = self._output if usage.output_tokens is None else usage.output_tokens
        self._thinking = self._thinking if usage.thinking_tokens is None else usage.thinking_tokens
        why = {"finishReason": finish.reason, "finishMessage": finish.message, **self._server.metadata()}
        return self._chunk([] if finish.bare else [part], 0, {name: value for name, value in why.items() if value})

    def _chunk(self, parts: list[dict[str, Any]], tokens: int, extra: Mapping[str, Any] | None = None) -> Chunk:
        content = {"content": {"parts": parts, "role": "model"}} if parts else {}
        usage = {"usageMetadata": self._usage()} if self._scripted_usage.reported else {}
        return Chunk({"candidates": [{**content, "index": 0, **(extra or {})}], **usage, **self._identity}, tokens)

    def _usage(self) -> dict[str, Any]:
        usage: dict[str, Any] = {"promptTokenCount": self._input}
        if self._output:
            usage["candidatesTokenCount"] = self._output
        if self._thinking:
            usage["thoughtsTokenCount"] = self._thinking
        if self._scripted_usage.cached_tokens:
            usage["cachedContentTokenCount"] = self._scripted_usage.cached_tokens
        return usage | {"totalTokenCount": self._input + self._output + self._thinking}
