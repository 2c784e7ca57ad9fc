"""Suggestions for a document: what a script can honestly propose for single places of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from doubles.demo.titles import headline

MAX_SUGGESTIONS = 5
_SENTENCE = re.compile(r"[A-Z][^.!?\n|#>*`\[\]]{50,300}[.!?](?=\s|$)")
_GAP = re.compile(r"\[[^\[\]\n]{5,120}\](?!\()")


def review(content: str) -> list[str]:
    """One line of JSON for each suggestion, in the order of the document; quotes occur only once in it."""
    found = sorted({quote: (place, line) for place, quote, line in _suggestions(content) if content.count(quote) == 1}.values())
    return [line for _, line in found[:MAX_SUGGESTIONS]]


def _suggestions(content: str) -> Iterator[tuple[int, str, str]]:
    if (title := re.search(r"^# (.+)$", content, re.MULTILINE)) and not title[1].endswith(": an overview"):
        yield _line(title.start(), title[0], f"# {headline(title[1])}: an overview", "Says what kind of text this is.")
    for gap in _GAP.finditer(content):
        yield _line(gap.start(), gap[0], "(to be confirmed)", "A fact is missing here.")
    for sentence in _SENTENCE.finditer(content):
        first, comma, rest = sentence[0].partition(", ")
        if comma and len(first) > 25 and len(rest) > 15:
            yield _line(sentence.start(), sentence[0], f"{first}.", "Shorter: one thought in one sentence.")


def _line(place: int, original: str, replacement: str, comment: str) -> tuple[int, str, str]:
    return place, original, json.dumps({"original": original, "replacement": replacement, "comment": comment}, ensure_ascii=False) + "\n"
