"""Removes a key from what a provider answers (SECURITY 12): some errors repeat the key that they refuse, or all headers, and a server
that somebody else runs may write it into its answer, also encoded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from agents.messages import AnswerEvent, ModelResponse, ReasoningDelta, TextDelta
from security.known_secrets import MIN_ENCODED_CHARS, EchoFilter, StreamFilter
from security.redaction import REDACTED
from security.secrets.secret_text import SecretText

MIN_KEY_PREFIX = 6  # shortest prefix of a key that is removed at the end of a truncated message
UNREAD_FIELDS = frozenset({"id", "unsaved_base64", "media_type", "partial", "size_bytes", "is_error"})


def redact_key(text: str, key: str) -> str:
    """Return `text` without the key in any form, even when the end of the text cuts the key short."""
    text = EchoFilter.removing(key).hide(text)
    words = text.rstrip(".")
    for length in range(len(key) - 1, MIN_KEY_PREFIX - 1, -1):
        if words.endswith(key[:length]):
            return f"{words[:-length]}{REDACTED}."
    return text


class KeyFilter:
    """Hides the key in one streamed answer. A key that is too short to be told from words, as of a server at home, is left alone."""

    def __init__(self, key: SecretText) -> None:
        value = key.reveal()
        self._echoes = EchoFilter.removing(value if len(value) >= MIN_ENCODED_CHARS else "")
        self._stream: StreamFilter | None = None
        self._kind: type[TextDelta | ReasoningDelta] = TextDelta

    def add(self, event: AnswerEvent) -> Sequence[AnswerEvent]:
        """Return what of the event, and of what was held back before it, may be shown now."""
        if not isinstance(event, TextDelta | ReasoningDelta):
            return [*self.end(), self._without_key(event)]
        before: Sequence[AnswerEvent] = () if self._kind is type(event) else [*self.end()]
        if self._stream is None:
            self._stream, self._kind = self._echoes.stream(), type(event)
        text = self._stream.add(event.text)
        if text is event.text and not before:
            return (event,)
        return [*before, type(event)(text)] if text else before

    def end(self) -> Iterator[AnswerEvent]:
        """Yield what was held back. The next delta begins another part."""
        rest = self._stream.end() if self._stream else ""
        self._stream = None
        if rest:
            yield self._kind(rest)

    def response(self, response: ModelResponse) -> ModelResponse:
        """Return the response without the key; the same object when it has none."""
        entries = tuple(map(self._without_key, response.entries))
        is_same = all(new is old for new, old in zip(entries, response.entries, strict=True))
        return response if is_same else replace(response, entries=entries)

    def _without_key(self, entry: Any) -> Any:
        """Return the entry without the key; the same object when it has none. Changed entries lose what is signed with them."""
        changes: dict[str, Any] = {}
        for field in fields(entry):
            value = getattr(entry, field.name)
            if field.name not in UNREAD_FIELDS and (new_value := self._echoes.hide_value(value)) is not value:
                changes[field.name] = new_value
        if changes and hasattr(entry, "provider_metadata"):
            changes["provider_metadata"] = None
        return replace(entry, **changes) if changes else entry
