"""Short pieces of a text around the words that were found, as segments: no HTML, and no positions that depend on an encoding."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from chat.search.words import IDEOGRAPHS, words_in
from tenants.input.visible_text import visible_line

BEFORE: Final = 40  # characters in front of the first word that was found
LENGTH: Final = 180
PIECE: Final = 600  # characters of a document among which a snippet is looked for

_MARKUP: Final = re.compile(
    r"^\s*`{3,}.*$|^\s{0,3}(?:#{1,6}|>|[-*+](?: \[[ xX]\])?)\s+|^\s*\|?[-:| ]+\|[-:| ]*$|^\s*\||\|\s*$", re.MULTILINE
)
_INLINE: Final = re.compile(r"\*\*|__|`+")
_LINK: Final = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)")  # what is read of it, and its address
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")


class Segment(NamedTuple):
    """A piece of a text, and whether it is a word that was found."""

    text: str
    is_hit: bool


def highlight(text: str, terms: Collection[str]) -> list[Segment]:
    """Return the whole text in segments. A word is marked as far as a wanted one reaches."""
    segments: list[Segment] = []
    done = 0
    for start, end in _places(text, terms):
        segments += [Segment(text[done:start], False), Segment(text[start:end], True)]
        done = end
    return [segment for segment in (*segments, Segment(text[done:], False)) if segment.text]


def snippet(texts: Sequence[str], terms: Collection[str]) -> list[Segment]:
    """Return about LENGTH characters around the place where most wanted words are, on one line."""
    text = "\n".join(texts)
    line = visible_line(without_markup(text))
    for less_plain in (_MARKUP.sub(" ", text), text):
        if not _places(line, terms):  # they may be in an address or between marks, or else say what language a program is in
            line = visible_line(_INLINE.sub(" ", less_plain))
    start, end = _window(line, terms)
    piece = line[start:end].strip()
    return highlight(("… " if start else "") + piece + (" …" if end < len(line) else ""), terms)


def piece_with(text: str, terms: Collection[str]) -> str:
    """Return the piece of a long text, of about PIECE characters, in which most wanted words begin; of several such pieces the first."""
    if len(text) <= PIECE:
        return text
    starts = {word: re.compile(rf"(?<![^\W_{IDEOGRAPHS}]){re.escape(word)}") for word in terms}
    best, most = text[:PIECE], 0
    for start in range(0, len(text), PIECE - LENGTH):
        plain = _without_accents(piece := text[start : start + PIECE])
        count = sum(word in plain and begins.search(plain) is not None for word, begins in starts.items())  # the first is much cheaper
        if count > most:
            best, most = piece, count
        if most == len(starts):
            break
    return best


def _without_accents(text: str) -> str:
    return text.lower() if text.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold()))


def without_markup(text: str) -> str:
    """Return Markdown about as it is read: without marks, and without the addresses of links."""
    return _LINK.sub(r"\1", _INLINE.sub("", _MARKUP.sub(" ", text))).replace(" | ", " · ")


def _window(line: str, terms: Collection[str]) -> tuple[int, int]:
    """Return where the snippet begins and ends, at blanks where there are any."""
    starts = [start for start, _ in _places(line, terms)]
    best = max(starts, key=lambda first: (sum(first <= start < first + LENGTH - BEFORE for start in starts), -first), default=0)
    start = 0 if best <= BEFORE else line.find(" ", best - BEFORE, best) + 1 or best - BEFORE
    end = start + LENGTH
    if end >= len(line):
        return start, len(line)
    blank = line.rfind(" ", start + LENGTH // 2, end)
    return start, blank if blank > 0 else end


def _places(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Return where wanted words are, up to the last letter that is theirs."""
    places = []
    for word in words_in(text):
        longest = max((len(each) for each in terms if word.text.startswith(each)), default=0)
        if longest:
            # Letters that have changed their number (ligatures) are marked as a whole.
            same_length = len(word.text) == word.end - word.start
            places.append((word.start, word.start + longest if same_length else word.end))
    return places
