"""Parses suggestions while a model writes them: JSON objects, each located in the document (SPEC 4.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, ValidationError

from artifacts.anchors import anchor_make
from artifacts.services import NewSuggestion

MAX_SUGGESTIONS = 50
MAX_QUOTE_CHARS = 20_000  # of one quote, and of its replacement
MAX_COMMENT_CHARS = 2000


class RawSuggestion(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    original: str
    replacement: str
    comment: str = ""


class JsonObjectScanner:
    """Finds the JSON objects in a growing text: in JSON lines, in a list or inside a code fence. Other text is skipped."""

    def __init__(self) -> None:
        self._object: list[str] = []
        self._depth = 0
        self._is_text = self._is_escaped = False

    def feed(self, text: str) -> Iterator[str]:
        """Yield each object that ends in `text`, in order."""
        for character in text:
            if self._depth:
                self._object.append(character)
            if self._is_text:
                self._in_text(character)
            elif character == '"' and self._depth:
                self._is_text = True
            elif character == "{":
                self._object = self._object if self._depth else ["{"]
                self._depth += 1
            elif character == "}" and self._depth:
                self._depth -= 1
                if not self._depth:
                    yield "".join(self._object)

    def _in_text(self, character: str) -> None:
        if self._is_escaped:
            self._is_escaped = False
        elif character == "\\":
            self._is_escaped = True
        elif character == '"':
            self._is_text = False


@dataclass
class SuggestionParser:
    """The suggestions for `content` so far."""

    content: str
    items: list[NewSuggestion] = field(default_factory=list)
    dropped: int = 0  # how many could not be parsed or located, or exceeded a limit
    _objects: JsonObjectScanner = field(default_factory=JsonObjectScanner)
    _used_ranges: list[tuple[int, int]] = field(default_factory=list)

    def feed(self, text: str) -> Iterator[NewSuggestion]:
        """Yield the suggestions that `text` completes."""
        for json_text in self._objects.feed(text):
            for suggestion in _read(json_text):
                if (item := self._anchor_suggestion(suggestion)) is not None:
                    self.items.append(item)
                    yield item
                else:
                    self.dropped += 1

    def _anchor_suggestion(self, suggestion: RawSuggestion | None) -> NewSuggestion | None:
        if (
            suggestion is None
            or len(self.items) == MAX_SUGGESTIONS
            or max(len(suggestion.original), len(suggestion.replacement)) > MAX_QUOTE_CHARS
        ):
            return None
        place = self._place(suggestion.original)
        if place is None:
            return None
        anchor = anchor_make(self.content, self.content[slice(*place)], after=place[0])
        if anchor is None or anchor.original == suggestion.replacement:
            return None
        self._used_ranges.append(place)
        return NewSuggestion(anchor=anchor, replacement=suggestion.replacement, comment=suggestion.comment.strip()[:MAX_COMMENT_CHARS])

    def _place(self, quote: str) -> tuple[int, int] | None:
        """Return where the quote stands outside of earlier suggestions: exactly, else with different white space."""
        if not quote.strip():
            return None
        by_words = r"\s+".join(map(re.escape, quote.split()))
        for pattern in (re.escape(quote), by_words):
            for match in re.finditer(pattern, self.content):
                if not any(start < match.end() and match.start() < end for start, end in self._used_ranges):
                    return match.span()
        return None


def _read(json_text: str) -> list[RawSuggestion | None]:
    """Return the suggestions in a JSON object, with None for each invalid one. Some models wrap all of them into one object."""
    try:
        value = json.loads(json_text, strict=False)
        items = next((each for each in value.values() if isinstance(each, list)), None)
    except (ValueError, AttributeError):
        return [None]
    return [_suggestion(each) for each in (items if items is not None else [value])]


def _suggestion(value: object) -> RawSuggestion | None:
    try:
        return RawSuggestion.model_validate(value)
    except ValidationError:
        return None
