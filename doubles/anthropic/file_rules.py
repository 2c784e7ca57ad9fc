"""Which images and documents the Claude API refuses, with its own messages where they are known.

Sources: https://platform.claude.com/docs/en/build-with-claude/vision, .../pdf-support and the messages that users of the API report.
"""

from __future__ import annotations

from typing import Any

from doubles.anthropic.errors import invalid
from doubles.media import PDF, decode_or_none, matches_media_type

MAX_IMAGE_CHARS = 5 * 1024 * 1024  # base64 characters


def check_file(block: dict[str, Any], place: str) -> None:
    """Of a block of type image or document, whose form was checked."""
    source = block["source"]
    at = f"{place}.{block['type']}.source.base64"
    data = decode_or_none(source["data"])
    if data is None:
        raise invalid(f"{at}.data: Invalid base64 data")
    if block["type"] == "image" and (size := len(source["data"])) > MAX_IMAGE_CHARS:
        raise invalid(f"{at}: image exceeds 5 MB maximum: {size} bytes > {MAX_IMAGE_CHARS} bytes")
    if not matches_media_type(data, source["media_type"]):
        what = "The PDF specified was not valid." if source["media_type"] == PDF else "Could not process image"
        raise invalid(f"{at}.data: {what}")
