"""Common lines of two texts, the basis of diffs, merges and counts. Pure functions.

Patience diff: lines that occur once in each text are matched first, in their longest common order, and the gaps between them are searched
again. It is fast (n log n except for small gaps) and keeps blocks together as people see them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

MAX_GAP_CELLS: Final = 160_000  # a larger gap without unique lines (400 lines against 400) counts as entirely changed
MAX_CELLS: Final = 4_000_000  # for all gaps together, about half a second; gaps beyond this count as changed


class Change(NamedTuple):
    """Lines [low, high) of the old text became lines [new_low, new_high) of the new one."""

    low: int
    high: int
    new_low: int
    new_high: int


class Span(NamedTuple):
    """Lines [low, high) of the old text opposite lines [new_low, new_high) of the new one."""

    low: int
    high: int
    new_low: int
    new_high: int

    @property
    def cells(self) -> int:
        return (self.high - self.low) * (self.new_high - self.new_low)


def split_lines(text: str) -> list[str]:
    """Return the lines with their line feeds; joined, they are the text."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def changes_between(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Return the changes in order; no two of them touch."""
    changes: list[Change] = []
    low = new_low = 0
    for place, new_place in [*_matches(old, new), (len(old), len(new))]:
        if place > low or new_place > new_low:
            changes.append(Change(low, place, new_low, new_place))
        low, new_low = place + 1, new_place + 1
    return changes


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of equal lines, ascending in both texts."""
    matches: list[tuple[int, int]] = []
    spans = [Span(0, len(old), 0, len(new))]
    cells = MAX_CELLS
    while spans:
        span = spans.pop()
        head, inner, tail = _trim(old, new, span)
        matches += head + tail
        anchors = _anchors(old, new, inner)
        if anchors:
            matches += anchors
            spans += _gaps(inner, anchors)
        elif inner.cells <= min(MAX_GAP_CELLS, cells):
            cells -= inner.cells
            matches += _longest_common_subsequence(old, new, inner)
    return sorted(matches)


def _trim(old: Sequence[str], new: Sequence[str], span: Span) -> tuple[list[tuple[int, int]], Span, list[tuple[int, int]]]:
    """Return equal lines at the span's beginning, the rest between, and equal lines at its end."""
    low, high, new_low, new_high = span
    while low < high and new_low < new_high and old[low] == new[new_low]:
        low, new_low = low + 1, new_low + 1
    while low < high and new_low < new_high and old[high - 1] == new[new_high - 1]:
        high, new_high = high - 1, new_high - 1
    head = list(zip(range(span.low, low), range(span.new_low, new_low), strict=True))
    tail = list(zip(range(high, span.high), range(new_high, span.new_high), strict=True))
    return head, Span(low, high, new_low, new_high), tail


def _anchors(old: Sequence[str], new: Sequence[str], span: Span) -> list[tuple[int, int]]:
    """Return pairs of lines that occur once on each side, as many as keep their order."""
    places = _unique_lines(old, span.low, span.high)
    pairs = [(places[line], new_place) for line, new_place in _unique_lines(new, span.new_low, span.new_high).items() if line in places]
    return _longest_increasing(sorted(pairs))


def _unique_lines(lines: Sequence[str], low: int, high: int) -> dict[str, int]:
    """Return the place of each line that occurs once."""
    places: dict[str, int] = {}
    twice: set[str] = set()
    for place in range(low, high):
        if lines[place] in places:
            twice.add(lines[place])
        places[lines[place]] = place
    return {line: place for line, place in places.items() if line not in twice}


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of pairs whose second number also increases (patience sorting)."""
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for number, (_, new_place) in enumerate(pairs):
        pile = bisect_left(tops, new_place)
        tops[pile : pile + 1] = [new_place]
        top_pairs[pile : pile + 1] = [number]
        before.append(top_pairs[pile - 1] if pile else -1)
    chain = []
    number = top_pairs[-1] if top_pairs else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _gaps(span: Span, anchors: Sequence[tuple[int, int]]) -> Iterator[Span]:
    low, new_low = span.low, span.new_low
    for place, new_place in [*anchors, (span.high, span.new_high)]:
        if place > low and new_place > new_low:
            yield Span(low, place, new_low, new_place)
        low, new_low = place + 1, new_place + 1


def _longest_common_subsequence(old: Sequence[str], new: Sequence[str], span: Span) -> list[tuple[int, int]]:
    """Return a longest common subsequence of a small gap, by the standard table algorithm."""
    rows, columns = span.high - span.low, span.new_high - span.new_low
    table = _lcs_table(old[span.low : span.high], new[span.new_low : span.new_high])
    pairs, row, column = [], 0, 0
    while row < rows and column < columns:
        if old[span.low + row] == new[span.new_low + column]:
            pairs.append((span.low + row, span.new_low + column))
            row, column = row + 1, column + 1
        elif table[row + 1][column] >= table[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs


def _lcs_table(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """Return a table whose `[i][j]` is the length of the longest common subsequence of old[i:] and new[j:]."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for row in range(len(old) - 1, -1, -1):
        here, below, line = table[row], table[row + 1], old[row]
        for column in range(len(new) - 1, -1, -1):
            here[column] = below[column + 1] + 1 if line == new[column] else max(below[column], here[column + 1])
    return table
