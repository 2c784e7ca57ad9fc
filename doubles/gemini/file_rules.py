"""Which files and which parts of its own tools the Gemini API refuses in a history.

Sources: https://ai.google.dev/gemini-api/docs/image-understanding, https://ai.google.dev/gemini-api/docs/document-processing,
https://ai.google.dev/gemini-api/docs/tool-combination and the messages that users of the API report.
"""

from __future__ import annotations

from typing import Any

from doubles.gemini.errors import invalid
from doubles.gemini.proto import decode_base64
from doubles.media import PDF, matches_media_type

IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")
_RECOGNISED = ("image/png", "image/jpeg", "image/webp", PDF)


def check_inline_data(data: dict[str, Any], place: str) -> None:
    """Raises WireError (400)."""
    if not data.get("mimeType"):
        raise invalid(f"* GenerateContentRequest.{place}.inline_data.mime_type: mime_type must not be empty.\n")
    if not data.get("data"):
        raise invalid(f"* GenerateContentRequest.{place}.inline_data.data: data must not be empty.\n")
    media_type = data["mimeType"]
    if media_type not in (*IMAGE_TYPES, PDF) and not media_type.startswith(("text/", "audio/", "video/")):
        raise invalid(f"Unsupported MIME type: {media_type}")
    if media_type in _RECOGNISED and not matches_media_type(decode_base64(data["data"]), media_type):
        raise invalid("The document has no pages." if media_type == PDF else "Unable to process input image. Please retry or report.")


def check_server_parts(parts: list[dict[str, Any]], role: str) -> None:
    """What the API ran comes back from the model's side, each call with its response. Raises WireError (400)."""
    calls = [part["toolCall"].get("id") for part in parts if "toolCall" in part]
    responses = [part["toolResponse"].get("id") for part in parts if "toolResponse" in part]
    if role != "model" and (calls or responses or any("executableCode" in part or "codeExecutionResult" in part for part in parts)):
        raise invalid("Please ensure that parts of server-side tools are in a content with the role model.")
    if sorted(map(str, calls)) != sorted(map(str, responses)):
        raise invalid("Please ensure that each tool_call part has a tool_response part with the same id.")
