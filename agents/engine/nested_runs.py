"""Nested runs (SPEC 4.9): the journal of a sub-agent.

A sub-agent's entries are stored in its parent's conversation, each under the tool call that the sub-agent works for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.engine.answers import PartialAnswer
from agents.engine.ports import Journal
from agents.engine.run_progress import unwrap_entry
from agents.errors import JournalError
from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    DataPart,
    Entry,
    ProviderPart,
    ReasoningDelta,
    SubAgentEntry,
    TextDelta,
    Usage,
    UserMessage,
)


class NestedJournal:
    """A sub-agent's journal: appends to its parent's journal, with each entry wrapped. Implements `Journal`.

    Its own entries are the task and everything that the parent's journal holds under `call_id`. So a run that was taken
    over, or that waited, continues where it was. Text is shown only when it is complete.
    """

    def __init__(self, parent: Journal, *, call_id: str, agent: str, task: str) -> None:
        self._parent, self._call_id, self._agent = parent, call_id, agent
        self._entries: list[Entry] = [UserMessage(task)]
        self._read = 0  # how many of the parent's entries were read
        self._partial = PartialAnswer()

    @property
    def entries(self) -> Sequence[Entry]:
        parent_entries = self._parent.entries
        new = parent_entries[self._read :]
        self._entries += (entry.entry for entry in new if isinstance(entry, SubAgentEntry) and entry.call_id == self._call_id)
        self._read = len(parent_entries)
        return self._entries

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        """Append to the parent's journal. Raises JournalError for any error of the parent's, so that no tool mistakes it for its own."""
        self._partial = PartialAnswer()
        try:
            await self._parent.append(*(SubAgentEntry(self._call_id, self._agent, entry) for entry in entries))
        except JournalError:
            raise
        except Exception as error:
            raise JournalError(error) from error

    async def save_partial(self) -> None:
        """Store what a model call had produced before it was cancelled."""
        if entries := self._partial.entries():
            await self.append(*entries)

    def text_delta(self, text: str) -> None:
        self._partial.events.append(TextDelta(text))

    def reasoning_delta(self, text: str) -> None:
        self._partial.events.append(ReasoningDelta(text))

    def provider_part(self, part: ProviderPart) -> None:
        self._partial.events.append(part)

    def data(self, part: DataPart) -> None:
        self._parent.data(part)

    async def step_start(self, step: int) -> None:
        pass

    async def step_finish(self, step: int, usage: Usage) -> None:
        pass


def wrap_like_request(response: ApprovalResponse, entries: Sequence[Entry]) -> Entry:
    """Return the decision wrapped like the request that it answers, so that it belongs to the same run."""
    for entry in reversed(entries):
        request = unwrap_entry(entry)
        if isinstance(request, ApprovalRequest) and request.approval_id == response.approval_id:
            return _with_innermost(entry, response)
    return response


def _with_innermost(entry: Entry, inner: Entry) -> Entry:
    return replace(entry, entry=_with_innermost(entry.entry, inner)) if isinstance(entry, SubAgentEntry) else inner
