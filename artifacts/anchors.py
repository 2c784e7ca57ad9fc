"""Where in a text a quote belongs: found again by its own words and by those around it, when the rest has changed. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from artifacts.models import CONTEXT_MAX
from artifacts.text.offsets import from_utf16, to_utf16

DISTINCT: Final = 20  # characters from which on a quote that occurs once is itself, whatever became of the text around it


@dataclass(frozen=True, slots=True)
class Anchor:
    """`prefix` and `suffix`: up to CONTEXT_MAX characters before and after `original`. `start`: where it stood, in UTF-16 code units."""

    original: str
    prefix: str
    suffix: str
    start: int


def anchor_make(text: str, original: str, *, after: int = 0) -> Anchor | None:
    """The anchor of the first `original` in `text` from the code point `after` on; None when there is none."""
    place = text.find(original, after) if original else -1
    if place < 0:
        return None
    end = place + len(original)
    return Anchor(original, text[max(0, place - CONTEXT_MAX) : place], text[end : end + CONTEXT_MAX], to_utf16(text, place))


def anchor_find(text: str, anchor: Anchor, *, is_unchanged: bool = False) -> int | None:
    """The code point at which the quote begins in `text`; None when it is gone, or when two places fit alike.

    `is_unchanged`: `text` is the one that the anchor was made for, so that its start is true.
    """
    if is_unchanged:
        return _place_at(text, anchor)
    ranked = sorted(((_context_kept(text, place, anchor), place) for place in _places(text, anchor.original)), reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    kept, place = ranked[0]
    return place if kept >= _context_needed(anchor) or (len(ranked) == 1 and len(anchor.original) >= DISTINCT) else None


def _place_at(text: str, anchor: Anchor) -> int | None:
    try:
        place = from_utf16(text, anchor.start)
    except ValueError:
        return None
    return place if anchor.original and text.startswith(anchor.original, place) else None


def _places(text: str, original: str) -> Iterator[int]:
    place = text.find(original) if original else -1
    while place >= 0:
        yield place
        place = text.find(original, place + 1)


def _context_kept(text: str, place: int, anchor: Anchor) -> int:
    """How many characters around the quote are still what they were."""
    end = place + len(anchor.original)
    before = text[max(0, place - len(anchor.prefix)) : place]
    after = text[end : end + len(anchor.suffix)]
    return _alike(before[::-1], anchor.prefix[::-1]) + _alike(after, anchor.suffix)


def _alike(one: str, other: str) -> int:
    """How many characters they begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _context_needed(anchor: Anchor) -> int:
    """One whole side of it is enough: what stands next to a quote may be edited."""
    return min(len(side) for side in (anchor.prefix, anchor.suffix) if side) if anchor.prefix or anchor.suffix else 0
