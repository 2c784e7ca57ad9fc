"""Turns: what a history may be cut into without tearing apart what belongs together (SPEC 3.7)."""

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
RESPONSE_TYPES = frozenset(RESPONSE_CLASSES)  # of entries, which have no subclasses: looking a type up is cheaper


@dataclass(frozen=True, slots=True)
class Turn:
    """Entries that stay or go together; `start` is the place of the first one in the branch.

    One of: a user message; a model's response without tool calls; a response with its tool calls and all their results. Files,
    references, approvals, reminders and notices belong to the turn that they follow.
    """

    start: int
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
        """The user's message with the files, and what the model should know of, that directly follow it."""
        return [self.entries[0], *takewhile(lambda entry: isinstance(entry, File | ContextData), self.entries[1:])]


class Turns(Sequence[Turn]):
    """The turns of a growing branch, oldest first; every entry is in exactly one, in the branch's order.

    `entries`: of the whole branch; `starts`: the places in it where turns begin. A turn itself is made when it is asked for: of a
    long branch hardly any are.
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
        """The same, to grow on its own."""
        return Turns(self.entries, self.starts)

    def add(self, entry: Entry) -> bool:
        """Take the branch's next entry; return whether it begins a turn.

        One response's entries are neighbours: between two responses there is always a result, a reminder, a notice or a message.
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
    """The turns of a branch."""
    turns = Turns()
    for entry in entries:
        turns.add(entry)
    return turns
