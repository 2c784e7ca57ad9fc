"""Parses and checks a Gemini request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import orjson

from doubles.gemini.config_rules import check_config, declarations
from doubles.gemini.errors import bad_field_error
from doubles.gemini.history_rules import check_history
from doubles.gemini.models import model_profile
from doubles.gemini.request_schema import GENERATE_CONTENT_REQUEST
from doubles.script import ReceivedRequest

_TOOL_CHOICES: Mapping[str | None, Literal["never", "must"]] = {"NONE": "never", "ANY": "must"}


def read_json(payload: bytes) -> dict[str, Any]:
    """Return the parsed body. Raises WireError (400) when it is not a JSON object."""
    try:
        body = orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise bad_field_error("", f"Invalid JSON payload received. {error}") from error
    if not isinstance(body, dict):
        raise bad_field_error("", "Invalid JSON payload received. Root element must be a message.")
    return body


def check_request(request: ReceivedRequest) -> None:
    """Check the body strictly, convert it to camelCase, and set the request's fields that predicates read. Raises WireError."""
    request.body = body = GENERATE_CONTENT_REQUEST(request.body, "")
    model = model_profile(request.model)
    request.system_text = _texts(body.get("systemInstruction", {}))
    request.user_text = last_user_text(body.get("contents", []))
    request.tool_names = tuple(declaration.get("name", "") for declaration in declarations(body))
    request.contents = body.get("contents", [])
    request.tool_choice = _TOOL_CHOICES.get(body.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode"), "free")
    check_config(body, model)
    check_history(body.get("contents", []), model)


def last_user_text(contents: list[dict[str, Any]]) -> str:
    """Return the text of the last content in which the user wrote any; "" when there is none."""
    texts = (_texts(content) for content in reversed(contents) if content.get("role") != "model")
    return next((text for text in texts if text), "")


def wants_thoughts(body: dict[str, Any]) -> bool:
    return bool(_thinking(body).get("includeThoughts"))


def thinks(request: ReceivedRequest) -> bool:
    """Return whether the model thinks: by default if it can, unless the request switches it off."""
    return model_profile(request.model).thinks and _thinking(request.body).get("thinkingBudget") != 0


def _thinking(body: dict[str, Any]) -> dict[str, Any]:
    config: dict[str, Any] = body.get("generationConfig", {}).get("thinkingConfig", {})
    return config


def _texts(content: dict[str, Any]) -> str:
    return "\n".join(part["text"] for part in content.get("parts", []) if "text" in part and not part.get("thought"))
