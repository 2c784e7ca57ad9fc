"""File names that are safe to show, to store and to put into a header."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

from files.models import NAME_MAX

UNNAMED = "file"


def clean_name(name: str) -> str:
    """The last part of `name` without control characters, directions and other invisible ones; at most NAME_MAX characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    visible = "".join(letter for letter in unicodedata.normalize("NFC", last) if unicodedata.category(letter)[0] != "C")
    cleaned = " ".join(visible.split()).strip(".") or UNNAMED
    if len(cleaned) <= NAME_MAX:
        return cleaned
    suffix = PurePosixPath(cleaned).suffix[:20]
    return cleaned[: NAME_MAX - len(suffix)] + suffix
