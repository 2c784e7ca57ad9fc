"""Texts of one line that show all that they contain: titles and names (docs/security.md)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_MARKS: Final = 4  # combining marks on one letter; more of them cover the lines around it
_JOINERS: Final = "\u200c\u200d"  # Persian, Indic scripts and emoji need them between two letters or pictures
_EMOJI_STYLE: Final = "\ufe0f"
# Letters and marks that look like nothing, or like a space.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

# Latin letters, digits and punctuation without the soft hyphen: all of them can be seen. Most texts have no others, and each of those costs.
_PLAIN: Final = re.compile("[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u20ac]*")


def visible_line(text: str) -> str:
    """Return the text on one line without control characters, direction marks and other characters that can't be seen."""
    if _PLAIN.fullmatch(line := " ".join(text.split())):
        return line
    letters: list[str] = []
    marks = 0
    for place, letter in enumerate(text):
        if letter.isspace():
            letters.append(" ")
            continue
        is_mark = unicodedata.category(letter)[0] == "M"
        marks = marks + 1 if is_mark else 0
        if marks <= MAX_MARKS and _is_visible(text, place, letter):
            letters.append(letter)
    return " ".join("".join(letters).split())


def _is_visible(text: str, place: int, letter: str) -> bool:
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if letter in _JOINERS:
        return all(_can_be_joined(other) for other in (before, after))
    if letter == _EMOJI_STYLE:
        return bool(before) and unicodedata.category(before) in ("So", "Sm", "Po", "Nd")
    if _is_variation_selector(letter) or letter in _BLANK:
        return False
    return unicodedata.category(letter)[0] != "C"


def _can_be_joined(letter: str) -> bool:
    return (
        bool(letter)
        and not letter.isascii()
        and not letter.isspace()
        and (letter == _EMOJI_STYLE or unicodedata.category(letter)[0] in "LMS")
    )


def _is_variation_selector(letter: str) -> bool:
    return "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef" or "\u180b" <= letter <= "\u180f"
