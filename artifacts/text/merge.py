"""Three-way merge of two texts that were made from one (diff3 over lines; docs/decisions/0010). Pure functions.

What one side changed is taken from that side. What both changed in the same way is taken once. What they changed differently is a conflict,
which holds both. So no line of either side is ever dropped silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from artifacts.text.lines import Change, changes_between, split_lines


@dataclass(frozen=True, slots=True)
class Hunk:
    """A part of the result. Joined, hunks give whole texts. If it is the same, all three texts are the merged one."""

    kind: Literal["same", "conflict"]
    base: str
    theirs: str
    yours: str


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The merged hunks."""

    hunks: tuple[Hunk, ...]

    @property
    def text(self) -> str | None:
        """The merged text, or None if there are conflicts that a person must resolve."""
        return None if self.has_conflicts else "".join(hunk.yours for hunk in self.hunks)

    @property
    def has_conflicts(self) -> bool:
        return any(hunk.kind == "conflict" for hunk in self.hunks)


@dataclass(frozen=True, slots=True)
class _Region:
    """Lines [low, high) of the base, and each side's changes of them. A side without changes left them as they are."""

    low: int
    high: int
    theirs: tuple[Change, ...]
    yours: tuple[Change, ...]


def merge(base: str, theirs: str, yours: str) -> MergeResult:
    """Merge two texts that were made from `base`."""
    if yours in (base, theirs) or theirs == base:
        return MergeResult((_hunk(base, theirs, yours),))
    lines, their_lines, your_lines = split_lines(base), split_lines(theirs), split_lines(yours)
    builder = _HunkBuilder()
    end = 0
    for region in _regions(changes_between(lines, their_lines), changes_between(lines, your_lines)):
        builder.same(lines[end : region.low])
        builder.add(
            _hunk(
                "".join(lines[region.low : region.high]),
                _side_text(lines, their_lines, region, region.theirs),
                _side_text(lines, your_lines, region, region.yours),
            )
        )
        end = region.high
    builder.same(lines[end:])
    return MergeResult(builder.hunks())


def merge_keeping_both(base: str, theirs: str, yours: str) -> str:
    """Merge two texts without asking anybody: where both changed the same lines, yours stay, and their new lines follow."""
    return "".join(hunk.yours if hunk.kind == "same" else _combined(hunk) for hunk in merge(base, theirs, yours).hunks)


def _combined(hunk: Hunk) -> str:
    existing_lines = {*split_lines(hunk.base), *split_lines(hunk.yours)}
    added = "".join(line for line in split_lines(hunk.theirs) if line not in existing_lines)
    return f"{_with_final_newline(hunk.yours)}{added}" if added else hunk.yours


def _regions(theirs: Sequence[Change], yours: Sequence[Change]) -> Iterator[_Region]:
    """Group changes that share lines of the base or insert at the same place. All others stay alone."""
    waiting = sorted(
        [(change.low, change.high, False, change) for change in _split_by_line(theirs)]
        + [(change.low, change.high, True, change) for change in _split_by_line(yours)]
    )
    waiting.reverse()
    while waiting:
        group = [waiting.pop()]
        high = group[0][1]
        while waiting and (waiting[-1][0] < high or waiting[-1][:2] == (high, high) == group[-1][:2]):
            group.append(waiting.pop())
            high = max(high, group[-1][1])
        low = group[0][0]
        yield _Region(
            low,
            high,
            tuple(change for _, _, is_yours, change in group if not is_yours),
            tuple(change for _, _, is_yours, change in group if is_yours),
        )


def _split_by_line(changes: Sequence[Change]) -> Iterator[Change]:
    """Split changes that keep the number of lines into one change per line."""
    for low, high, new_low, new_high in changes:
        if high - low == new_high - new_low:
            yield from (Change(low + n, low + n + 1, new_low + n, new_low + n + 1) for n in range(high - low))
        else:
            yield Change(low, high, new_low, new_high)


def _side_text(base: Sequence[str], lines: Sequence[str], region: _Region, changes: Sequence[Change]) -> str:
    """Return one side's text of the region."""
    parts: list[str] = []
    place = region.low
    for change in changes:
        parts += base[place : change.low]
        parts += lines[change.new_low : change.new_high]
        place = change.high
    return "".join([*parts, *base[place : region.high]])


def _hunk(base: str, theirs: str, yours: str) -> Hunk:
    if yours in (base, theirs):
        return _same_hunk(theirs)
    return _same_hunk(yours) if theirs == base else Hunk("conflict", base, theirs, yours)


def _same_hunk(text: str) -> Hunk:
    return Hunk("same", text, text, text)


class _HunkBuilder:
    """Collects hunks in order. Text after a hunk without a final line feed still begins on a new line."""

    def __init__(self) -> None:
        self._hunks: list[Hunk] = []
        self._texts: list[str] = []  # of the open "same" hunk

    def same(self, texts: Sequence[str]) -> None:
        for text in filter(None, texts):
            self._end_line()
            self._texts.append(text)

    def add(self, hunk: Hunk) -> None:
        if hunk.kind == "same":
            self.same([hunk.yours])
            return
        self._end_line()
        self._close()
        self._hunks.append(hunk)

    def hunks(self) -> tuple[Hunk, ...]:
        self._close()
        return tuple(self._hunks)

    def _close(self) -> None:
        if self._texts:
            self._hunks.append(_same_hunk("".join(self._texts)))
            self._texts = []

    def _end_line(self) -> None:
        if self._texts:
            self._texts[-1] = _with_final_newline(self._texts[-1])
        elif self._hunks:
            last = self._hunks[-1]
            self._hunks[-1] = Hunk(
                last.kind, _with_final_newline(last.base), _with_final_newline(last.theirs), _with_final_newline(last.yours)
            )


def _with_final_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
