"""The Gemini API's JSON to and from engine types: pure functions on wire JSON, which is kept verbatim where it must go back.

Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, assert_never

from agents.engine.errors import AnswerCut, ContentBlocked
from agents.engine.messages import (
    ArtifactReference,
    AssistantText,
    Entry,
    Extras,
    FinishReason,
    ModelResponse,
    Notice,
    Reasoning,
    ReasoningDelta,
    Reminder,
    ResponseEntry,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)

Part = dict[str, Any]
Turn = Literal["user", "model", "results"]

# A part with other keys carries something (a signature) that engine types do not hold.
NEUTRAL_KEYS = frozenset({"text", "thought", "functionCall"})

_FINISH_REASONS: Mapping[str, FinishReason] = {
    "STOP": FinishReason.STOP,
    "MAX_TOKENS": FinishReason.LENGTH,
    "CONTINUATION": FinishReason.LENGTH,
    "SAFETY": FinishReason.CONTENT_FILTER,
    "RECITATION": FinishReason.CONTENT_FILTER,
    "BLOCKLIST": FinishReason.CONTENT_FILTER,
    "PROHIBITED_CONTENT": FinishReason.CONTENT_FILTER,
    "SPII": FinishReason.CONTENT_FILTER,
}


def contents_of(entries: Iterable[Entry], provider: str, model: str) -> list[dict[str, Any]]:
    """The request's `contents`: consecutive entries of one side are one content, the results of a step's calls their own.

    Reasoning goes back only with its signatures: a summary alone is for people.
    """
    contents = []
    for turn, group in groupby(entries, key=_turn):
        parts = [part for entry in group for part in _parts(entry, provider, model)]
        if parts:
            contents.append({"role": "model" if turn == "model" else "user", "parts": parts})
    return contents


def _turn(entry: Entry) -> Turn:
    match entry:
        case AssistantText() | Reasoning() | ToolCall():
            return "model"
        case ToolResult():
            return "results"
        case _:
            return "user"


def _parts(entry: Entry, provider: str, model: str) -> list[Part]:
    match entry:
        case UserMessage(text=text):
            return [{"text": text}]
        case Reminder(text=text):
            return [{"text": f"<reminder>\n{text}\n</reminder>"}]
        case AssistantText(text=text):
            return _verbatim(entry.extras, provider, model) or ([{"text": text}] if text else [])
        case Reasoning():
            return _verbatim(entry.extras, provider, model)
        case ToolCall(id=call_id, name=name, arguments=arguments):
            parts = _verbatim(entry.extras, provider, model) or [{"functionCall": {"name": name, "args": dict(arguments)}}]
            return [_with_call_id(part, call_id) for part in parts]
        case ToolResult(call_id=call_id, name=name, output=output, is_error=is_error):
            return [{"functionResponse": {"id": call_id, "name": name, "response": {"error" if is_error else "output": output}}}]
        case ArtifactReference() | Notice():
            return []
        case _:
            assert_never(entry)


def _verbatim(extras: Extras | None, provider: str, model: str) -> list[Part]:
    """The parts as they came; none when another model made them, for which they are no use or an error."""
    if extras is None or (extras.get("provider"), extras.get("model")) != (provider, model):
        return []
    return list(extras["parts"])


def _with_call_id(part: Part, call_id: str) -> Part:
    """The engine may have renamed a call; its result names it the same way."""
    return {**part, "functionCall": {**part["functionCall"], "id": call_id}} if "functionCall" in part else part


class AnswerAssembler:
    """Puts a stream's chunks together: deltas at once, the whole response at the end."""

    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model
        self._drafts: list[_Draft] = []
        self._silent: list[Part] = []
        self._finish_reason = ""
        self._block_reason = ""
        self._usage: Mapping[str, int] = {}
        self._model_version = ""

    def add(self, chunk: Mapping[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """What `chunk` shows, in order."""
        self._usage = chunk.get("usageMetadata") or self._usage  # cumulative
        self._model_version = chunk.get("modelVersion") or self._model_version
        self._block_reason = (chunk.get("promptFeedback") or {}).get("blockReason") or self._block_reason
        candidates = chunk.get("candidates")
        if not candidates:
            return []
        self._finish_reason = candidates[0].get("finishReason") or self._finish_reason
        parts = (candidates[0].get("content") or {}).get("parts") or []
        return [delta for part in parts if (delta := self._add_part(part))]

    def _add_part(self, part: Part) -> TextDelta | ReasoningDelta | None:
        if "functionCall" in part:
            self._begin("call").add(part)
        elif part.get("text"):
            kind: _Kind = "reasoning" if part.get("thought") else "text"
            same = self._drafts and self._drafts[-1].kind == kind
            (self._drafts[-1] if same else self._begin(kind)).add(part)
            return ReasoningDelta(part["text"]) if kind == "reasoning" else TextDelta(part["text"])
        elif part.keys() - NEUTRAL_KEYS:
            # Nothing to show, but it must go back where it came from: a signature on a part with empty text, say.
            (self._drafts[-1].add if self._drafts else self._silent.append)(part)
        return None

    def _begin(self, kind: _Kind) -> _Draft:
        draft = _Draft(kind, self._silent)
        self._silent = []
        self._drafts.append(draft)
        return draft

    def response(self) -> ModelResponse:
        """The whole answer. Raises ContentBlocked, and AnswerCut when the provider's end mark is missing."""
        if self._block_reason and not self._finish_reason:
            raise ContentBlocked("The provider's safety filter blocked this message.")
        if not self._finish_reason:
            raise AnswerCut("The answer ended before it was complete.")
        if self._silent:
            self._begin("text")
        return ModelResponse(
            tuple(draft.entry(self._provider, self._model) for draft in self._drafts),
            self._reason(),
            usage_of(self._usage),
            self._model_version,
        )

    def _reason(self) -> FinishReason:
        reason = _FINISH_REASONS.get(self._finish_reason, FinishReason.OTHER)
        asks = any(draft.kind == "call" for draft in self._drafts)
        return FinishReason.TOOL_CALLS if asks and reason is FinishReason.STOP else reason


_Kind = Literal["text", "reasoning", "call"]


class _Draft:
    """The parts of one entry to be; plain text in pieces is one part, every other part stays as it came."""

    def __init__(self, kind: _Kind, parts: Sequence[Part]) -> None:
        self.kind = kind
        self._parts: list[Part] = list(parts)
        self._pieces: list[str] = []

    def add(self, part: Part) -> None:
        if self.kind != "call" and "text" in part and not part.keys() - NEUTRAL_KEYS:
            self._pieces.append(part["text"])
        else:
            self._join_pieces()
            self._parts.append(part)

    def _join_pieces(self) -> None:
        if self._pieces:
            text = "".join(self._pieces)
            self._parts.append({"thought": True, "text": text} if self.kind == "reasoning" else {"text": text})
            self._pieces.clear()

    def entry(self, provider: str, model: str) -> ResponseEntry:
        self._join_pieces()
        carries_more = any(part.keys() - NEUTRAL_KEYS for part in self._parts)
        extras = {"provider": provider, "model": model, "parts": self._parts} if carries_more else None
        if self.kind == "call":
            call = next(part["functionCall"] for part in self._parts if "functionCall" in part)
            return ToolCall(call.get("id") or "", call["name"], call.get("args") or {}, extras)
        text = "".join(part.get("text", "") for part in self._parts)
        return Reasoning(text, extras) if self.kind == "reasoning" else AssistantText(text, extras)


def usage_of(usage: Mapping[str, int]) -> Usage:
    """Of `usageMetadata`; candidates are counted without thoughts there."""
    return Usage(
        input_tokens=usage.get("promptTokenCount", 0) + usage.get("toolUsePromptTokenCount", 0),
        output_tokens=usage.get("candidatesTokenCount", 0),
        thinking_tokens=usage.get("thoughtsTokenCount", 0),
        cached_tokens=usage.get("cachedContentTokenCount", 0),
    )
