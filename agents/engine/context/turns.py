"""Turns: the units into which a history can be cut without separating entries that belong together (SPEC 3.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import overload

from agents.engine.messages import (
    AnswerFile,
    AssistantText,
    ContextData,
    Entry,
    File,
    ProviderToolCall,
    Reasoning,
    Source,
    ToolCall,
    UserMessage,
)

RESPONSE_CLASSES = (AssistantText, Reasoning, ToolCall, ProviderToolCall, Source, AnswerFile)
RESPONSE_TYPES = frozenset(RESPONSE_CLASSES)  # entries have no subclasses, and a set look-up is cheaper than isinstance()


@dataclass(frozen=True, slots=True)
class Turn:
    """Entries that stay or go together.

    One of: a user message; a model's response without tool calls; a response with its tool calls and all their results.
    Files, references, approvals, reminders and notices belong to the turn that they follow.
    """

    start: int  # index of the first entry in the branch
    entries: Sequence[Entry]

    @property
    def is_user(self) -> bool:
        return isinstance(self.entries[0], UserMessage)

    @property
    def is_response(self) -> bool:
        return isinstance(self.entries[0], RESPONSE_CLASSES)

    @property
    def calls(self) -> list[ToolCall]:
        return [entry for entry in self.entries if isinstance(entry, ToolCall)]

    @property
    def message(self) -> list[Entry]:
        """The user's message with the files and context data that directly follow it."""
        return [self.entries[0], *takewhile(lambda entry: isinstance(entry, File | ContextData), self.entries[1:])]


class Turns(Sequence[Turn]):
    """The turns of a growing branch, oldest first; every entry is in exactly one turn, in the branch's order.

    `entries` holds the whole branch, `starts` the indexes at which turns begin. A Turn object is created on access
    only: of a long branch, hardly any are needed.
    """

    __slots__ = ("entries", "starts")

    def __init__(self, entries: Iterable[Entry] = (), starts: Iterable[int] = ()) -> None:
        self.entries, self.starts = [*entries], [*starts]

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | Sequence[Turn]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        start, *following = self.starts[place : place + 2]
        return Turn(start, self.entries[start : following[0] if following else None])

    def fork(self) -> Turns:
        """Return an independent copy."""
        return Turns(self.entries, self.starts)

    def add(self, entry: Entry) -> bool:
        """Add the branch's next entry. Returns whether it starts a turn.

        The entries of one response are adjacent: between two responses there is always a result, a reminder, a notice
        or a message.
        """
        entries = self.entries
        kind = type(entry)
        if kind is UserMessage or not entries or (kind in RESPONSE_TYPES and type(entries[-1]) not in RESPONSE_TYPES):
            self.starts.append(len(entries))
            entries.append(entry)
            return True
        entries.append(entry)
        return False


def group_turns(entries: Iterable[Entry]) -> Turns:
    """Return the turns of a branch."""
    turns = Turns()
    for entry in entries:
        turns.add(entry)
    return turns
