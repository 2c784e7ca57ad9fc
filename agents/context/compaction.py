"""Turns, and compaction (SPEC 3.7, 3.8): makes the context fit by replacing older turns with one line each.

Turns are the units into which a history can be cut without separating entries that belong together. When the lines are
not enough, the guard leaves out the oldest turns. Lines are cut from the original text; no model rewords anything. A
compaction is an appended entry, so the context, and with it the provider's cache, stays the same between two
compactions.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, takewhile
from math import ceil
from typing import Any, get_args

from agents.context.policy import ContextPolicy
from agents.context.tokens import estimate_tokens, output_text
from agents.errors import ContextTooLong
from agents.messages import (
    AssistantText,
    CompactedHistory,
    ContextData,
    Entry,
    File,
    Notice,
    ResponseEntry,
    ToolCall,
    ToolResult,
    UserMessage,
)

MAX_LINE_CHARS = 160  # of a message or a call
MAX_VALUE_CHARS = 60  # of one argument
ARGUMENT_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
HISTORY_HEADING = "Older turns of this conversation, one line each. Left out before them: {dropped}."
GUARD_NOTICE = Notice(
    "context_guard", "The conversation has outgrown the model's context: the model no longer sees its oldest turns.", "warning"
)
RESPONSE_TYPES = frozenset(get_args(ResponseEntry))  # entries have no subclasses, and a set look-up is cheaper than isinstance()


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
    def calls(self) -> list[ToolCall]:
        return [entry for entry in self.entries if isinstance(entry, ToolCall)]

    @property
    def message(self) -> list[Entry]:
        """The user's message with the files and context data that directly follow it."""
        return [self.entries[0], *takewhile(lambda entry: isinstance(entry, File | ContextData), self.entries[1:])]


class Turns:
    """The turns of a growing branch, oldest first; every entry is in exactly one turn, in the branch's order.

    `entries` holds the whole branch, `starts` the indexes at which turns begin. A Turn object is created on access
    only: of a long branch, hardly any are needed.
    """

    __slots__ = ("entries", "starts")

    def __init__(self, entries: Iterable[Entry] = (), starts: Iterable[int] = ()) -> None:
        self.entries, self.starts = [*entries], [*starts]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> Turn:
        start, *following = self.starts[index : index + 2]
        return Turn(start, self.entries[start : following[0] if following else None])

    def __iter__(self) -> Iterator[Turn]:
        return map(self.__getitem__, range(len(self)))

    def copy(self) -> Turns:
        return Turns(self.entries, self.starts)

    def index_at(self, place: int) -> int:
        """Return the index of the turn to which the branch's entry at `place` belongs."""
        return bisect_right(self.starts, place) - 1

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


def turn_summary(turn: Turn, results: Mapping[str, ToolResult], templates: Mapping[str, str]) -> str:
    """Return `turn` in one line; "" when there is nothing to say about it. `templates`: tool lines by tool name."""
    if turn.is_user:
        return f"User: {_user_text(turn)}"
    if calls := turn.calls:
        return "; ".join(_call_text(call, results.get(call.id), templates.get(call.name, "")) for call in calls)
    text = shorten(" ".join(entry.text for entry in turn.entries if isinstance(entry, AssistantText)), MAX_LINE_CHARS)
    return f"Assistant: {text}" if text else ""


def _user_text(turn: Turn) -> str:
    text = shorten(" ".join(entry.text for entry in turn.entries if isinstance(entry, UserMessage)), MAX_LINE_CHARS)
    names = [shorten(entry.name, MAX_VALUE_CHARS) for entry in turn.entries if isinstance(entry, File)]
    return f"{text} [{', '.join(names)}]" if names else text


def _call_text(call: ToolCall, result: ToolResult | None, template: str) -> str:
    values = call.arguments
    if template:
        text = ARGUMENT_PLACEHOLDER.sub(lambda match: _value(values[match[1]]) if match[1] in values else "", template)
    else:
        text = f"{call.name}({', '.join(f'{name}={_value(value)}' for name, value in values.items())})"
    line = shorten(text, MAX_LINE_CHARS)
    return f"{line} failed" if result is None or result.is_error else line


def _value(value: Any) -> str:
    return shorten(output_text(value), MAX_VALUE_CHARS)


def shorten(text: str, length: int) -> str:
    """Return the first `length` characters of `text` on one line; the last one is an ellipsis if anything was cut."""
    words = " ".join(text[: 8 * length].split())  # sliced first, as the text may be an entire document
    is_whole = len(words) <= length and len(text) <= 8 * length
    return words if is_whole else f"{words[: length - 1].rstrip()}…"


def plan_compaction(context: CompactionInput, policy: ContextPolicy) -> tuple[Entry, ...]:
    """Return the entry that makes the context fit, and GUARD_NOTICE if the guard had to step in; () when nothing is worth doing.

    A compaction that leaves the context over the threshold and frees less than the tail's share waits for the guard: it
    would invalidate the provider's cache at every step. Raises ContextTooLong.
    """
    window = policy.window_tokens
    compact_at, tail, guard_at = (share * window for share in (policy.compact_at, policy.tail, policy.guard_at))
    if not context.turns:  # nothing to leave out
        if context.tokens > guard_at:
            raise ContextTooLong
        return ()
    first, dropped = context.cut_to_tail(tail)
    tokens = context.tokens_after(first, dropped)
    is_worth_it = tokens <= compact_at or context.tokens - tokens >= tail
    if tokens <= guard_at and (is_worth_it or context.tokens > guard_at):
        return (context.entry(first, dropped),)
    if context.tokens <= guard_at:
        return ()
    return (context.entry(*context.cut_to_guard(first, guard_at)), GUARD_NOTICE)


@dataclass(frozen=True, kw_only=True)
class CompactionInput:
    """The context at one moment, and where it can be cut: turns from `first` on stay in full; the oldest `dropped` lines are left out."""

    turns: Turns
    lines: Sequence[str]  # one per turn; "" when there is nothing to say about it
    newest_message_turn: int | None  # index of the turn of the newest user message
    first: int  # index of the first turn that the context contains in full
    tokens_from: Callable[[int], int]  # returns the estimated tokens of the full turns from an index on
    overhead: int
    factor: float  # each estimate is multiplied by it
    tokens: int  # of the whole request, already multiplied by `factor`

    def cut_to_tail(self, budget: float) -> tuple[int, int]:
        """Return the cut that keeps the newest turns within the budget, at least the newest one. The lines get the same budget."""
        first = len(self.turns) - 1
        while first > self.first and self._scale(self.tokens_from(first - 1)) <= budget:
            first -= 1
        return first, self._min_dropped(first, lambda dropped: self._scale(estimate_tokens(self.entry(first, dropped))) <= budget)

    def cut_to_guard(self, first: int, limit: float) -> tuple[int, int]:
        """Return the cut that leaves out least, oldest first: lines, then whole turns. Raises ContextTooLong when none fits."""
        if self.tokens_after(first, self._line_counts[first]) <= limit:
            return first, self._min_dropped(first, lambda dropped: self.tokens_after(first, dropped) <= limit)
        for place in range(first + 1, len(self.turns)):
            if self.tokens_after(place, self._line_counts[place]) <= limit:
                return place, self._line_counts[place]
        raise ContextTooLong

    def tokens_after(self, first: int, dropped: int) -> int:
        """Return the tokens of the request after this cut."""
        message_turn = self._kept_message_turn(first)
        head = (self.entry(first, dropped), *(message_turn.message if message_turn else ()))
        return self._scale(sum(map(estimate_tokens, head)) + self.tokens_from(first) + self.overhead)

    def entry(self, first: int, dropped: int) -> CompactedHistory:
        message_turn = self._kept_message_turn(first)
        return CompactedHistory(
            "\n".join((HISTORY_HEADING.format(dropped=dropped), *self._kept_lines(first, dropped))),
            covers=self.turns[first].start,
            kept=message_turn.start if message_turn else None,
            turns=self._line_counts[first],
            dropped=dropped,
        )

    @cached_property
    def _line_counts(self) -> Sequence[int]:
        """For each n: how many of the first n turns have a line."""
        has_line = (bool(line) and index != self.newest_message_turn for index, line in enumerate(self.lines))
        return list(accumulate(has_line, initial=0))

    def _min_dropped(self, first: int, fits: Callable[[int], bool]) -> int:
        """Return how many of the oldest lines must be dropped; all when it never fits. Each dropped line makes the text shorter."""
        return bisect_left(range(self._line_counts[first]), True, key=fits)

    def _kept_lines(self, first: int, dropped: int) -> Sequence[str]:
        if dropped == self._line_counts[first]:
            return ()
        lines = [line for index, line in enumerate(self.lines[:first]) if line and index != self.newest_message_turn]
        return lines[dropped:]

    def _kept_message_turn(self, first: int) -> Turn | None:
        newest = self.newest_message_turn
        return self.turns[newest] if newest is not None and newest < first else None

    def _scale(self, tokens: int) -> int:
        return ceil(tokens * self.factor)
