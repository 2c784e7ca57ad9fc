"""Converts answers of the Gemini API into engine types.

Parts that must go back to the API are kept verbatim. Input may be malformed in any way: docs/engine.md, "Bad input", lists the outcomes.
Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from agents.errors import AnswerCut, ContentBlocked, ProviderUnavailable
from agents.messages import (
    AnswerEvent,
    AnswerFile,
    AssistantText,
    FinishReason,
    ModelResponse,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    ResponseEntry,
    TextDelta,
    ToolCall,
    Usage,
)
from agents.providers.errors import UNREADABLE
from agents.providers.google.contents import Part
from agents.providers.google.model_traits import bills_each_query
from agents.providers.google.server_tools import GroundingMetadata, is_server_part, server_calls

# A part with other keys carries something (a signature) that engine types cannot hold.
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
    "IMAGE_SAFETY": FinishReason.CONTENT_FILTER,
    "IMAGE_PROHIBITED_CONTENT": FinishReason.CONTENT_FILTER,
    "IMAGE_RECITATION": FinishReason.CONTENT_FILTER,
    "MODEL_ARMOR": FinishReason.CONTENT_FILTER,
    "ESCALATION": FinishReason.CONTENT_FILTER,
}
# The API discarded a call that the model wrote; the answer then often has no content.
_CALL_PROBLEMS: Mapping[str, str] = {
    "MALFORMED_FUNCTION_CALL": "it was not valid JSON",
    "UNEXPECTED_TOOL_CALL": "there is no such tool, or calling tools is not allowed now",
}
NO_REASON = "FINISH_REASON_UNSPECIFIED"  # the default value in proto JSON; gateways send it with every chunk
MAX_MESSAGE_CHARS = 300  # of the API's own message, which quotes the call


class GenerateContentAssembler:
    """Assembles a stream's chunks: deltas immediately, the API's own tools when they finish, the complete response at the end."""

    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model
        self._drafts: list[_Draft] = []
        self._pending_parts: list[Part] = []
        self._has_calls = False
        self._finished_server_calls: list[ProviderToolCall] = []
        self._metadata = GroundingMetadata()
        self._finish_reason = ""
        self._finish_message = ""
        self._block_reason = ""
        self._call_problem = ""
        self._usage: Mapping[str, Any] = {}
        self.model_version = ""

    @property
    def usages(self) -> tuple[Usage, ...]:
        """See Assembler."""
        return (usage_of(self._usage, self._searches()),)

    def add(self, chunk: Mapping[str, Any]) -> list[AnswerEvent]:
        """Return what `chunk` adds to the visible answer, in order.

        Whatever follows a tool call in the same answer comes with the response only; shown immediately, it would appear before the call.
        Raises ProviderUnavailable when the chunk is malformed.
        """
        try:
            self._usage = _object(chunk.get("usageMetadata")) or self._usage  # cumulative
            self.model_version = str(chunk.get("modelVersion") or self.model_version)
            if "promptFeedback" in chunk:
                self._block_reason = _object(chunk["promptFeedback"]).get("blockReason") or self._block_reason
            parts = self._candidate_parts(chunk.get("candidates") or [])
            return self._events_of(parts)
        except (AttributeError, KeyError, TypeError) as error:
            raise ProviderUnavailable(UNREADABLE) from error

    def _candidate_parts(self, candidates: Sequence[Mapping[str, Any]]) -> list[Part]:
        if not candidates:
            return []
        candidate = candidates[0]
        reason = candidate.get("finishReason")
        if reason and reason != NO_REASON:
            self._finish_reason = str(reason)
            self._finish_message = str(candidate.get("finishMessage") or "")
        if "groundingMetadata" in candidate or "urlContextMetadata" in candidate:
            self._metadata.add(candidate)
        return _object(candidate.get("content")).get("parts") or []

    def _events_of(self, parts: Sequence[Part]) -> list[AnswerEvent]:
        events: list[AnswerEvent] = []
        for part in parts:
            delta = self._add_part(part)
            if self._finished_server_calls:  # a server call is complete when another part begins
                events += self._finished_server_calls
                self._finished_server_calls = []
            if delta:
                events.append(delta)
        return events

    def _add_part(self, part: Part) -> AnswerEvent | None:
        if "inlineData" in part:
            return self._add_file(part)
        if "functionCall" in part:
            self._call_problem = self._call_problem or _problem_of(part["functionCall"])
            self._begin("call").add(part)
        elif part.get("text"):
            return self._add_text(part, "reasoning" if part.get("thought") else "text")
        elif is_server_part(part):
            runs = bool(self._drafts) and self._drafts[-1].kind == "server"
            (self._drafts[-1] if runs else self._begin("server")).add(part)
        elif part.keys() - NEUTRAL_KEYS:
            # Nothing to show, but it must go back at its place, such as a signature on a part with empty text.
            (self._drafts[-1].add if self._drafts else self._pending_parts.append)(part)
        return None

    def _add_file(self, part: Part) -> AnswerFile | None:
        """Add a file. An image drawn while thinking is a draft of the final one, and does not go back."""
        if part.get("thought"):
            return None
        draft = self._begin("file")
        draft.add(part)
        file = draft.file(self._provider, self._model)  # also when it comes with the response only: this checks its shape
        return None if self._has_calls else file

    def _add_text(self, part: Part, kind: _Kind) -> TextDelta | ReasoningDelta | None:
        if not isinstance(text := part["text"], str):
            raise TypeError
        same = self._drafts and self._drafts[-1].kind == kind
        (self._drafts[-1] if same else self._begin(kind)).add(part)
        if self._has_calls:
            return None
        return ReasoningDelta(text) if kind == "reasoning" else TextDelta(text)

    def _begin(self, kind: _Kind) -> _Draft:
        if self._drafts and self._drafts[-1].kind == "server" and not self._has_calls:
            self._finished_server_calls = self._drafts[-1].server_calls(self._provider, self._model)
        draft = _Draft(kind, self._pending_parts)
        self._pending_parts = []
        self._drafts.append(draft)
        self._has_calls = self._has_calls or kind == "call"
        return draft

    def response(self) -> ModelResponse:
        """Return the complete answer. Raises ContentBlocked, and AnswerCut when the provider's end marker is missing."""
        if self._block_reason and not self._finish_reason:
            raise ContentBlocked("The provider's safety filter blocked this message.")
        if not self._finish_reason:
            raise AnswerCut("The answer was cut off.")
        if self._pending_parts:
            self._begin("text")
        malformed_call = self._malformed_call()
        # One unreadable call drops the others: they may depend on it, and the first call's signature covers all of them.
        drafts = [draft for draft in self._drafts if not (malformed_call and draft.kind == "call")]
        return ModelResponse(
            self._entries(drafts),
            FinishReason.OTHER if malformed_call else self._reason(),
            usage_of(self._usage, self._searches()),
            self.model_version,
            malformed_call=malformed_call,
            prompt_tokens=_count(self._usage, "promptTokenCount") if self._usage.get("toolUsePromptTokenCount") else None,
        )

    def _searches(self) -> int:
        """Return how many searches are billed (https://ai.google.dev/gemini-api/docs/pricing): each query, and until Gemini 2.5 a prompt that searched."""
        queries = self._metadata.query_count
        return queries if bills_each_query(self._model) else min(queries, 1)

    def _entries(self, drafts: Sequence[_Draft]) -> tuple[ResponseEntry, ...]:
        entries = [entry for draft in drafts for entry in draft.entries(self._provider, self._model)]
        tool_names = {entry.name for entry in entries if isinstance(entry, ProviderToolCall)}
        return (*entries, *self._metadata.entries(tool_names))

    def _malformed_call(self) -> str:
        """Return what was wrong with a call, as a sentence for the model; "" for nothing."""
        problem = _CALL_PROBLEMS.get(self._finish_reason) or self._call_problem
        words = " ".join(self._finish_message.split())[:MAX_MESSAGE_CHARS]
        if not problem:
            return ""
        return f"{problem} ({words})." if words else f"{problem}."

    def _reason(self) -> FinishReason:
        reason = _FINISH_REASONS.get(self._finish_reason, FinishReason.OTHER)
        return FinishReason.TOOL_CALLS if self._has_calls and reason is FinishReason.STOP else reason


def _object(value: Any) -> Mapping[str, Any]:
    """Return `value`, or {} for null. Raises TypeError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError
    return value


def _problem_of(call: Any) -> str:
    """Return what makes a functionCall unusable; "" for nothing."""
    if not isinstance(call, dict) or not isinstance(call.get("name"), str) or not call["name"]:
        return "it named no tool"
    return "" if isinstance(call.get("args"), dict | None) else f"the arguments of {call['name']} were no JSON object"


_Kind = Literal["text", "reasoning", "call", "server", "file"]


class _Draft:
    """The parts of one future entry, or of consecutive server tools. Pieces of plain text are joined, other parts stay unchanged."""

    def __init__(self, kind: _Kind, parts: Sequence[Part]) -> None:
        self.kind = kind
        self._parts: list[Part] = list(parts)
        self._pieces: list[str] = []

    def add(self, part: Part) -> None:
        if self.kind in ("text", "reasoning") and "text" in part and NEUTRAL_KEYS.issuperset(part):
            self._pieces.append(part["text"])
        else:
            self._join_pieces()
            self._parts.append(part)

    def _join_pieces(self) -> None:
        if self._pieces:
            text = "".join(self._pieces)
            self._parts.append({"thought": True, "text": text} if self.kind == "reasoning" else {"text": text})
            self._pieces.clear()

    def entries(self, provider: str, model: str) -> Sequence[ResponseEntry]:
        return self.server_calls(provider, model) if self.kind == "server" else [self._entry(provider, model)]

    def server_calls(self, provider: str, model: str) -> list[ProviderToolCall]:
        return server_calls(self._parts, lambda parts: {"provider": provider, "model": model, "parts": list(parts)})

    def file(self, provider: str, model: str) -> AnswerFile:
        """Return the file; the part that goes back keeps no bytes. Raises TypeError or KeyError for a malformed part."""
        content = next(part["inlineData"] for part in self._parts if "inlineData" in part)
        media_type, bytes_base64 = content["mimeType"], content["data"]
        if not isinstance(media_type, str) or not isinstance(bytes_base64, str):
            raise TypeError
        parts = [{**part, "inlineData": {"mimeType": media_type}} if "inlineData" in part else part for part in self._parts]
        provider_metadata = {"provider": provider, "model": model, "parts": parts}
        return AnswerFile("", "", media_type, provider_metadata=provider_metadata, unsaved_base64=bytes_base64)

    def _entry(self, provider: str, model: str) -> ResponseEntry:
        if self.kind == "file":
            return self.file(provider, model)
        self._join_pieces()
        carries_more = any(part.keys() - NEUTRAL_KEYS for part in self._parts)
        provider_metadata = {"provider": provider, "model": model, "parts": self._parts} if carries_more else None
        if self.kind == "call":
            call = next(part["functionCall"] for part in self._parts if "functionCall" in part)
            return ToolCall(str(call.get("id") or ""), call["name"], call.get("args") or {}, provider_metadata)
        text = "".join(part.get("text", "") for part in self._parts)
        return Reasoning(text, provider_metadata) if self.kind == "reasoning" else AssistantText(text, provider_metadata)


def usage_of(usage: Mapping[str, Any], searches: int = 0) -> Usage:
    """Convert `usageMetadata`, which counts candidates without thoughts, and no searches. Missing numbers count as 0."""
    details = usage.get("candidatesTokensDetails")
    pictures = [one for one in details if isinstance(one, Mapping) and one.get("modality") == "IMAGE"] if isinstance(details, list) else []
    return Usage(
        input_tokens=_count(usage, "promptTokenCount") + _count(usage, "toolUsePromptTokenCount"),
        output_tokens=_count(usage, "candidatesTokenCount"),
        thinking_tokens=_count(usage, "thoughtsTokenCount"),
        cached_tokens=_count(usage, "cachedContentTokenCount"),
        tool_tokens=_count(usage, "toolUsePromptTokenCount"),
        image_tokens=sum(_count(one, "tokenCount") for one in pictures),
        searches=searches,
    )


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) else 0
