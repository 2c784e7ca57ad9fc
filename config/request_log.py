"""Middleware that gives each request an id, which all its log lines carry."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from structlog.contextvars import bound_contextvars

Response = HttpResponseBase


@sync_and_async_middleware
def RequestLogMiddleware(  # noqa: N802  named like the other entries of MIDDLEWARE
    get_response: Callable[[HttpRequest], Response | Awaitable[Response]],
) -> Callable[[HttpRequest], Response | Awaitable[Response]]:
    """Bind `request_id` to the log context. The organization's id is bound where the membership is checked (tenants.rest.http)."""

    async def handle_async(request: HttpRequest) -> Response:
        with bound_contextvars(request_id=uuid.uuid4().hex):
            response: Response = await get_response(request)  # type: ignore[misc]
            return response

    def handle(request: HttpRequest) -> Response:
        with bound_contextvars(request_id=uuid.uuid4().hex):
            return get_response(request)  # type: ignore[return-value]

    return handle_async if iscoroutinefunction(get_response) else handle
