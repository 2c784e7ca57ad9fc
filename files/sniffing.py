"""Detection of file types from the bytes alone; the client's media type is never read (SECURITY 18).

The name can only cause a refusal: a text named like an image is accepted as neither. The name also selects the media type of texts, which
is always one that a browser would not run.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import filetype
from django.utils.translation import gettext

from files.errors import FileEmpty, FileTypeNotAllowed
from files.kinds import FileKind

HEAD_BYTES = 8192  # enough for any magic number
ZIP = b"PK\x03\x04"
CONTENT_TYPES = "[Content_Types].xml"
MAX_CONTENT_TYPES_BYTES = 1024 * 1024

KIND_BY_MEDIA_TYPE: Mapping[str, FileKind] = {
    "image/png": "image",
    "image/jpeg": "image",
    "image/gif": "image",
    "image/webp": "image",
    "application/pdf": "pdf",
}
_OOXML = "application/vnd.openxmlformats-officedocument"
OFFICE_MEDIA_TYPES = tuple(
    f"{_OOXML}.{name}" for name in ("wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation")
)
TEXT_MEDIA_TYPES: Mapping[str, str] = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".csv": "text/csv",
    ".json": "application/json",
}
KIND_BY_SUFFIX: Mapping[str, FileKind] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp"), "image"),
    ".pdf": "pdf",
    **dict.fromkeys((".docx", ".xlsx", ".pptx"), "office"),
}
_UTF16_MARKS = (BOM_UTF16_LE, BOM_UTF16_BE)
_BINARY_BYTES = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ASCII = bytes(range(128))
MAX_WESTERN_SHARE = 0.5  # of bytes beyond ASCII; Cyrillic, Greek and Japanese texts have more, and Windows-1252 would garble them


@dataclass(frozen=True, slots=True)
class DetectedType:
    """The detected type of a file."""

    kind: FileKind
    media_type: str
    text: str | None = None  # the whole text of a text file; None for other kinds


def kind_from_head(head: bytes) -> FileKind:
    """Return the only kind that a file with these first bytes can be. Without a magic number it can only be text."""
    kind = KIND_BY_MEDIA_TYPE.get(filetype.guess_mime(head) or "")
    return kind or ("office" if head.startswith(ZIP) else "text")


def detect(content: bytes, name: str) -> DetectedType:
    """Return what `content` is. Raises FileEmpty, FileTypeNotAllowed."""
    if content in (b"", BOM_UTF8, *_UTF16_MARKS):
        raise FileEmpty
    detected = _detect_by_content(content, PurePosixPath(name).suffix.lower())
    suffix_kind = KIND_BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
    if suffix_kind is not None and suffix_kind != detected.kind:
        raise FileTypeNotAllowed(gettext("The content of this file is not what its name says."))
    return detected


def _detect_by_content(content: bytes, suffix: str) -> DetectedType:
    media_type = filetype.guess_mime(content[:HEAD_BYTES]) or ""
    if media_type in KIND_BY_MEDIA_TYPE:
        return DetectedType(KIND_BY_MEDIA_TYPE[media_type], media_type)
    if content.startswith(ZIP):
        return DetectedType("office", _office_type(content))
    text = _text(content)
    return DetectedType("text", _text_type(text, suffix), text)


def text_content(text: str) -> bytes:
    """Return the bytes of a text file with this text, without the control characters that `detect` refuses."""
    return _BINARY_BYTES.sub(b"", text.encode())


def _office_type(content: bytes) -> str:
    """Return the media type of an office document, from the content type of its main part. Documents with macros have other content types."""
    types = _content_types(content)
    for media_type in OFFICE_MEDIA_TYPES:
        if f'"{media_type}.main+xml"'.encode() in types:
            return media_type
    raise FileTypeNotAllowed


def _content_types(content: bytes) -> bytes:
    """Return the list of an office document's parts.

    ZIP headers can lie about sizes, and only DEFLATE stops at the requested size.
    """
    try:
        with ZipFile(BytesIO(content)) as container:
            if container.getinfo(CONTENT_TYPES).compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise FileTypeNotAllowed
            with container.open(CONTENT_TYPES) as part:
                types = part.read(MAX_CONTENT_TYPES_BYTES + 1)
    except (BadZipFile, zlib.error, struct.error, KeyError, RuntimeError, OSError, ValueError, EOFError) as exc:
        raise FileTypeNotAllowed from exc
    if len(types) > MAX_CONTENT_TYPES_BYTES:
        raise FileTypeNotAllowed
    return types


def _text(content: bytes) -> str:
    """Return the text in UTF-16 by its mark, in UTF-8, or in Windows-1252, in which Excel saves its plain CSV.

    The page reads imported sheets by the same rules (frontend/src/artifacts/sheet/csvFile.ts). Raises FileTypeNotAllowed.
    """
    try:
        text = content.decode("utf-16" if content.startswith(_UTF16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError as exc:
        text = _western_text(content, exc)
    if _BINARY_BYTES.search(text.encode()):
        raise FileTypeNotAllowed
    return text


def _western_text(content: bytes, error: UnicodeDecodeError) -> str:
    """Return the text in Windows-1252, of which Latin-1 is a part as far as texts go. Raises FileTypeNotAllowed."""
    beyond_ascii = len(content.translate(None, _ASCII))
    if content.startswith(_UTF16_MARKS) or beyond_ascii > MAX_WESTERN_SHARE * len(content):
        raise FileTypeNotAllowed from error
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as exc:
        raise FileTypeNotAllowed from exc


def _text_type(text: str, suffix: str) -> str:
    media_type = TEXT_MEDIA_TYPES.get(suffix, "text/plain")
    return media_type if media_type != "application/json" or _is_json(text) else "text/plain"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
