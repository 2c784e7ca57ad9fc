"""Turns: what a history may be cut into without tearing apart what belongs together (SPEC 3.7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile

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

RESPONSE = (AssistantText, Reasoning, ToolCall, ProviderToolCall, Source, AnswerFile)


@dataclass(slots=True)
class Turn:
    """Entries that stay or go together; `start` is the place of the first one in the branch.

    One of: a user message; a model's response without tool calls; a response with its tool calls and all their results. Files,
    references, approvals, reminders and notices belong to the turn that they follow.
    """

    start: int
    entries: list[Entry] = field(default_factory=list)

    @property
    def is_user(self) -> bool:
        return isinstance(self.entries[0], UserMessage)

    @property
    def is_response(self) -> bool:
        return isinstance(self.entries[0], RESPONSE)

    @property
    def calls(self) -> list[ToolCall]:
        return [entry for entry in self.entries if isinstance(entry, ToolCall)]

    @property
    def message(self) -> list[Entry]:
        """The user's message with the files, and what the model should know of, that directly follow it."""
        return [self.entries[0], *takewhile(lambda entry: isinstance(entry, File | ContextData), self.entries[1:])]

    def takes(self, entry: Entry) -> bool:
        """Whether `entry` goes on with this turn; otherwise it begins the next one.

        One response's entries are neighbours: between two responses there is always a result, a reminder, a notice or a message.
        """
        if isinstance(entry, UserMessage):
            return False
        return not isinstance(entry, RESPONSE) or isinstance(self.entries[-1], RESPONSE)


def group_turns(entries: Iterable[Entry]) -> list[Turn]:
    """The turns of a branch, oldest first; every entry is in exactly one, in the branch's order."""
    turns: list[Turn] = []
    for place, entry in enumerate(entries):
        add_to_turns(turns, entry, place)
    return turns


def add_to_turns(turns: list[Turn], entry: Entry, place: int) -> None:
    """Append `entry`, the branch's entry number `place`, to the last of `turns` or to a new one."""
    if not turns or not turns[-1].takes(entry):
        turns.append(Turn(place))
    turns[-1].entries.append(entry)
