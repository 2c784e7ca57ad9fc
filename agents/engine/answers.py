"""One answer of the model: how it is shown while it streams, what is left of it when it is interrupted, and the ids of its calls.

An id is unique in the conversation: some providers number calls per answer, and some give no ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from agents.engine.lifecycle import RunHooks
from agents.engine.ports import Journal, LanguageModel
from agents.engine.run_progress import unwrap_entry
from agents.errors import AnswerCut
from agents.messages import (
    AnswerEvent,
    AssistantText,
    Entry,
    ModelRequest,
    ModelResponse,
    ProviderPart,
    ProviderToolCall,
    Reasoning,
    ReasoningDelta,
    ResponseEntry,
    SubAgentEntry,
    TextDelta,
    ToolCall,
)

ResponseEntryT = TypeVar("ResponseEntryT", bound=ResponseEntry)

_CALL_TYPES = frozenset({ToolCall, ProviderToolCall, SubAgentEntry})


class PartialAnswer:
    """What one model call has shown so far. It is stored when a user message interrupts the answer."""

    def __init__(self) -> None:
        self.events: list[AnswerEvent] = []

    def entries(self) -> tuple[Entry, ...]:
        """Return one partial entry for each run of deltas of one kind, and the provider parts as they were shown."""
        return tuple(entry for _, run in groupby(self.events, key=type) for entry in _entries(list(run)))

    def provider_calls(self) -> list[ProviderToolCall]:
        return [event for event in self.events if isinstance(event, ProviderToolCall)]


def _entries(run: Sequence[AnswerEvent]) -> Iterator[Entry]:
    """Yield the entries of consecutive events of one type."""
    text = "".join(event.text for event in run if isinstance(event, TextDelta | ReasoningDelta))
    if text:
        yield AssistantText(text, partial=True) if isinstance(run[0], TextDelta) else Reasoning(text, partial=True)
    yield from (event for event in run if isinstance(event, ProviderPart))


class AnswerStream:
    """Shows the answer to one request in the journal while it arrives. `used_ids`: of all calls of the conversation."""

    def __init__(self, journal: Journal, hooks: RunHooks, used_ids: set[str]) -> None:
        self._journal, self._hooks, self._used_ids = journal, hooks, used_ids
        self.partial = PartialAnswer()  # what was shown

    async def read(self, model: LanguageModel, request: ModelRequest) -> ModelResponse:
        """Return the answer, whose calls have unique ids. Its entries are not appended yet. Raises AnswerCut without a response."""
        response = None
        # aclosing() closes the stream immediately, also on cancellation: garbage collection would leave the provider generating.
        async with aclosing(model.stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    self._journal.text_delta(event.text)
                elif isinstance(event, ReasoningDelta):
                    self._journal.reasoning_delta(event.text)
                elif isinstance(event, ModelResponse):
                    response = event
                    continue
                else:
                    self._show_part(event)
                    continue
                self.partial.events.append(event)
                self._hooks.response_update(event)
        if response is None:
            raise AnswerCut("The answer was cut off.")
        return replace(response, entries=with_unique_call_ids(response.entries, self._used_ids, self.partial.provider_calls()))

    def _show_part(self, part: ProviderPart) -> None:
        """Show what the provider ran or cites, with the id that it keeps in the conversation."""
        part = with_unique_id(part, self._used_ids)
        self._journal.provider_part(part)
        self.partial.events.append(part)


def call_ids(entries: Iterable[Entry]) -> set[str]:
    """Return the ids of all calls, including those of sub-agents: an id is unique in the conversation."""
    calls = (unwrap_entry(entry) for entry in entries if type(entry) in _CALL_TYPES)
    return {call.id for call in calls if isinstance(call, ToolCall | ProviderToolCall)}


def with_unique_call_ids(
    response: Iterable[ResponseEntry], used_ids: set[str], visible_calls: Iterable[ProviderToolCall] = ()
) -> tuple[ResponseEntry, ...]:
    """Return `response` with call ids that are not in `used_ids`, and add them to it.

    `visible_calls`: the provider calls that are already on screen, in order; they keep the ids that they have there.
    """
    ids = iter([call.id for call in visible_calls])
    unique: list[ResponseEntry] = []
    for entry in response:
        if isinstance(entry, ProviderToolCall) and (visible_id := next(ids, None)) is not None:
            unique.append(replace(entry, id=visible_id))
        else:
            unique.append(with_unique_id(entry, used_ids))
    return tuple(unique)


def with_unique_id(entry: ResponseEntryT, used_ids: set[str]) -> ResponseEntryT:
    """Return a call with an id that is not in `used_ids`, and add the id to it. Other entries are returned unchanged."""
    if not isinstance(entry, ToolCall | ProviderToolCall):
        return entry
    call = replace(entry, id=_unused_id(entry.id or "call", used_ids))
    used_ids.add(call.id)
    return call


def _unused_id(preferred_id: str, used_ids: set[str]) -> str:
    candidate, number = preferred_id, 1
    while candidate in used_ids:
        number += 1
        candidate = f"{preferred_id}-{number}"
    return candidate
