"""Removes a key from provider errors (SECURITY 12): some repeat the key that they refuse, or all headers."""

from __future__ import annotations

from security.redaction import REDACTED

MIN_KEY_PREFIX = 6  # shortest prefix of a key that is removed at the end of a truncated message


def redact_key(text: str, key: str) -> str:
    """Return `text` without the key, even when the end of the text cuts the key short."""
    text = text.replace(key, REDACTED)
    words = text.rstrip(".")
    for length in range(len(key) - 1, MIN_KEY_PREFIX - 1, -1):
        if words.endswith(key[:length]):
            return f"{words[:-length]}{REDACTED}."
    return text
