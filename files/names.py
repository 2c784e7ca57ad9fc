"""File names that are safe to display, store and put into a header."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

from files.models import MAX_NAME_CHARS

UNNAMED = "file"


def clean_name(name: str) -> str:
    """Return the last part of `name` without control characters, direction marks and other invisible characters.

    At most MAX_NAME_CHARS characters; the suffix is kept.
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    visible = "".join(letter for letter in unicodedata.normalize("NFC", last) if unicodedata.category(letter)[0] != "C")
    cleaned = " ".join(visible.split()).strip(".") or UNNAMED
    if len(cleaned) <= MAX_NAME_CHARS:
        return cleaned
    suffix = PurePosixPath(cleaned).suffix[:20]
    return cleaned[: MAX_NAME_CHARS - len(suffix)] + suffix
