"""Middleware that gives each request an id, which its log lines and audit events carry."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from structlog.contextvars import bound_contextvars

from tenants.request_context import RequestContext, context_of, request_context

Response = HttpResponseBase


@sync_and_async_middleware
def RequestLogMiddleware(  # noqa: N802  named like the other entries of MIDDLEWARE
    get_response: Callable[[HttpRequest], Response | Awaitable[Response]],
) -> Callable[[HttpRequest], Response | Awaitable[Response]]:
    """Bind `request_id` to the log context and say who sends the request (tenants.request_context).

    The organization's id is bound where the membership is checked (tenants.rest.http).
    """

    async def handle_async(request: HttpRequest) -> Response:
        context = _context(request)
        with bound_contextvars(request_id=context.request_id), request_context(context):
            response: Response = await get_response(request)  # type: ignore[misc]
            return response

    def handle(request: HttpRequest) -> Response:
        context = _context(request)
        with bound_contextvars(request_id=context.request_id), request_context(context):
            return get_response(request)  # type: ignore[return-value]

    return handle_async if iscoroutinefunction(get_response) else handle


def _context(request: HttpRequest) -> RequestContext:
    peer = request.META.get("REMOTE_ADDR", "")
    return context_of(
        uuid.uuid4().hex, peer, {"user-agent": request.META.get("HTTP_USER_AGENT", "")}, request.COOKIES, settings.SESSION_COOKIE_NAME
    )
