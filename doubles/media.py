"""Checks of attached files in the doubles: enough to refuse what the real APIs refuse."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from io import BytesIO

from PIL import Image
from pypdf import PdfReader
from pypdf.errors import PyPdfError

IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
PDF = "application/pdf"
_DATA_URL = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,(.*)", re.DOTALL)
_MAGIC_NUMBERS: Mapping[str, re.Pattern[bytes]] = {
    "image/png": re.compile(rb"\x89PNG"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
    PDF: re.compile(rb"%PDF-"),
}


def parse_data_url(url: str) -> tuple[str, str]:
    """Return the media type and the base64 text of a data URL; two empty strings for anything else."""
    match = _DATA_URL.fullmatch(url)
    return (match[1], match[2]) if match else ("", "")


def decode_or_none(text: str) -> bytes | None:
    """Decode base64; None when it is invalid."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def matches_media_type(data: bytes, media_type: str) -> bool:
    """Return whether the bytes match their media type."""
    return bool(_MAGIC_NUMBERS[media_type].match(data))


def longest_side(data: bytes) -> int:
    """Return the longer side of the image in pixels; 0 when it can't be read."""
    try:
        with Image.open(BytesIO(data)) as image:
            return max(image.size)
    except OSError:
        return 0


def is_animated(data: bytes) -> bool:
    """Return whether the image has several frames; False when it can't be read."""
    try:
        with Image.open(BytesIO(data)) as image:
            return bool(getattr(image, "is_animated", False))
    except OSError:
        return False


class PdfRefused(Exception):
    """A PDF file that can't be opened."""


class PdfEncrypted(PdfRefused):
    """It asks for a password."""


def pdf_pages(data: bytes) -> int:
    """Return the number of pages. Raises PdfRefused, PdfEncrypted."""
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted:
            raise PdfEncrypted
        return len(reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError) as error:
        raise PdfRefused from error
