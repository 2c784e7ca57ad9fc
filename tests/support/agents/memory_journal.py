"""A journal in memory: the engine's tests read from it what was stored, streamed and in which order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from agents.engine.nested_runs import wrap_like_request
from agents.messages import ApprovalRequest, ApprovalResponse, ClientOutput, DataPart, Entry, ProviderPart, Usage, UserMessage


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

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        self._entries += entries
        self.log.append(("append", entries))

    def text_delta(self, text: str) -> None:
        self.log.append(("text", text))

    def reasoning_delta(self, text: str) -> None:
        self.log.append(("reasoning", text))

    def provider_part(self, part: ProviderPart) -> None:
        self.log.append(("provider", part))

    def data(self, part: DataPart) -> None:
        self.log.append(("data", part))

    async def step_start(self, step: int) -> None:
        self.log.append(("step_start", step))

    async def step_finish(self, step: int, usage: Usage) -> None:
        self.log.append(("step_finish", (step, usage)))


class MemoryInbox:
    """What a test sends into a run; `of(journal)` binds it to the run's journal. Implements `Inbox`."""

    def __init__(self) -> None:
        self._journal = MemoryJournal()
        self._messages: list[UserMessage] = []
        self._decisions: list[ApprovalResponse | ClientOutput] = []
        self._arrived = asyncio.Event()
        self._message_count = 0

    def of(self, journal: MemoryJournal) -> MemoryInbox:
        self._journal = journal
        return self

    def message(self, text: str) -> None:
        self._message_count += 1
        self._messages.append(UserMessage(text, f"m{self._message_count}"))
        self._arrived.set()

    def decision(self, request: ApprovalRequest, *, approved: bool, reason: str = "", lasts: bool = False) -> None:
        self._decisions.append(ApprovalResponse(request.approval_id, request.call_id, approved, reason, lasts))

    def output(self, call_id: str, output: object, *, is_error: bool = False) -> None:
        self._decisions.append(ClientOutput(call_id, output, is_error))

    @property
    def has_messages(self) -> bool:
        return self._arrived.is_set()

    async def arrival(self) -> None:
        await self._arrived.wait()

    async def deliver_messages(self) -> bool:
        messages, self._messages = self._messages, []
        self._arrived.clear()
        await self._journal.append(*messages)
        return bool(messages)

    async def deliver_decisions(self) -> None:
        decisions, self._decisions = self._decisions, []
        await self._journal.append(*(_journal_entry(decision, self._journal.entries) for decision in decisions))


def _journal_entry(response: ApprovalResponse | ClientOutput, entries: Sequence[Entry]) -> Entry:
    return wrap_like_request(response, entries) if isinstance(response, ApprovalResponse) else response
