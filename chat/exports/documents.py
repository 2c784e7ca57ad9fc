"""An export as PDF or Word. A confined child process makes the file of the pieces (artifacts.rendering), with the pictures drawn."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, assert_never

from artifacts.exports import Download, file_name, render_document, table_rows
from artifacts.kinds import PDF, WORD
from chat.exports.markdown import picture_note
from chat.exports.pieces import Piece
from files.models import File
from files.selectors import pictures_of_member
from files.storage import contents_read
from tenants.access import Actor
from tenants.context import tenant_tx

MAX_PICTURE_BYTES: Final = 24 * 1024 * 1024  # of all pictures together; the others are named alone

DocumentFormat = Literal["pdf", "docx"]
FORMATS: Final = {"pdf": PDF, "docx": WORD}


def document_download(title: str, pieces: Sequence[Piece], form: DocumentFormat, *, actor: Actor, diagrams: Mapping[str, str]) -> Download:
    """Return the file. `diagrams`: base64 PNGs by the diagrams' sources. Call it outside of transactions. Raises ExportBusy, ExportTooLarge, ExportFailed."""
    pictures = _pictures({piece.file_id for piece in pieces if piece.file_id}, actor)
    order = json.dumps({"title": title, "parts": [_part(piece, pictures) for piece in pieces], "diagrams": dict(diagrams)}).encode()
    return Download(file_name(title, form), FORMATS[form].mime, render_document(form, order))


def _pictures(ids: Collection[str], actor: Actor) -> Mapping[str, bytes]:
    """Return the bytes of the actor's pictures by their files' ids, as many as fit into a file."""
    if not ids:
        return {}
    with tenant_tx(actor.organization_id):
        files = pictures_of_member(ids, actor=actor)
    return contents_read({str(file.pk): file.shown_as for file in _files_that_fit(files)})


def _files_that_fit(files: Iterable[File]) -> Iterator[File]:
    """Yield the files for which there is room. One that is too large leaves the room to those after it."""
    left = MAX_PICTURE_BYTES
    for file in files:
        if file.size_bytes <= left:
            left -= file.size_bytes
            yield file


def _part(piece: Piece, pictures: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the piece as the child reads it."""
    match piece.kind:
        case "heading":
            return {"kind": "heading", "text": piece.text, "level": piece.level - 1}  # the title has a style of its own
        case "markdown":
            return {"kind": "markdown", "text": piece.text, "level": piece.level - 1}
        case "code":
            return {"kind": "code", "text": piece.text, "language": piece.language}
        case "table":
            return {"kind": "rows", "rows": table_rows(piece.text)}
        case "note":
            return {"kind": "note", "text": piece.text}
        case "picture":
            content = pictures.get(piece.file_id)
            if content is None:
                return {"kind": "note", "text": picture_note(piece.text)}
            return {"kind": "picture", "text": piece.text, "bytes": base64.b64encode(content).decode()}
    assert_never(piece.kind)
