"""Parses and checks a Claude request, and converts its conversation into Gemini's form, which scripts read on every wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import orjson

from doubles.anthropic.config_rules import check_config
from doubles.anthropic.errors import WireError, invalid
from doubles.anthropic.history_rules import check_history
from doubles.anthropic.models import model_profile
from doubles.anthropic.request_schema import (
    CountTokensRequest,
    MessagesRequest,
    MessagesRequest20230601,
    blocks_of,
    check_fields,
)
from doubles.gemini.stream import count_tokens
from doubles.script import ReceivedRequest

VERSIONS = ("2023-06-01", "2026-10-21")
MAX_SIZE_BYTES = 32 * 1024 * 1024
_TOOL_CHOICES: Mapping[str | None, Literal["never", "must"]] = {"none": "never", "any": "must", "tool": "must"}


def contents_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the conversation of a request whose fields are already checked. Thinking is left out."""
    names = {block["id"]: block["name"] for message in body["messages"] for block in blocks_of(message) if block["type"] == "tool_use"}
    return [
        {
            "role": "model" if message["role"] == "assistant" else "user",
            "parts": [part for block in blocks_of(message) if (part := _part(block, names)) is not None],
        }
        for message in body["messages"]
    ]


def _part(block: dict[str, Any], names: dict[str, str]) -> dict[str, Any] | None:
    match block["type"]:
        case "text":
            return {"text": block["text"]}
        case "tool_use":
            return {"functionCall": {"id": block["id"], "name": block["name"], "args": block["input"]}}
        case "tool_result":
            call_id = block["tool_use_id"]
            return {"functionResponse": {"id": call_id, "name": names.get(call_id, ""), "response": _response(block)}}
        case _:
            return None


def _response(block: dict[str, Any]) -> dict[str, Any]:
    content = block.get("content") or ""
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    return {"error": text} if block.get("is_error") else {"output": _value(text)}


def _value(text: str) -> Any:
    """Parse a tool's JSON result; other text is returned unchanged."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def read_json(payload: bytes) -> dict[str, Any]:
    """Return the parsed body. Raises WireError when it is too large or not a JSON object."""
    if len(payload) > MAX_SIZE_BYTES:
        raise WireError(413)
    try:
        body = orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise invalid(f"The request body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise invalid("Input should be a valid dictionary or object to extract fields from")
    return body


def check_request(request: ReceivedRequest) -> None:
    """Check the body strictly, and set the request's fields that predicates read. Raises WireError."""
    version = _version(request)
    only_counts = request.path.endswith("/count_tokens")
    form = CountTokensRequest if only_counts else MessagesRequest20230601 if version == VERSIONS[0] else MessagesRequest
    check_fields(request.body, form)
    model = model_profile(request.model)
    _fill_request(request)
    check_config(request.body, model, request.headers.get("anthropic-beta", ""))
    check_history(request.body, model)
    tokens = prompt_tokens(request.body)
    if tokens > model.context_window:
        raise invalid(f"prompt is too long: {tokens} tokens > {model.context_window} maximum")


def prompt_tokens(body: dict[str, Any]) -> int:
    prompt = [body.get("system"), body["messages"], body.get("tools")]
    return count_tokens(orjson.dumps(prompt).decode())


def _version(request: ReceivedRequest) -> str:
    version = request.headers.get("anthropic-version", "")
    if not version:
        raise invalid("anthropic-version: header is required")
    if version not in VERSIONS:
        raise invalid(f'anthropic-version: "{version}" is not a valid version')
    return version


def _fill_request(request: ReceivedRequest) -> None:
    body = request.body
    system = {"content": body.get("system") or []}
    request.system_text = _texts(system)
    users = (_texts(message) for message in reversed(body["messages"]) if message["role"] == "user")
    request.user_text = next((text for text in users if text), "")
    request.tool_names = tuple(tool["name"] for tool in body.get("tools") or [])
    request.contents = contents_of(body)
    request.tool_choice = _TOOL_CHOICES.get((body.get("tool_choice") or {}).get("type"), "free")


def _texts(message: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in blocks_of(message) if block["type"] == "text")
