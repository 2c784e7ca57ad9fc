"""How the REST API encodes its answers: as JSON, whatever the client accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

import orjson
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from tenants.json_encoding import json_bytes
from tenants.rest.schemas import ResponseSchema


def answer_bytes(answer: object) -> bytes:
    """Return the JSON of an answer: a schema, plain JSON, or plain JSON with schemas in it.

    Text that is not valid UTF-8 (a model's lone surrogates) is written as escapes.
    """
    return json_bytes(answer, default=_plain)


def as_json(shape: ResponseSchema) -> dict[str, Any]:
    """Return the schema as plain JSON, for a message that is encoded in another way."""
    plain: dict[str, Any] = orjson.loads(answer_bytes(shape))
    return plain


def _plain(value: object) -> object:
    match value:
        case ResponseSchema():
            return value.json_fields()
        case UUID():
            return str(value)
        case datetime() | date():
            return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not JSON.")


class JsonNegotiation(BaseContentNegotiation):
    """Content negotiation that never answers 406: a browser that asks for HTML can read JSON."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)


class JsonRenderer(BaseRenderer):
    """Render a response as JSON."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None) -> bytes:
        """Return the JSON, or no bytes for no data (204)."""
        return b"" if data is None else answer_bytes(data)
