"""Rules for the `contents` of a Gemini request, files and server tool parts included, with the API's error messages where known.

Sources: https://ai.google.dev/gemini-api/docs/image-understanding, https://ai.google.dev/gemini-api/docs/document-processing,
https://ai.google.dev/gemini-api/docs/tool-combination, https://ai.google.dev/gemini-api/docs/function-calling,
https://ai.google.dev/gemini-api/docs/thought-signatures and error messages that users of the API report.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from doubles.gemini.errors import invalid
from doubles.gemini.models import ModelProfile
from doubles.gemini.proto import decode_base64
from doubles.gemini.request_schema import PART_DATA
from doubles.gemini.signatures import check_signature
from doubles.media import PDF, PdfRefused, matches_media_type, pdf_pages

IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")
_RECOGNISED = ("image/png", "image/jpeg", "image/webp", PDF)
_RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
)
_CALL_PLACE = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
_RESPONSE_PLACE = "Please ensure that function response turn comes immediately after a function call turn."
_ENDS_WITH_MODEL = "Please ensure that single turn requests end with a user role or the role field is empty."


MAX_PAGES = 1000  # of a document


def check_inline_data(data: dict[str, Any], place: str) -> None:
    """Check a file. Raises WireError (400)."""
    if not data.get("mimeType"):
        raise invalid(f"* GenerateContentRequest.{place}.inline_data.mime_type: mime_type must not be empty.\n")
    if not data.get("data"):
        raise invalid(f"* GenerateContentRequest.{place}.inline_data.data: data must not be empty.\n")
    media_type = data["mimeType"]
    if media_type not in (*IMAGE_TYPES, PDF) and not media_type.startswith(("text/", "audio/", "video/")):
        raise invalid(f"Unsupported MIME type: {media_type}")
    content = decode_base64(data["data"])
    if media_type == PDF:
        _check_pdf(content)
    elif media_type in _RECOGNISED and not matches_media_type(content, media_type):
        raise invalid("Unable to process input image. Please retry or report.")


def _check_pdf(content: bytes) -> None:
    try:
        pages = pdf_pages(content)
    except PdfRefused:
        raise invalid("The document has no pages.") from None
    if pages > MAX_PAGES:
        raise invalid(f"The document contains {pages} pages which exceeds the supported page limit of {MAX_PAGES}.")


def check_server_parts(parts: list[dict[str, Any]], role: str) -> None:
    """Check that server tool parts have the role model, and that each call has its response. Raises WireError (400)."""
    calls = [part["toolCall"].get("id") for part in parts if "toolCall" in part]
    responses = [part["toolResponse"].get("id") for part in parts if "toolResponse" in part]
    if role != "model" and (calls or responses or any("executableCode" in part or "codeExecutionResult" in part for part in parts)):
        raise invalid("Please ensure that parts of server-side tools are in a content with the role model.")
    if sorted(map(str, calls)) != sorted(map(str, responses)):
        raise invalid("Please ensure that each tool_call part has a tool_response part with the same id.")


Content = dict[str, Any]


def check_history(contents: Sequence[Content], model: ModelProfile) -> None:
    """Check the contents. Raises WireError (400) for the first broken rule."""
    if not contents:
        raise invalid("* GenerateContentRequest.contents: contents is not specified\n")
    for index, content in enumerate(contents):
        _check_content(content, f"contents[{index}]", alone=len(contents) == 1)
    _check_order(contents)
    _check_signatures(contents, model)


def calls(content: Content) -> list[dict[str, Any]]:
    return [part["functionCall"] for part in content["parts"] if "functionCall" in part]


def responses(content: Content) -> list[dict[str, Any]]:
    return [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]


def current_turn_start(contents: Sequence[Content]) -> int:
    """Return the index of the last content from the user that is not only function responses; 0 when there is none."""
    own = [
        index
        for index, content in enumerate(contents)
        if content.get("role") != "model" and any("functionResponse" not in part for part in content["parts"])
    ]
    return own[-1] if own else 0


def _check_content(content: Content, place: str, *, alone: bool) -> None:
    role = content.get("role", "")
    if role not in ("user", "model") and not (alone and role == ""):
        raise invalid("Please use a valid role: user, model.")
    if not content.get("parts"):
        raise invalid(f"* GenerateContentRequest.{place}.parts: contents.parts must not be empty.\n")
    for index, part in enumerate(content["parts"]):
        _check_part(part, f"{place}.parts[{index}]")
    check_server_parts(content["parts"], role)
    if role == "model" and responses(content):
        raise invalid(_RESPONSE_PLACE)
    if role != "model" and calls(content):
        raise invalid(_CALL_PLACE)


def _check_part(part: dict[str, Any], place: str) -> None:
    if not PART_DATA & part.keys():
        raise invalid(f"* GenerateContentRequest.{place}.data: required oneof field 'data' must have one initialized field\n")
    if "inlineData" in part:
        check_inline_data(part["inlineData"], place)
    for field, word in (("functionCall", "function_call"), ("functionResponse", "function_response")):
        if field in part and not part[field].get("name"):
            raise invalid(f"* GenerateContentRequest.{place}.{word}.name: Name cannot be empty.\n")
    if "functionResponse" in part and "response" not in part["functionResponse"]:
        raise invalid(f"* GenerateContentRequest.{place}.function_response.response: response is not specified\n")


def _check_order(contents: Sequence[Content]) -> None:
    if calls(contents[0]):
        raise invalid(_CALL_PLACE)
    if responses(contents[0]):
        raise invalid(_RESPONSE_PLACE)
    for before, content in pairwise(contents):
        if calls(content) and before["role"] == "model":
            raise invalid(_CALL_PLACE)
        if calls(before):
            _check_responses(calls(before), responses(content))
        elif responses(content):
            raise invalid(_RESPONSE_PLACE)
    if contents[-1].get("role") == "model":
        raise invalid(_RESPONSE_COUNT if calls(contents[-1]) else _ENDS_WITH_MODEL)


def _check_responses(function_calls: list[dict[str, Any]], function_responses: list[dict[str, Any]]) -> None:
    if len(function_calls) != len(function_responses):
        raise invalid(_RESPONSE_COUNT)
    for call, response in zip(function_calls, function_responses, strict=True):
        if call["name"] != response["name"]:
            raise invalid("Please ensure that the function response name is equal to the function call name of the function call turn.")
        if call.get("id") != response.get("id"):
            raise invalid("Please ensure that the function response id is equal to the function call id of the function call turn.")


def _check_signatures(contents: Sequence[Content], model: ModelProfile) -> None:
    start = current_turn_start(contents)
    for index, content in enumerate(contents):
        if content.get("role") != "model":
            continue
        if model.needs_signatures and index > start:
            _check_first_call_signed(content, index)
        for number, part in enumerate(content["parts"]):
            if model.needs_signatures and "inlineData" in part and "thoughtSignature" not in part:
                raise invalid(
                    f"Image part is missing a thought_signature in content position {index + 1}, part position {number + 1}. Please refer"
                    " to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
                )
            if "thoughtSignature" in part:
                check_signature(part, model.name, f"contents[{index}].parts[{number}]")


def _check_first_call_signed(content: Content, index: int) -> None:
    first = next((part for part in content["parts"] if "functionCall" in part), None)
    if first is not None and "thoughtSignature" not in first:
        raise invalid(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and"
            " missing thought_signature may lead to degraded model performance. Additional data, function call"
            f" `default_api:{first['functionCall']['name']}` , position {index + 1}. Please refer to"
            " https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
        )
