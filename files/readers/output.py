"""Output of the readers: joins pieces of text up to a limit, and marks a page's title in the first line."""

from __future__ import annotations

from collections.abc import Iterable

TITLE = "Title: "


def gettext_noop(text: str) -> str:
    """Mark a text for the message catalogue, as Django's function of this name does: these processes don't load Django."""
    return text


class NoText(Exception):
    """The document has no readable text. The message says why."""


def join_pieces(pieces: Iterable[str], characters: int) -> tuple[str, bool]:
    """Return the pieces as lines, at most `characters` long, and whether there were more. Reads no further than needed."""
    lines: list[str] = []
    length = 0
    for piece in pieces:
        clean = piece.encode("utf-8", "replace").decode()  # parsers may return lone surrogates
        lines.append(clean)
        length += len(clean) + 1
        if length > characters:
            break
    text = "\n".join(lines).strip()
    return text[:characters], len(text) > characters
