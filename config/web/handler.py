"""Django's ASGI handler, which answers 400 to headers that Django can't read: it would end with an empty 500."""

from __future__ import annotations

from typing import Any

from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http.response import HttpResponseBase

from tenants.errors import BadRequest
from tenants.rest.http import error_response

UNREADABLE = "The header Content-Type can't be read. Send it without unusual parameters, and text as UTF-8."


class Handler(ASGIHandler):
    """See the module."""

    def create_request(self, scope: Any, body_file: Any) -> tuple[ASGIRequest, None] | tuple[None, HttpResponseBase]:
        try:
            result = super().create_request(scope, body_file)
            if result[0] is not None and result[0].encoding:
                _ = b"\xff".decode(result[0].encoding, "replace")  # forms are decoded so; not each codec can do that
        except (ValueError, LookupError):
            return None, error_response(BadRequest(UNREADABLE))
        return result
