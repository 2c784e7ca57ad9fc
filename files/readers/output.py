"""Putting a document's text together, no further than is kept.

How the child process tells a page's title: as the first line of its text.
"""

from __future__ import annotations

from collections.abc import Iterable


class NoText(Exception):
    """The sentence says why."""


def join_pieces(pieces: Iterable[str], characters: int) -> tuple[str, bool]:
    """The pieces as lines, at most so many characters, and whether there were more. Reads no further than needed."""
    kept: list[str] = []
    length = 0
    for piece in pieces:
        clean = piece.encode("utf-8", "replace").decode()  # parsers find halves of characters
        kept.append(clean)
        length += len(clean) + 1
        if length > characters:
            break
    text = "\n".join(kept).strip()
    return text[:characters], len(text) > characters


TITLE = "Title: "
