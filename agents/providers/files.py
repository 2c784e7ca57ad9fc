"""Attached files as they are: what OpenAI's and Anthropic's wires spell alike."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from types import MappingProxyType

from agents.engine.messages import File, NativeFile

IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})  # all that these APIs take
PDF = "application/pdf"
NO_FILES: Mapping[str, bytes] = MappingProxyType({})


def native_kind(file: File, attachments: Mapping[str, bytes]) -> NativeFile | None:
    """What the file is given as; None: as text, because its bytes are not there or no API takes its type."""
    if not attachments.get(file.id):
        return None
    if file.media_type in IMAGE_TYPES:
        return "image"
    return "pdf" if file.media_type == PDF else None


def base64_text(data: bytes) -> str:
    return b64encode(data).decode()


def data_url(file: File, data: bytes) -> str:
    return f"data:{file.media_type};base64,{base64_text(data)}"
