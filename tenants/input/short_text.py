"""What an address asks a list for."""

from __future__ import annotations

from typing import Final

MAX_FILTER_CHARS: Final = 200


def filter_text(value: object, *, at_most: int = MAX_FILTER_CHARS) -> str:
    """Return the value as a text of one filter: without blanks around it, and without NUL, which PostgreSQL refuses."""
    return str(value).replace("\x00", "").strip()[:at_most]
