"""A journal in memory: the engine's tests read from it what was stored, streamed and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.engine.messages import DataPart, Entry, Usage


class MemoryJournal:
    """`entries`: history and what was appended. `log`: every call in order, as (name, value) pairs."""

    def __init__(self, history: Iterable[Entry] = ()) -> None:
        self._entries: list[Entry] = list(history)
        self._history_length = len(self._entries)
        self.log: list[tuple[str, object]] = []

    @property
    def entries(self) -> Sequence[Entry]:
        return tuple(self._entries)

    @property
    def appended(self) -> tuple[Entry, ...]:
        """What the run added to the history."""
        return tuple(self._entries[self._history_length :])

    def logged(self, name: str) -> list[object]:
        """The values of all calls of that name, in order."""
        return [value for kind, value in self.log if kind == name]

    async def append(self, *entries: Entry) -> None:
        self._entries += entries
        self.log.append(("append", entries))

    def text_delta(self, text: str) -> None:
        self.log.append(("text", text))

    def reasoning_delta(self, text: str) -> None:
        self.log.append(("reasoning", text))

    def data(self, part: DataPart) -> None:
        self.log.append(("data", part))

    async def step_start(self, step: int) -> None:
        self.log.append(("step_start", step))

    async def step_finish(self, step: int, usage: Usage) -> None:
        self.log.append(("step_finish", (step, usage)))
