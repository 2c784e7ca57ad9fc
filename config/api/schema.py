"""The OpenAPI schema: generated from the REST views' declarations, and written by hand for the streams, which are not REST views."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from admin_config.defaults.platform import PROVIDERS
from chat.api.frames import ChatRequest
from chat.api.rest.schemas import KEY_PARAMETER
from config.api.rest_urls import rest, session_only
from tenants.rest.schemas import ERROR_DESCRIPTIONS

_PROVIDER_KEYS = tuple(spec.key_header for spec in PROVIDERS.values() if spec.key_header)
_STREAM = {
    "description": "The AI SDK's UI message stream: server-sent events, each a JSON chunk (docs/protocol.md), the last one [DONE].",
    "content": {"text/event-stream": {"schema": {"type": "string"}}},
}
_TOKEN = {"type": "http", "scheme": "bearer", "description": "A personal API token, parley_..."}
_SESSION = {"type": "apiKey", "in": "cookie", "name": "parley_session", "description": "The browser's session."}
_CSRF = {"type": "apiKey", "in": "header", "name": "X-CSRFToken", "description": "Beside the session, for everything but reading."}


def api_schema(*, server: str, is_session: bool) -> dict[str, Any]:
    """Return the OpenAPI document.

    `server`: the path prefix of all URLs. `is_session`: include what only a browser session may do.
    """
    return {**_schema(is_session=is_session), "servers": [{"url": server}]}


@cache
def _schema(*, is_session: bool) -> dict[str, Any]:
    generator: Callable[..., Any] = SchemaGenerator
    spec: dict[str, Any] = generator(patterns=[*rest, *(session_only if is_session else [])]).get_schema(request=None, public=True)
    schemes = {"token": _TOKEN} | ({"session": _SESSION, "csrf": _CSRF} if is_session else {})
    _require_bodies(spec["paths"])
    spec["components"]["securitySchemes"] = schemes
    spec["components"]["schemas"] |= _chat_schemas()
    spec["security"] = [{"token": []}, *([{"session": [], "csrf": []}] if is_session else [])]
    spec["paths"] |= _streams()
    return spec


def _require_bodies(paths: dict[str, Any]) -> None:
    """Say that uploads need their form, and changes their fields. The generator asks for a body only where a model has required fields."""
    for operations in paths.values():
        for method, description in operations.items():
            body = description.get("requestBody", {})
            if body and (method == "patch" or "multipart/form-data" in body["content"]):
                body["required"] = True


def _chat_schemas() -> dict[str, Any]:
    shape = ChatRequest.model_json_schema(ref_template="#/components/schemas/{model}")
    parts = shape.pop("$defs")
    # In the request, the options stand next to the SDK's own fields.
    shape["properties"] = {name: part for name, part in shape["properties"].items() if name != "options"}
    shape["properties"] |= parts.pop("ChatOptions")["properties"]
    return {**parts, "ChatRequest": shape}


def _streams() -> dict[str, Any]:
    headers = [
        {"name": name, "in": "header", "schema": {"type": "string"}, "description": "For this answer alone."} for name in _PROVIDER_KEYS
    ]
    send = {
        "operationId": "sendMessage",
        "summary": "Send a message, or write an answer again, and follow it",
        "tags": ["streams"],
        "parameters": headers,
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ChatRequest"}}}},
        "responses": {"200": _STREAM, **_errors(400, 401, 403, 404, 409, 413, 415, 429, 503)},
    }
    key = KEY_PARAMETER["key"]
    resume = {
        "operationId": "followAnswer",
        "summary": "Follow the answer of a conversation from its beginning",
        "tags": ["streams"],
        "parameters": [{"name": "key", "in": "path", "required": True, "schema": key}],
        "responses": {"200": _STREAM, "204": {"description": "Nothing is being written."}, **_errors(401, 403, 404, 429, 503)},
    }
    return {"/api/chat": {"post": send}, "/api/chat/{key}/stream": {"get": resume}}


def _errors(*statuses: int) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {str(status): {"description": ERROR_DESCRIPTIONS[status], "content": content} for status in statuses}
