"""Which images and files both OpenAI APIs refuse, with their own messages where they are known.

Sources: https://developers.openai.com/api/docs/guides/images-vision, .../guides/file-inputs and the messages that users of the API report.
"""

from __future__ import annotations

from typing import Any

from doubles.media import IMAGE_TYPES, PDF, decode_or_none, matches_media_type, parse_data_url
from doubles.openai.errors import invalid, missing_parameter
from doubles.openai.validators import join, string

MAX_FILE_BYTES = 50 * 1024 * 1024
_UNSUPPORTED = (
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."
)


def image_url(value: Any, path: str) -> None:
    """A reader: a web address or a data URL of an image."""
    string()(value, path)
    if value.startswith("https://"):
        return
    media_type, text = parse_data_url(value)
    if not media_type.startswith("image/"):
        raise invalid(
            f"Invalid '{path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='),"
            + (f" but got unsupported MIME type '{media_type}'." if media_type else " but got a value without the 'data:' prefix."),
            path,
            "invalid_value",
        )
    data = decode_or_none(text)
    if not data or len(data) > MAX_FILE_BYTES or media_type not in IMAGE_TYPES or not matches_media_type(data, media_type):
        raise invalid(_UNSUPPORTED, path, "invalid_image_format")


def check_file(file: dict[str, Any], path: str) -> None:
    """A file that is given as data needs its name."""
    if "file_data" not in file:
        raise missing_parameter(join(path, "file_id"))
    if not file.get("filename"):
        raise missing_parameter(join(path, "filename"))
    media_type, text = parse_data_url(file["file_data"])
    data = decode_or_none(text)
    if media_type != PDF or not data:
        raise invalid(
            f"Invalid file data: '{path}.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g."
            f" 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{media_type}'.",
            join(path, "file_data"),
            "invalid_value",
        )
    if not matches_media_type(data, PDF) or len(data) > MAX_FILE_BYTES:
        raise invalid("The file you provided could not be processed.", join(path, "file_data"), "invalid_file")
