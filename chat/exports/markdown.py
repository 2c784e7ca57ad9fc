"""An export as Markdown, piece by piece."""

from __future__ import annotations

from typing import assert_never

from django.utils.translation import gettext

from artifacts.exports import code_fence, markdown_table
from chat.exports.pieces import Piece


def piece_markdown(piece: Piece) -> str:
    """Return the piece as Markdown, with an empty line at its end."""
    match piece.kind:
        case "heading":
            rule = "---\n\n" if piece.level == 2 else ""
            return f"{rule}{'#' * piece.level} {_line(piece.text)}\n\n"
        case "markdown":
            return f"{piece.text.rstrip()}\n\n"
        case "code":
            return f"{code_fence(piece.text, piece.language)}\n"
        case "table":
            return f"{markdown_table(piece.text)}\n"
        case "note":
            return f"*{_line(piece.text)}*\n\n"
        case "picture":
            return f"*{picture_note(_line(piece.text))}*\n\n"
    assert_never(piece.kind)


def picture_note(name: str) -> str:
    """Return what stands in place of a picture."""
    return gettext("Picture: %(name)s") % {"name": name}


def title_markdown(title: str) -> str:
    return f"# {_line(title)}\n\n"


def _line(text: str) -> str:
    return " ".join(text.split())
