"""What a visitor gets of an answer: its text, sources, plan, documents and notices, and of tool calls their names and states.

What tools were given and gave back, thinking, steps of sub-agents, files, models and costs stay with the organization. Only what
is named here leaves, so a new kind of chunk or part is private until somebody decides otherwise.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

import orjson
from django.utils.translation import gettext_lazy

from agents.errors import ProviderBusy, ProviderError, ProviderUnavailable, RequestRefused
from agents.runtime.page_state import TOOL_NAME as PAGE_TOOL
from chat.api.chat_requests import ContinuedRunStream
from chat.api.run_streams import RunStream
from chat.conversations.shapes import MessageItem

METADATA: Final = frozenset({"createdAt", "clientId", "feedback", "waiting"})
WHOLE: Final = frozenset(
    {
        *("start-step", "finish-step", "step-start", "abort", "text", "text-start", "text-delta", "text-end", "source-url"),
        *("steering-message", "data-plan", "data-suggestions", "data-client-output"),
    }
)
# What of the other chunks and parts goes out.
FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "start": frozenset({"messageId", "messageMetadata"}),
    "finish": frozenset({"finishReason", "messageMetadata"}),
    "error": frozenset({"errorText"}),
    "message-metadata": frozenset({"messageMetadata"}),
    "tool-input-start": frozenset({"toolCallId", "toolName", "dynamic"}),
    "tool-input-available": frozenset({"toolCallId", "toolName", "dynamic", "input", "providerExecuted", "toolMetadata"}),
    "tool-output-available": frozenset({"toolCallId", "dynamic", "output", "providerExecuted"}),
    "tool-output-error": frozenset({"toolCallId", "dynamic", "errorText", "providerExecuted"}),
    "tool-output-denied": frozenset({"toolCallId"}),
    "tool-approval-request": frozenset({"approvalId", "toolCallId"}),
    "tool-approval-response": frozenset({"approvalId", "approved"}),
    "dynamic-tool": frozenset(
        {"toolCallId", "toolName", "state", "input", "output", "errorText", "approval", "providerExecuted", "toolMetadata"}
    ),
    "data-notice": frozenset({"id", "data"}),
    "data-artifact": frozenset({"id", "data"}),
}
ARTIFACT: Final = frozenset({"id", "title", "kind", "status", "version", "operation"})  # its text is asked for (embed.api.views)
TOOLS_FOR_VISITORS: Final = frozenset({PAGE_TOOL, "message"})  # the page's own state, and what the agent writes to the reader
NO_ANSWER_HERE: Final = gettext_lazy("This chat can't answer right now. Please try again later.")
NOTICE: Final = frozenset({"code", "level", "text", "action", "retryAt"})  # no details, which quote
STOPPED_CODES: Final = frozenset({"stopped", "access_ended"})  # by which the page knows that an answer may be half
# Their texts name the provider, and quote what it said to the organization.
PROVIDER_CODES: Final = frozenset(error.code for error in (ProviderError, ProviderBusy, ProviderUnavailable, RequestRefused))


def visible_piece(piece: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a visitor gets of a chunk, or of a message's part; None: nothing."""
    kind = piece["type"]
    if kind in WHOLE:
        return dict(piece)
    if kind not in FIELDS or (kind == "data-notice" and not _concerns_visitors(piece["data"])):
        return None
    return {"type": kind, **{name: _value(name, value, piece) for name, value in piece.items() if name in FIELDS[kind]}}


def visible_message(message: MessageItem) -> MessageItem:
    """Return a stored message as a visitor gets it."""
    parts = [piece for part in message.parts if (piece := visible_piece(part)) is not None]
    return message.model_copy(update={"parts": parts, "metadata": _metadata(message.metadata)})


@dataclass(frozen=True, slots=True)
class VisibleRunStream:
    """A run as a visitor follows it. Used like `RunStream`."""

    run_stream: RunStream | ContinuedRunStream

    async def batches(self) -> AsyncGenerator[list[bytes], None]:
        """Yield the chunks (JSON texts) that are a visitor's to see. Raises LogRebuilt (see Hub.follow)."""
        why = ""
        async with aclosing(self.run_stream.batches()) as batches:
            async for batch in batches:
                pieces = [piece for chunk in batch if (piece := visible_piece(orjson.loads(chunk))) is not None]
                for piece in pieces:
                    why = _error_of(piece) or why
                    if piece["type"] == "error" and why:
                        piece["errorText"] = why
                yield [orjson.dumps(piece) for piece in pieces]


def _value(name: str, value: Any, piece: Mapping[str, Any]) -> Any:
    match name:
        case "input":
            return value if piece.get("toolName") in TOOLS_FOR_VISITORS or _is_by_page(piece) else {}
        case "toolMetadata":
            return {"byClient": _is_by_page(piece)}
        case "output":
            return None
        case "errorText":
            return str(NO_ANSWER_HERE) if piece["type"] == "error" else ""
        case "messageMetadata":
            return _metadata(value)
        case "approval":
            return {key: value[key] for key in ("id", "approved") if key in value}
        case "data":
            return {key: value[key] for key in value if key in ARTIFACT} if piece["type"] == "data-artifact" else _notice(value)
        case _:
            return value


def _is_by_page(piece: Mapping[str, Any]) -> bool:
    """Return whether the page around the chat carries the call out, which therefore gets the checked arguments."""
    return bool(piece.get("toolMetadata", {}).get("byClient"))


def _notice(notice: Mapping[str, Any]) -> dict[str, Any]:
    """Return what visitors read of it. Of a provider they learn only that no answer came, and whether another try may help."""
    fields = {key: notice[key] for key in notice if key in NOTICE}
    failure = {"code": "run_failed", "level": "error", "text": str(NO_ANSWER_HERE)}
    if notice.get("action") == "settings":
        return failure
    return {**fields, **failure} if notice.get("code") in PROVIDER_CODES else fields


def _error_of(piece: Mapping[str, Any]) -> str:
    """Return what a notice about an error says to visitors; "" for anything else."""
    is_error = piece["type"] == "data-notice" and piece["data"]["level"] == "error"
    return str(piece["data"]["text"]) if is_error else ""


def _concerns_visitors(notice: Mapping[str, Any]) -> bool:
    """Return whether it says why the answer ended, or that something went wrong. What an answer was given, and what is off in it, is for members."""
    return notice.get("code") in STOPPED_CODES or notice.get("level") == "error" or notice.get("action") in {"retry", "continue"}


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in metadata.items() if name in METADATA}
