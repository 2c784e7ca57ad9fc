"""Finds known secrets in text that others wrote, also when they are encoded: a server may send back what it received.

Forms: as it is, reversed, in base64 (wherever it stands among other bytes), in hex, percent-encoded, and escaped as in JSON, HTML and
program texts, where each character may be escaped or not. Every search takes time that is linear in the text.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, quote_plus

from security.redaction import REDACTED

MIN_ENCODED_CHARS: Final = 8  # the encoded forms of a shorter value would also be found in ordinary text
HEAD_CHARS: Final = 4  # of a form; a stream may show fewer characters of a secret before it is recognized
ESCAPE_MARKS: Final = ("%", "\\", "&#")


class EchoFilter:
    """Replaces secrets in text. `secrets`: the replacement by value; of two secrets with the same form, the first one counts."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = secrets
        self._forms: dict[str, str] = {}
        for value, replacement in secrets.items():
            for form in _forms(value):
                self._forms.setdefault(form, replacement)
        self._forms = dict(sorted(self._forms.items(), key=lambda pair: -len(pair[0])))  # the longest of overlapping ones is found
        self._heads = tuple({form[:HEAD_CHARS] for form in self._forms})

    @cached_property
    def _mixed_patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """The patterns of escaped secrets. They are made for the first text with an escape; most answers have none."""
        return [(_mixed_pattern(value), replacement) for value, replacement in self._secrets.items() if len(value) >= MIN_ENCODED_CHARS]

    @classmethod
    def removing(cls, *values: str) -> EchoFilter:
        """Return a filter that puts `[removed]` in place of the values."""
        return cls(dict.fromkeys(filter(None, values), REDACTED))

    def hide(self, text: str) -> str:
        """Return `text` without the secrets; the same object when it contains none."""
        forms = [form for form in self._forms if form in text]  # ten times as fast as one pattern of all forms
        if forms:
            text = re.sub("|".join(map(re.escape, forms)), lambda match: self._forms[match[0]], text)
        if any(mark in text for mark in ESCAPE_MARKS):
            for pattern, replacement in self._mixed_patterns:
                hidden = pattern.sub(lambda _, replacement=replacement: replacement, text)  # type: ignore[misc]  # bound at once
                text = text if hidden == text else hidden
        return text

    def hide_value(self, value: Any) -> Any:
        """Return a JSON value with all its strings and names hidden; the same object when nothing was found."""
        return map_texts(value, self.hide)

    def stream(self) -> StreamFilter:
        return StreamFilter(self._forms, self._heads)


class StreamFilter:
    """Hides secrets in a text that arrives in pieces. What may be the beginning of a secret is held back until more is known."""

    __slots__ = ("_forms", "_heads", "_held_text", "_tail")

    def __init__(self, forms: Mapping[str, str], heads: Iterable[str]) -> None:
        self._forms, self._heads = forms, heads
        self._tail = ""  # the last characters that were shown, too few to be recognized
        self._held_text = ""

    def add(self, piece: str) -> str:
        """Return what may be shown now; `piece` itself when it has nothing to do with a secret."""
        text = f"{self._tail}{self._held_text}{piece}"
        for head in self._heads:
            if head in text:
                return self._add_suspicious(text)
        self._tail = text[1 - HEAD_CHARS :]
        output, self._held_text = (f"{self._held_text}{piece}" if self._held_text else piece), ""
        return output

    def end(self) -> str:
        """Return what was held back, because it turned out to be none. The next piece begins a new text."""
        remainder, self._held_text, self._tail = self._held_text, "", ""
        return remainder

    def _add_suspicious(self, text: str) -> str:
        pieces, at = list[str](), len(self._tail)
        while match := min(self._matches(text, at), default=None):
            start, _, form = match
            pieces += [text[at:start], self._forms[form]]
            at = start + len(form)
        held_from = max(at, min(self._partial_matches(text, at), default=len(text)))
        pieces.append(text[at:held_from])
        begins_after_secret = len(pieces) > 1
        first = at if begins_after_secret else 0  # of what the tail may repeat
        self._tail, self._held_text = text[max(first, held_from - HEAD_CHARS + 1) : held_from], text[held_from:]
        return "".join(pieces)

    def _matches(self, text: str, at: int) -> Iterator[tuple[int, int, str]]:
        """Yield where each form is found that ends after `at`, the longest first at the same place."""
        for form in self._forms:
            start = text.find(form, max(0, at - HEAD_CHARS + 1))
            if start >= 0:
                yield start, -len(form), form

    def _partial_matches(self, text: str, at: int) -> Iterator[int]:
        """Yield where the end of the text may be the beginning of a form."""
        for form in self._forms:
            start = text.find(form[:HEAD_CHARS], max(0, at - HEAD_CHARS + 1, len(text) - len(form) + 1))
            while start >= 0:
                if form.startswith(text[start:]):
                    yield start
                    break
                start = text.find(form[:HEAD_CHARS], start + 1)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return the JSON value with `change` applied to every string in it; the same object when nothing changed."""
    match value:
        case str():
            changed = change(value)
            return value if changed == value else changed
        case Mapping():
            pairs = [(map_texts(key, change), map_texts(inner, change)) for key, inner in value.items()]
            is_same = all(key is old and inner is value[old] for (key, inner), old in zip(pairs, value, strict=True))
            return value if is_same else dict(pairs)
        case list() | tuple():
            items = [map_texts(inner, change) for inner in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else type(value)(items)
        case _:
            return value


def _forms(value: str) -> Iterator[str]:
    """Yield the texts that contain the value and nothing else."""
    yield value
    if len(value) < MIN_ENCODED_CHARS:
        return
    content = value.encode()
    yield value[::-1]
    for json_text in (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
        yield from (json_text, json_text.replace("/", "\\/"))
    yield from (quote(value, safe=""), quote_plus(value, safe=""), re.sub("%..", lambda code: code[0].lower(), quote(value, safe="")))
    for pairs in (content.hex(" "), content.hex(" ").upper()):
        yield pairs.replace(" ", "")
        yield "%" + pairs.replace(" ", "%")
        yield "\\x" + pairs.replace(" ", "\\x")
    units = value.encode("utf-16-be").hex(" ", 2)
    for digits in (units, units.upper()):
        yield "\\u" + digits.replace(" ", "\\u")
    for offset in range(3):
        text = base64.b64encode(bytes(offset) + content).decode()
        inner = text[-(-offset * 8 // 6) : (offset + len(content)) * 8 // 6]  # without the characters that share bits with other bytes
        yield inner
        yield inner.translate(URL_SAFE)


URL_SAFE = str.maketrans("+/", "-_")


def _utf16(value: str) -> Iterator[int]:
    units = value.encode("utf-16-be")
    return (int.from_bytes(units[place : place + 2]) for place in range(0, len(units), 2))


def _mixed_pattern(value: str) -> re.Pattern[str]:
    """Return the pattern of the value with each of its characters escaped or not. No repetition is open-ended, so it takes linear time."""
    return re.compile("".join(f"(?:{'|'.join(_character(each))})" for each in value))


def _character(each: str) -> Iterator[str]:
    yield re.escape(each)
    yield "".join(rf"%(?:25)?(?i:{byte:02x})" for byte in each.encode())
    yield "".join(rf"\\{{1,3}}x(?i:{byte:02x})" for byte in each.encode())
    yield "".join(rf"\\{{1,3}}u(?i:{unit:04x})" for unit in _utf16(each))
    yield rf"&#0{{0,4}}{ord(each)};"
    yield rf"&#[xX]0{{0,4}}(?i:{ord(each):x});"
    if not each.isalnum():
        yield rf"\\{{1,3}}{re.escape(each)}"
    if each == " ":
        yield r"\+"
