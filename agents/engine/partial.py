"""An answer that a message of the user interrupts: what was shown of it is kept (SPEC 3.10)."""

from __future__ import annotations

from itertools import groupby

from agents.engine.messages import AssistantText, Entry, Reasoning, ReasoningDelta, TextDelta


class PartialAnswer:
    """The deltas of one model call so far."""

    def __init__(self) -> None:
        self._deltas: list[TextDelta | ReasoningDelta] = []

    def add(self, delta: TextDelta | ReasoningDelta) -> None:
        self._deltas.append(delta)

    def entries(self) -> tuple[Entry, ...]:
        """One partial entry for each run of deltas of one kind."""
        runs = ((kind, "".join(delta.text for delta in deltas)) for kind, deltas in groupby(self._deltas, key=type))
        return tuple((AssistantText if kind is TextDelta else Reasoning)(text, partial=True) for kind, text in runs if text)
