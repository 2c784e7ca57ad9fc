"""DRF renderer and content negotiation of the REST API: responses are JSON, whatever the client accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from tenants.json_encoding import json_bytes


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
        """Return the JSON, or no bytes for no data (204). Text that is not valid UTF-8 (a model's lone surrogates) is written as escapes."""
        if data is None:
            return b""
        return json_bytes(data)
