"""An answer that a message of the user interrupts: what was shown of it is kept (SPEC 3.10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from agents.engine.messages import AssistantText, Entry, ProviderPart, ProviderToolCall, Reasoning, ReasoningDelta, TextDelta


class PartialAnswer:
    """What one model call has shown so far."""

    def __init__(self) -> None:
        self._events: list[TextDelta | ReasoningDelta | ProviderPart] = []

    def add(self, event: TextDelta | ReasoningDelta | ProviderPart) -> None:
        self._events.append(event)

    def entries(self) -> tuple[Entry, ...]:
        """One partial entry for each run of deltas of one kind, and the provider parts as they were shown."""
        return tuple(entry for _, run in groupby(self._events, key=type) for entry in _entries(list(run)))

    def provider_calls(self) -> list[ProviderToolCall]:
        return [event for event in self._events if isinstance(event, ProviderToolCall)]


def _entries(run: Sequence[TextDelta | ReasoningDelta | ProviderPart]) -> Iterator[Entry]:
    """Of events of one type."""
    text = "".join(event.text for event in run if isinstance(event, TextDelta | ReasoningDelta))
    if text:
        yield AssistantText(text, partial=True) if isinstance(run[0], TextDelta) else Reasoning(text, partial=True)
    yield from (event for event in run if isinstance(event, ProviderPart))
