"""Nested runs (SPEC 4.9), and the partial answers that interruptions leave (SPEC 3.10).

A sub-agent's entries are stored in its parent's conversation, each under the tool call that the sub-agent works for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from agents.engine.errors import JournalError
from agents.engine.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    AssistantText,
    DataPart,
    Entry,
    Notice,
    ProviderPart,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    ResponseEntry,
    Source,
    SubAgentEntry,
    TextDelta,
    ToolCall,
    Usage,
    UserMessage,
)
from agents.engine.ports import Journal

_NON_TEXT_TYPES = (
    AnswerFile,
    Notice,
    ProviderToolCall,
    Reasoning,
    Source,
)  # what an answer may contain besides its text, and what may follow it


class PartialAnswer:
    """What one model call has shown so far. It is stored when a user message interrupts the answer."""

    def __init__(self) -> None:
        self._events: list[TextDelta | ReasoningDelta | ProviderPart] = []

    def add(self, event: TextDelta | ReasoningDelta | ProviderPart) -> None:
        self._events.append(event)

    def entries(self) -> tuple[Entry, ...]:
        """Return one partial entry for each run of deltas of one kind, and the provider parts as they were shown."""
        return tuple(entry for _, run in groupby(self._events, key=type) for entry in _entries(list(run)))

    def provider_calls(self) -> list[ProviderToolCall]:
        return [event for event in self._events if isinstance(event, ProviderToolCall)]


def _entries(run: Sequence[TextDelta | ReasoningDelta | ProviderPart]) -> Iterator[Entry]:
    """Yield the entries of consecutive events of one type."""
    text = "".join(event.text for event in run if isinstance(event, TextDelta | ReasoningDelta))
    if text:
        yield AssistantText(text, partial=True) if isinstance(run[0], TextDelta) else Reasoning(text, partial=True)
    yield from (event for event in run if isinstance(event, ProviderPart))


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
        known = self._parent.entries
        self._entries += entries_of_sub_run(known[self._read :], self._call_id)
        self._read = len(known)
        return self._entries

    async def append(self, *entries: Entry) -> None:
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
        self._partial.add(TextDelta(text))

    def reasoning_delta(self, text: str) -> None:
        self._partial.add(ReasoningDelta(text))

    def provider_part(self, part: ProviderPart) -> None:
        self._partial.add(part)

    def data(self, part: DataPart) -> None:
        self._parent.data(part)

    async def step_start(self, step: int) -> None:
        pass

    async def step_finish(self, step: int, usage: Usage) -> None:
        pass


def entries_of_sub_run(entries: Iterable[Entry], call_id: str) -> Iterator[Entry]:
    """Return the entries, unwrapped, of the run that works for this call."""
    return (entry.entry for entry in entries if isinstance(entry, SubAgentEntry) and entry.call_id == call_id)


def unwrap_entry(entry: Entry) -> Entry:
    """Return the entry without its wrappers."""
    while isinstance(entry, SubAgentEntry):
        entry = entry.entry
    return entry


def parent_call_ids(entry: Entry) -> tuple[str, ...]:
    """Return the ids of the calls that an entry is stored under, outermost first."""
    return (entry.call_id, *parent_call_ids(entry.entry)) if isinstance(entry, SubAgentEntry) else ()


def wrap_like_request(response: ApprovalResponse, entries: Sequence[Entry]) -> Entry:
    """Return the decision wrapped like the request that it answers, so that it belongs to the same run."""
    for entry in reversed(entries):
        request = unwrap_entry(entry)
        if isinstance(request, ApprovalRequest) and request.approval_id == response.approval_id:
            return _with_innermost(entry, response)
    return response


def _with_innermost(entry: Entry, inner: Entry) -> Entry:
    return replace(entry, entry=_with_innermost(entry.entry, inner)) if isinstance(entry, SubAgentEntry) else inner


def decided_call_ids(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the ids of all calls that the user decided about, including those of sub-agents."""
    return frozenset(found.call_id for entry in entries if isinstance(found := unwrap_entry(entry), ApprovalResponse))


def has_pending_approval(entries: Sequence[Entry], call_id: str) -> bool:
    """Return whether a sub-agent that works for this call has an approval request without a decision."""
    inside = [unwrap_entry(entry) for entry in entries if call_id in parent_call_ids(entry)]
    asked = {entry.approval_id for entry in inside if isinstance(entry, ApprovalRequest)}
    return bool(asked - {entry.approval_id for entry in inside if isinstance(entry, ApprovalResponse)})


def call_ids_within(entries: Iterable[Entry], call_id: str) -> frozenset[str]:
    """Return the id of this call and of all calls that sub-agents made for it."""
    inside = (unwrap_entry(entry) for entry in entries if call_id in parent_call_ids(entry))
    return frozenset([call_id, *(entry.id for entry in inside if isinstance(entry, ToolCall))])


def count_steps(entries: Iterable[Entry]) -> int:
    """Return the number of answers: adjacent response entries count as one."""
    is_response = [isinstance(entry, ResponseEntry) for entry in entries]
    return sum(now and not before for before, now in zip([False, *is_response], is_response, strict=False))


def final_text(entries: Sequence[Entry]) -> str:
    """Return the run's text after its last call or message."""
    texts: list[str] = []
    for entry in reversed(entries):
        if isinstance(entry, AssistantText):
            texts.append(entry.text)
        elif not isinstance(entry, _NON_TEXT_TYPES):
            break
    return "".join(reversed(texts)).strip()
