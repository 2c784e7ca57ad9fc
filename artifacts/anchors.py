"""Anchors: find a quote in a changed text again, by its own words and those around it. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from artifacts.models import MAX_CONTEXT_CHARS
from artifacts.text.offsets import from_utf16, to_utf16

MIN_UNIQUE_QUOTE_LENGTH: Final = 20  # characters; a longer quote that occurs once is accepted whatever its context


@dataclass(frozen=True, slots=True)
class Anchor:
    """A quote and its surroundings."""

    original: str
    prefix: str  # up to MAX_CONTEXT_CHARS characters before `original`
    suffix: str  # up to MAX_CONTEXT_CHARS characters after `original`
    start: int  # original position, in UTF-16 code units


def anchor_make(text: str, original: str, *, after: int = 0) -> Anchor | None:
    """Return the anchor of the first `original` in `text` at or after the code point `after`, or None when there is none."""
    place = text.find(original, after) if original else -1
    if place < 0:
        return None
    end = place + len(original)
    return Anchor(original, text[max(0, place - MAX_CONTEXT_CHARS) : place], text[end : end + MAX_CONTEXT_CHARS], to_utf16(text, place))


def anchor_find(text: str, anchor: Anchor, *, is_unchanged: bool = False) -> int | None:
    """Return the code point at which the quote begins in `text`, or None when it is gone or two places match equally well.

    `is_unchanged`: `text` is the one that the anchor was made for, so its recorded start is correct.
    """
    if is_unchanged:
        return _recorded_position(text, anchor)
    ranking = sorted(((_matching_context(text, place, anchor), place) for place in _occurrences(text, anchor.original)), reverse=True)
    if not ranking or (len(ranking) > 1 and ranking[0][0] == ranking[1][0]):
        return None
    context_length, place = ranking[0]
    is_unique = len(ranking) == 1 and len(anchor.original) >= MIN_UNIQUE_QUOTE_LENGTH
    return place if is_unique or context_length >= _required_context(anchor) else None


def _recorded_position(text: str, anchor: Anchor) -> int | None:
    try:
        place = from_utf16(text, anchor.start)
    except ValueError:
        return None
    return place if anchor.original and text.startswith(anchor.original, place) else None


def _occurrences(text: str, original: str) -> Iterator[int]:
    place = text.find(original) if original else -1
    while place >= 0:
        yield place
        place = text.find(original, place + 1)


def _matching_context(text: str, place: int, anchor: Anchor) -> int:
    """Return how many characters around the quote are unchanged."""
    end = place + len(anchor.original)
    before = text[max(0, place - len(anchor.prefix)) : place]
    after = text[end : end + len(anchor.suffix)]
    return _common_prefix_length(before[::-1], anchor.prefix[::-1]) + _common_prefix_length(after, anchor.suffix)


def _common_prefix_length(one: str, other: str) -> int:
    """Return how many leading characters the two have in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _required_context(anchor: Anchor) -> int:
    """Return the context that must be unchanged: one whole side is enough, because the text next to a quote may be edited."""
    return min(len(side) for side in (anchor.prefix, anchor.suffix) if side) if anchor.prefix or anchor.suffix else 0
