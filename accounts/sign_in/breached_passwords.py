"""Refuses passwords that stand in a local list of leaked ones."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

HASH_LENGTH = 40  # hex digits of SHA-1


class BreachedPasswordValidator:
    """Checks a password against a file of SHA-1 hashes in ascending order, one per line, as haveibeenpwned.com gives them out.

    A line may go on after the hash (":count"). The file is searched by halves, so its size does not matter. Without a file nothing is
    refused here; Django's own list of 20,000 common passwords always counts.
    """

    def __init__(self, path: str = "") -> None:
        self.path = Path(path) if path else None

    def validate(self, password: str, user: object = None) -> None:
        # Not for storing: the lists are made of SHA-1.
        digest = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper()
        if self.path and contains(self.path, digest):
            raise ValidationError(gettext("This password is in a list of leaked passwords. Choose another one."), code="password_breached")

    def get_help_text(self) -> str:
        return gettext("Not in any list of leaked passwords.")


def contains(path: Path, digest: str) -> bool:
    """Return whether a line of the sorted file begins with the hash `digest`."""
    with path.open("rb") as file:
        low, high = 0, path.stat().st_size
        while low < high:  # the first line that begins at or after `low` is not after the one that is looked for
            middle = (low + high) // 2
            if _line_after(file, middle) < digest:
                low = middle + 1
            else:
                high = middle
        return _line_after(file, low) == digest


def _line_after(file: BinaryIO, offset: int) -> str:
    """Return the hash of the first line that begins at `offset` or later; after the last line something above every hash."""
    file.seek(max(offset - 1, 0))
    if offset:
        file.readline()
    line = file.readline()
    return line[:HASH_LENGTH].decode("ascii", "replace").upper() if line else "~"
