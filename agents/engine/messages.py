"""What a conversation is made of, as the engine sees it: entries in, a model's response out.

Pure data: no Django, no SDK. One entry is one row of `chat.Part`, one piece of the client's message and one piece of the
model's context (SPEC 3.6).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

# A provider's own data that must go back to it unchanged (thought signatures, encrypted reasoning): one mapping per
# entry, written and read only by the adapter that names itself in "provider" and bound to the "model" it names.
Extras = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user wrote."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantText:
    """Visible text of the model. `partial`: the stream broke or was stopped before the provider's end mark."""

    text: str
    extras: Extras | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A summary of the model's thinking."""

    text: str
    extras: Extras | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the model asked for; `id` is unique in the conversation."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    extras: Extras | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool call gave back; `output` is a JSON value."""

    call_id: str
    name: str
    output: Any
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ArtifactReference:
    """An artifact version that a tool wrote; shown to the user, and known to the model through the tool's result."""

    artifact_id: str
    title: str
    kind: str
    version: int | None
    operation: str
    call_id: str
    status: Literal["ready", "stopped", "failed"] = "ready"


@dataclass(frozen=True, slots=True)
class Reminder:
    """A system reminder: visible to the user and to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A status line for the user (stopped, failed, step limit); never part of the model's context.

    `action`: what the screen offers next.
    """

    code: str
    text: str
    level: Literal["info", "warning", "error"] = "info"
    action: Literal["retry", "continue", "settings"] | None = None


Entry = UserMessage | AssistantText | Reasoning | ToolCall | ToolResult | ArtifactReference | Reminder | Notice
ResponseEntry = AssistantText | Reasoning | ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls. `output_tokens` leaves thinking out; `input_tokens` contains the cached ones."""

    input_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.thinking_tokens + other.thinking_tokens,
            self.cached_tokens + other.cached_tokens,
        )


class FinishReason(StrEnum):
    """Why a model stopped; the values are the AI SDK's."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool-calls"
    CONTENT_FILTER = "content-filter"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """One whole answer. Its text and reasoning entries are the deltas' runs, one entry per run, in order."""

    entries: tuple[ResponseEntry, ...]
    finish_reason: FinishReason
    usage: Usage = field(default_factory=Usage)
    model_version: str = ""

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, ToolCall))


ModelEvent = TextDelta | ReasoningDelta | ModelResponse


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as the model is told of it; `input_schema` is a JSON schema of type object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """`stable` first, so that a provider's prompt cache keeps it; `changing` (date, user) after it."""

    stable: str
    changing: str = ""

    def __str__(self) -> str:
        return "\n\n".join(part for part in (self.stable, self.changing) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Settings of one model call. `thinking_budget` in tokens; None: thinking is off (SPEC 2.4)."""

    max_output_tokens: int | None = None
    temperature: float | None = None
    thinking_budget: int | None = None
    thinking_level: Literal["minimal", "low", "medium", "high"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """All that a provider adapter needs for one call."""

    model: str
    system: SystemPrompt
    entries: tuple[Entry, ...]
    tools: tuple[ToolDefinition, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)


@dataclass(frozen=True, slots=True)
class DataPart:
    """Own data for the client: an AI SDK `data-<name>` part. Same name and id replaces; transient is not kept."""

    name: str
    data: Mapping[str, Any]
    id: str | None = None
    transient: bool = False
