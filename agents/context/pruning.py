"""Which entries of a branch a model is sent (SPEC 3.7, 3.8), apart from compaction: agents.context.view asks for each one.

Pruning never removes what the model has not answered yet. "all" removes what comes before the newest response, and that
response too when it makes no calls. "before_last_message" removes what "all" would have removed when the newest user
message arrived. A reminder with a duration leaves the context after that many further responses. Entries that only the
user sees are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TypeVar, assert_never

from agents.context.compaction import GUARD_NOTICE, RESPONSE_TYPES, Turns
from agents.context.policy import ContextPolicy, Pruning
from agents.messages import (
    AnswerFile,
    AssistantText,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    ShownEntry,
    ToolCall,
    ToolResult,
    UserMessage,
)

Instance = TypeVar("Instance")

_TRACKED_TYPES = frozenset({UserMessage, ToolCall, ToolResult, Reminder, CompactedHistory, Notice})


class PrunedBranch:
    """A growing branch in turns, with what decides which of its entries are sent."""

    def __init__(self, policy: ContextPolicy) -> None:
        self.policy = policy
        self.turns = Turns()
        self.results: dict[str, ToolResult] = {}  # by call id
        self.newest_message_turn: int | None = None
        self.has_guard_notice = False  # since the newest message, the user was told that turns were left out
        self._tool_prunings = dict(policy.prune_tools)
        self._prunings = frozenset({policy.prune_reasoning, policy.prune_tool_calls, *self._tool_prunings.values()})
        self._responses = 0
        self._responses_up_to: dict[int, int] = {}  # by index of a turn with an expiring reminder: that turn's included
        self._first_expiring_turn: dict[int, int] = {}  # by number of responses: the first turn whose reminder expires then
        self._turn_of_call: dict[str, int] = {}
        self._answered = 0  # the model has answered all turns before this index
        self._answered_before_message = 0

    def copy(self) -> PrunedBranch:
        """Return an independent copy, which shares the entries."""
        return with_own_collections(self)

    def update(self, entries: Sequence[Entry]) -> tuple[int, tuple[int, CompactedHistory] | None]:
        """Add what is new in `entries`, which is the whole branch.

        Returns the index of the oldest turn whose sent part has changed, and the newest compacted history among what is
        new with its place in the branch.
        """
        turns = self.turns
        index, changed_index = len(turns) - 1, len(turns)
        new, compaction = entries[len(turns.entries) :], None
        for place, entry in enumerate(new, len(turns.entries)):
            kind = type(entry)
            if turns.add(entry):
                index += 1
                if kind in RESPONSE_TYPES:
                    changed_index = min(changed_index, self._start_response(index))
            elif index < changed_index:
                changed_index = index
            if kind in _TRACKED_TYPES:
                changed_index = min(changed_index, self._track(entry, index))
                if isinstance(entry, CompactedHistory):
                    compaction = place, entry
        return changed_index, compaction

    # Each of these returns the index of the oldest turn whose sent part the entry may change.

    def _start_response(self, index: int) -> int:
        """Note that turn `index` starts with a response."""
        self._responses += 1
        answered_index, self._answered = self._answered, index + 1
        return min(self._first_expiring_turn.pop(self._responses, index), answered_index if "all" in self._prunings else index)

    def _track(self, entry: Entry, index: int) -> int:
        """Note what `entry` means for turn `index`, to which it belongs."""
        match entry:
            case UserMessage():
                self.newest_message_turn, self.has_guard_notice = index, False
                answered_index, self._answered_before_message = self._answered_before_message, self._answered
                return answered_index if "before_last_message" in self._prunings else index
            case ToolCall():
                self._answered = index
                self._turn_of_call.setdefault(entry.id, index)
            case ToolResult():
                self.results[entry.call_id] = entry
                return self._turn_of_call.get(entry.call_id, index)
            case Reminder(duration=int(duration)):
                self._responses_up_to[index] = self._responses
                self._first_expiring_turn.setdefault(self._responses + duration, index)
            case Notice(code=GUARD_NOTICE.code):
                self.has_guard_notice = True
        return index

    def is_sent(self, entry: Entry, index: int) -> bool:
        """Return whether this entry of turn `index` is sent as a part of its turn."""
        match entry:
            case AssistantText():
                return bool(entry.text.strip()) or self._has_content(entry)
            case File(from_tool=True):
                return not self._is_pruned(self.policy.prune_tool_calls, index)
            case UserMessage() | File() | AnswerFile() | ContextData() | NoToolCallRetry():
                return True
            case Reasoning():
                return self._has_content(entry) and not self._is_pruned(self.policy.prune_reasoning, index)
            case ProviderToolCall():
                return bool(entry.provider_metadata)
            case ToolCall():
                return not self._is_pruned(self._tool_prunings.get(entry.name, self.policy.prune_tool_calls), index)
            case Reminder(duration=duration):
                return duration is None or self._responses - self._responses_up_to[index] < duration
            case ToolResult() | CompactedHistory():  # sent after its call's response, and as the head
                return False
            case _:
                if not isinstance(entry, ShownEntry):
                    assert_never(entry)
                return False

    def _has_content(self, entry: AssistantText | Reasoning) -> bool:
        return bool(entry.text.strip() or entry.provider_metadata) or not self.policy.prune_empty

    def _is_pruned(self, pruning: Pruning, index: int) -> bool:
        if pruning == "none":
            return False
        return index < (self._answered if pruning == "all" else self._answered_before_message)


def with_own_collections(original: Instance, **changes: object) -> Instance:
    """Return a copy of an object with lists, dicts and branches of its own; what these contain is shared.

    `changes`: attributes that have another value in the copy.
    """
    own = {name: value.copy() for name, value in vars(original).items() if isinstance(value, list | dict | Turns | PrunedBranch)}
    duplicate = copy(original)
    vars(duplicate).update(own, **changes)
    return duplicate
