"""Reasoning that a server writes into the text, between `<think>` and `</think>`, taken out of it piece by piece.

Only a tag at the start of an answer counts: one that comes later may be what the user asked about.
Sources: the documentation of vLLM, LM Studio, SGLang and Groq about models without a reasoning parser.
"""

from __future__ import annotations

from enum import Enum, auto
from urllib.parse import urlsplit

from agents.messages import ReasoningDelta, TextDelta

OPENING, CLOSING = "<think>", "</think>"
Piece = TextDelta | ReasoningDelta

# Servers that leave the tags in the text, depending on the model and on how they were started.
_HOSTS = frozenset({"api.groq.com", "api.together.xyz", "api.fireworks.ai", "api.minimax.io", "api.perplexity.ai"})
_PORTS = frozenset({1234, 8000, 8080, 11434, 30000})  # LM Studio, vLLM, llama.cpp, Ollama, SGLang


def writes_think_tags(base_url: str) -> bool:
    """Return whether a server at this address is known to write its models' reasoning into the text."""
    url = urlsplit(base_url)
    return url.hostname in _HOSTS or url.port in _PORTS


class _Place(Enum):
    START = auto()  # nothing but space so far, or a part of the opening tag
    REASONING = auto()
    GAP = auto()  # after the closing tag, where servers put empty lines
    TEXT = auto()


class ThinkTagSplitter:
    """Splits an answer's text into reasoning and text. A tag may be split over pieces."""

    def __init__(self) -> None:
        self._place = _Place.START
        self._buffer = ""
        self._has_thought = False  # models that do not think leave the tags empty

    def feed(self, text: str) -> list[Piece]:
        """Return what is certain, in order."""
        if self._place is _Place.TEXT:
            return [TextDelta(text)] if text else []
        self._buffer += text
        return [piece for piece in (self._reasoning(), *self._text()) if piece]

    def close(self) -> list[Piece]:
        """Return what was held back; text after it is no reasoning."""
        text, place = self._buffer, self._place
        self._buffer, self._place = "", _Place.TEXT
        if not text or place is _Place.GAP:
            return []
        return [ReasoningDelta(text) if place is _Place.REASONING else TextDelta(text)]

    def _reasoning(self) -> Piece | None:
        if self._place is _Place.START and (text := self._buffer.lstrip()).startswith(OPENING):
            self._place, self._buffer = _Place.REASONING, text.removeprefix(OPENING)
        if self._place is not _Place.REASONING:
            return None
        thought, tag, rest = self._buffer.partition(CLOSING)
        if tag:
            self._place, self._buffer = _Place.GAP, rest
        else:
            tag_length = _length_of_partial_tag(thought)
            thought, self._buffer = thought[: len(thought) - tag_length], thought[len(thought) - tag_length :]
        thought = thought if self._has_thought else thought.lstrip()
        self._has_thought = self._has_thought or bool(thought)
        return ReasoningDelta(thought) if thought else None

    def _text(self) -> list[Piece]:
        text = self._buffer.lstrip()
        may_be_tag = self._place is _Place.START and OPENING.startswith(text)
        if self._place is _Place.REASONING or not text or may_be_tag:
            return []
        text = text if self._place is _Place.GAP else self._buffer
        self._place, self._buffer = _Place.TEXT, ""
        return [TextDelta(text)]


def _length_of_partial_tag(text: str) -> int:
    """Return how many characters at the end of `text` may begin the closing tag."""
    return next((length for length in range(len(CLOSING) - 1, 0, -1) if text.endswith(CLOSING[:length])), 0)
