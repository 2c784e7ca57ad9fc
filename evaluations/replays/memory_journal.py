"""The journal and the inbox of a run that is only checked: nothing is stored or shown, and messages come when they came before."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from agents.engine.ports import NoInbox
from agents.messages import DataPart, Entry, ProviderPart, Usage, UserMessage
from chat.entries import StoredEntry, storable_entry


class MemoryJournal:
    """Implements `Journal`."""

    def __init__(self, history: Iterable[Entry]) -> None:
        self._entries = list(history)
        self.step = 0

    @property
    def entries(self) -> Sequence[Entry]:
        return self._entries

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        self._entries += map(storable_entry, entries)

    def text_delta(self, text: str) -> None:
        pass

    def reasoning_delta(self, text: str) -> None:
        pass

    def provider_part(self, part: ProviderPart) -> None:
        pass

    def data(self, part: DataPart) -> None:
        pass

    async def step_start(self, step: int) -> None:
        self.step = step

    async def step_finish(self, step: int, usage: Usage) -> None:
        pass


class RecordedInbox(NoInbox):
    """The messages that members sent into the recorded run, each after the step after which it came."""

    def __init__(self, journal: MemoryJournal, answer: Iterable[StoredEntry]) -> None:
        self._journal = journal
        self._waiting = deque((entry.step, entry.entry) for entry in answer if isinstance(entry.entry, UserMessage))

    @property
    def has_messages(self) -> bool:
        return bool(self._waiting) and self._waiting[0][0] <= self._journal.step

    async def deliver_messages(self) -> bool:
        due = []
        while self.has_messages:
            due.append(self._waiting.popleft()[1])
        await self._journal.append(*due)
        return bool(due)
