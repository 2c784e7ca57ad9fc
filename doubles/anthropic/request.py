"""From a request's bytes to a checked request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import orjson

from doubles.anthropic.config_rules import check_config
from doubles.anthropic.contents import contents_of
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


def read_json(payload: bytes) -> dict[str, Any]:
    """Raises WireError when the body is too large or no JSON object."""
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
    """Check the body strictly; fills what predicates look at. Raises WireError."""
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
    counted = [body.get("system"), body["messages"], body.get("tools")]
    return count_tokens(orjson.dumps(counted).decode())


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
