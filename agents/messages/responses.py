"""What a model answers: the events of its stream, the whole response, and the tokens that it used."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from agents.messages.display import Source
from agents.messages.entries import AnswerFile, AssistantText, ProviderToolCall, ResponseEntry, ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one or more model calls, and what providers bill besides."""

    input_tokens: int = 0  # includes `cached_tokens`, `cache_write_tokens` and `tool_tokens`
    output_tokens: int = 0  # without thinking
    thinking_tokens: int = 0
    cached_tokens: int = 0  # read from the provider's cache
    cache_write_tokens: int = 0  # written to the provider's cache
    tool_tokens: int = 0  # added by the provider's own tools, where it counts them separately
    image_tokens: int = 0  # those of `output_tokens` that are pictures
    searches: int = 0  # web searches of the provider's own tool, as it bills them
    pictures: int = 0  # that a tool of the provider drew, and that are in no count of tokens

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens + self.thinking_tokens

    def as_dict(self) -> dict[str, int]:
        """Return the counts by name. `asdict` would copy each number."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.thinking_tokens + other.thinking_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.tool_tokens + other.tool_tokens,
            self.image_tokens + other.image_tokens,
            self.searches + other.searches,
            self.pictures + other.pictures,
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
    """One complete answer.

    Its text and reasoning entries correspond to the streamed deltas: one entry per run of deltas of one kind, in order.
    Between them, in place, are what the provider itself ran and its sources.
    """

    entries: tuple[ResponseEntry, ...]
    finish_reason: FinishReason
    usage: Usage = field(default_factory=Usage)  # the sum of `parts` where there are any
    model_version: str = ""
    # What was wrong with a tool call that could not be parsed, such as "it was not valid JSON."; then `entries` contains
    # no calls, not even those that could be parsed. "" when nothing was wrong.
    malformed_call: str = ""
    notice: str = ""  # tells the user that another than the best endpoint answered (SPEC 2.6)
    parts: tuple[Usage, ...] = ()  # the usage of each request of a continued answer; empty: there was one
    prompt_tokens: int | None = None  # of the prompt as first sent, where that is not `usage.input_tokens`

    @property
    def usages(self) -> tuple[Usage, ...]:
        """The usage of each request. They are priced separately, because the price depends on the length of each prompt."""
        return self.parts or (self.usage,)

    @property
    def has_content(self) -> bool:
        """Whether it contains text or a file."""
        return any(isinstance(entry, AnswerFile) or (isinstance(entry, AssistantText) and entry.text) for entry in self.entries)

    @property
    def may_be_cut(self) -> bool:
        """Whether it ended before it was complete, so that its calls may lack arguments."""
        return self.finish_reason not in (FinishReason.TOOL_CALLS, FinishReason.STOP)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, ToolCall))


ProviderPart = ProviderToolCall | Source | AnswerFile  # streamed as a whole, not in deltas
AnswerEvent = TextDelta | ReasoningDelta | ProviderPart  # can be shown before the answer is complete
ModelEvent = AnswerEvent | ModelResponse
