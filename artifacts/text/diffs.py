"""Diffs of two texts for people, and counts of changed lines. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from artifacts.text.lines import Change, changes_between

CONTEXT_LINES: Final = 3


class DiffLine(NamedTuple):
    """One line of a diff: unchanged, added or removed."""

    op: Literal[" ", "+", "-"]
    text: str


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """Changed lines with the lines around them. The starts are the line numbers, from 1, of its first line in each text."""

    from_start: int
    to_start: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    """A diff with the counts of its lines."""

    hunks: tuple[DiffHunk, ...]
    added: int
    removed: int


class ChangedLines(NamedTuple):
    """Counts of changed lines."""

    added: int
    removed: int


def changed_lines(old: str, new: str) -> ChangedLines:
    """Return how many lines were added and removed."""
    return _count_changes(changes_between(_plain_lines(old), _plain_lines(new)))


def diff(old: str, new: str) -> Diff:
    """Return the diff from `old` to `new`. A final line feed is not a line, and a missing one is no change."""
    lines, new_lines = _plain_lines(old), _plain_lines(new)
    changes = changes_between(lines, new_lines)
    hunks = tuple(_hunk(lines, new_lines, group) for group in _groups(changes))
    return Diff(hunks, *_count_changes(changes))


def _plain_lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _count_changes(changes: Sequence[Change]) -> ChangedLines:
    return ChangedLines(
        added=sum(change.new_high - change.new_low for change in changes), removed=sum(change.high - change.low for change in changes)
    )


def _groups(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Group changes whose context would touch."""
    group: list[Change] = []
    for change in changes:
        if group and change.low - group[-1].high > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(lines: Sequence[str], new_lines: Sequence[str], group: Sequence[Change]) -> DiffHunk:
    low = max(0, group[0].low - CONTEXT_LINES)
    hunk_lines: list[DiffLine] = []
    place = low
    for change in group:
        hunk_lines += [DiffLine(" ", line) for line in lines[place : change.low]]
        hunk_lines += [DiffLine("-", line) for line in lines[change.low : change.high]]
        hunk_lines += [DiffLine("+", line) for line in new_lines[change.new_low : change.new_high]]
        place = change.high
    hunk_lines += [DiffLine(" ", line) for line in lines[place : place + CONTEXT_LINES]]
    return DiffHunk(low + 1, low + 1 + group[0].new_low - group[0].low, tuple(hunk_lines))
