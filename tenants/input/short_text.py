"""Short texts of one line that a request brings: what a list is filtered by, the note of a release."""

from __future__ import annotations

from typing import Final

MAX_CHARS: Final = 200


def short_text(value: object, *, at_most: int = MAX_CHARS) -> str:
    """Return the value as a text without blanks around it, and without NUL, which PostgreSQL refuses."""
    return str(value).replace("\x00", "").strip()[:at_most]
