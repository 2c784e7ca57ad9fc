"""What a file is, by its bytes alone: the client's word for its type is never read (SECURITY 18).

The name only refuses: a text that calls itself an image is not taken for either. Texts get their media type by their name, because
any text is also plain text, and never one that a browser would run.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import filetype

from files.errors import FileEmpty, FileTypeNotAllowed
from files.kinds import Kind

HEAD_BYTES = 8192  # all that a magic number needs
ZIP = b"PK\x03\x04"
CONTENT_TYPES = "[Content_Types].xml"
CONTENT_TYPES_MAX = 1024 * 1024

MAGIC: Mapping[str, Kind] = {
    "image/png": "image",
    "image/jpeg": "image",
    "image/gif": "image",
    "image/webp": "image",
    "application/pdf": "pdf",
}
_OOXML = "application/vnd.openxmlformats-officedocument"
OFFICE = tuple(f"{_OOXML}.{name}" for name in ("wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"))
TEXT: Mapping[str, str] = {".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".json": "application/json"}
NAMED: Mapping[str, Kind] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp"), "image"),
    ".pdf": "pdf",
    **dict.fromkeys((".docx", ".xlsx", ".pptx"), "office"),
}
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class Detected:
    """`text`: the whole text of a text file, None for the other kinds."""

    kind: Kind
    media_type: str
    text: str | None = None


def kind_of_start(head: bytes) -> Kind:
    """The kind that a file with these first bytes can be at best; what has no magic number can only be text."""
    known = MAGIC.get(filetype.guess_mime(head) or "")
    return known or ("office" if head.startswith(ZIP) else "text")


def detect(content: bytes, name: str) -> Detected:
    """What `content` is. Raises FileEmpty, FileTypeNotAllowed."""
    if not content:
        raise FileEmpty
    found = _detected(content, PurePosixPath(name).suffix.lower())
    named = NAMED.get(PurePosixPath(name).suffix.lower())
    if named is not None and named != found.kind:
        raise FileTypeNotAllowed("The content of this file is not what its name says.")
    return found


def _detected(content: bytes, suffix: str) -> Detected:
    media_type = filetype.guess_mime(content[:HEAD_BYTES]) or ""
    if media_type in MAGIC:
        return Detected(MAGIC[media_type], media_type)
    if content.startswith(ZIP):
        return Detected("office", _office_type(content))
    text = _text(content)
    return Detected("text", _text_type(text, suffix), text)


def _office_type(content: bytes) -> str:
    """The media type of an office document by the content type of its main part; documents with macros have others."""
    types = _content_types(content)
    for media_type in OFFICE:
        if f'"{media_type}.main+xml"'.encode() in types:
            return media_type
    raise FileTypeNotAllowed


def _content_types(content: bytes) -> bytes:
    """The list of parts in an office document. Headers lie about sizes, and only DEFLATE stops at the size that was asked for."""
    try:
        with ZipFile(BytesIO(content)) as container:
            if container.getinfo(CONTENT_TYPES).compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise FileTypeNotAllowed
            with container.open(CONTENT_TYPES) as part:
                types = part.read(CONTENT_TYPES_MAX + 1)
    except (BadZipFile, zlib.error, struct.error, KeyError, RuntimeError, OSError, ValueError, EOFError) as exc:
        raise FileTypeNotAllowed from exc
    if len(types) > CONTENT_TYPES_MAX:
        raise FileTypeNotAllowed
    return types


def _text(content: bytes) -> str:
    if _NO_TEXT.search(content):
        raise FileTypeNotAllowed
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise FileTypeNotAllowed from exc


def _text_type(text: str, suffix: str) -> str:
    media_type = TEXT.get(suffix, "text/plain")
    return media_type if media_type != "application/json" or _is_json(text) else "text/plain"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
