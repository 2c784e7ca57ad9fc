"""An answer that a message of the user interrupts: what was shown of it is kept (SPEC 3.10).

Runs inside a run (SPEC 4.9): a sub-agent's entries stand in its parent's conversation, each under the call that it works for.
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


_NON_TEXT_TYPES = (
    AnswerFile,
    Notice,
    ProviderToolCall,
    Reasoning,
    Source,
)  # what an answer may consist of beside its text, and what may follow it


class NestedJournal:
    """A sub-agent's journal: what it appends goes into the parent's, wrapped. Implements `Journal`.

    Its entries are the task and whatever the parent's journal has under `call_id`, so that a run which was taken over, or waited, goes
    on where it was. Text is shown when it is whole.
    """

    def __init__(self, parent: Journal, *, call_id: str, agent: str, task: str) -> None:
        self._parent, self._call_id, self._agent = parent, call_id, agent
        self._entries: list[Entry] = [UserMessage(task)]
        self._read = 0  # so many of the parent's entries
        self._partial = PartialAnswer()

    @property
    def entries(self) -> Sequence[Entry]:
        known = self._parent.entries
        self._entries += entries_of_sub_run(known[self._read :], self._call_id)
        self._read = len(known)
        return self._entries

    async def append(self, *entries: Entry) -> None:
        """Raises JournalError for whatever the parent's raises, so that no tool takes it for its own."""
        self._partial = PartialAnswer()
        try:
            await self._parent.append(*(SubAgentEntry(self._call_id, self._agent, entry) for entry in entries))
        except JournalError:
            raise
        except Exception as error:
            raise JournalError(error) from error

    async def save_partial(self) -> None:
        """Store what a model call had said before it was cancelled."""
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
    """The entries of the run that works for this call, unwrapped."""
    return (entry.entry for entry in entries if isinstance(entry, SubAgentEntry) and entry.call_id == call_id)


def unwrap_entry(entry: Entry) -> Entry:
    """The entry without its wrappers."""
    while isinstance(entry, SubAgentEntry):
        entry = entry.entry
    return entry


def parent_call_ids(entry: Entry) -> tuple[str, ...]:
    """The ids of the calls that an entry stands under, outermost first."""
    return (entry.call_id, *parent_call_ids(entry.entry)) if isinstance(entry, SubAgentEntry) else ()


def wrap_like_request(response: ApprovalResponse, entries: Sequence[Entry]) -> Entry:
    """A decision, wrapped like the request that it answers: it belongs to the same run."""
    for entry in reversed(entries):
        request = unwrap_entry(entry)
        if isinstance(request, ApprovalRequest) and request.approval_id == response.approval_id:
            return _with_innermost(entry, response)
    return response


def _with_innermost(entry: Entry, inner: Entry) -> Entry:
    return replace(entry, entry=_with_innermost(entry.entry, inner)) if isinstance(entry, SubAgentEntry) else inner


def decided_call_ids(entries: Iterable[Entry]) -> frozenset[str]:
    """The ids of all calls that somebody decided about, those of sub-agents too."""
    return frozenset(found.call_id for entry in entries if isinstance(found := unwrap_entry(entry), ApprovalResponse))


def has_pending_approval(entries: Sequence[Entry], call_id: str) -> bool:
    """Whether a sub-agent that works for this call asked for something that nobody decided about."""
    inside = [unwrap_entry(entry) for entry in entries if call_id in parent_call_ids(entry)]
    asked = {entry.approval_id for entry in inside if isinstance(entry, ApprovalRequest)}
    return bool(asked - {entry.approval_id for entry in inside if isinstance(entry, ApprovalResponse)})


def call_ids_within(entries: Iterable[Entry], call_id: str) -> frozenset[str]:
    """The ids of this call and of all that sub-agents made for it."""
    inside = (unwrap_entry(entry) for entry in entries if call_id in parent_call_ids(entry))
    return frozenset([call_id, *(entry.id for entry in inside if isinstance(entry, ToolCall))])


def count_steps(entries: Iterable[Entry]) -> int:
    """How many answers there are: neighbouring entries of a response are one."""
    is_response = [isinstance(entry, ResponseEntry) for entry in entries]
    return sum(now and not before for before, now in zip([False, *is_response], is_response, strict=False))


def final_text(entries: Sequence[Entry]) -> str:
    """What the run said after its last call or message."""
    texts: list[str] = []
    for entry in reversed(entries):
        if isinstance(entry, AssistantText):
            texts.append(entry.text)
        elif not isinstance(entry, _NON_TEXT_TYPES):
            break
    return "".join(reversed(texts)).strip()
