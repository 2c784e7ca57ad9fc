"""Middleware that gives each request an id, which its log lines and audit events carry, and that counts and logs the request."""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final

import structlog
from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from opentelemetry.trace import INVALID_SPAN, Span
from structlog.contextvars import bound_contextvars

from telemetry.families import ERRORS, REQUEST_SECONDS, REQUESTS
from telemetry.spans import name_request, request_span
from tenants.request_context import RequestContext, context_of, request_context

Response = HttpResponseBase

METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
PROBES: Final = frozenset({"livez", "readyz"})  # they come every few seconds
STATIC: Final = "static"
NO_ROUTE: Final = "none"
SURFACES: Final = (
    ("o/<slug:slug>/admin/", "admin"),
    ("operator/", "admin"),
    ("o/<slug:slug>/api/", "api"),
    ("api/", "api"),
    ("v1/", "api"),
)

log = structlog.get_logger(__name__)


@sync_and_async_middleware
def RequestLogMiddleware(  # noqa: N802  named like the other entries of MIDDLEWARE
    get_response: Callable[[HttpRequest], Response | Awaitable[Response]],
) -> Callable[[HttpRequest], Response | Awaitable[Response]]:
    """Bind `request_id` to the log context and say who sends the request (tenants.request_context).

    The organization's id is bound where the membership is checked (tenants.rest.http).
    """

    async def handle_async(request: HttpRequest) -> Response:
        context, begun_s = _context(request), time.monotonic()
        with bound_contextvars(request_id=context.request_id), request_context(context), _span(request, context) as span:
            response: Response = await get_response(request)  # type: ignore[misc]
            _note(request, response, context, begun_s, span)
            return response

    def handle(request: HttpRequest) -> Response:
        context, begun_s = _context(request), time.monotonic()
        with bound_contextvars(request_id=context.request_id), request_context(context), _span(request, context) as span:
            response: Response = get_response(request)  # type: ignore[assignment]
            _note(request, response, context, begun_s, span)
            return response

    return handle_async if iscoroutinefunction(get_response) else handle


def _span(request: HttpRequest, context: RequestContext) -> AbstractContextManager[Span]:
    """Return the request's span; none for what has no route of ours."""
    if request.path_info.startswith("/static/") or request.path_info.strip("/") in PROBES:
        return nullcontext(INVALID_SPAN)
    return request_span(_method(request), context.request_id)


def _note(request: HttpRequest, response: Response, context: RequestContext, begun_s: float, span: Span) -> None:
    """Count and log the request when its response begins: a stream may last for minutes."""
    took_s = time.monotonic() - begun_s
    route, method = _route(request), _method(request)
    name_request(span, method, route, response.status_code)
    REQUESTS.labels(method, route, f"{response.status_code // 100}xx").inc()
    if route == STATIC:
        return
    REQUEST_SECONDS.labels(_surface(route)).observe(took_s)
    if response.status_code >= 500:
        ERRORS.labels("request", str(response.status_code)).inc()
    if route in PROBES:
        return
    log.info(
        "request",
        method=method,
        route=route,
        status=response.status_code,
        duration_ms=round(took_s * 1000),
        **({"organization_id": str(context.organization_id)} if context.organization_id else {}),
    )


def _method(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


def _route(request: HttpRequest) -> str:
    """Return the URL's pattern, which has no ids: bounded for metrics, and without content for logs."""
    if request.resolver_match is not None:
        return request.resolver_match.route
    return STATIC if request.path_info.startswith("/static/") else NO_ROUTE


def _surface(route: str) -> str:
    return next((surface for prefix, surface in SURFACES if route.startswith(prefix) or f"/{prefix}" in route), "page")


def _context(request: HttpRequest) -> RequestContext:
    peer = request.META.get("REMOTE_ADDR", "")
    return context_of(
        uuid.uuid4().hex, peer, {"user-agent": request.META.get("HTTP_USER_AGENT", "")}, request.COOKIES, settings.SESSION_COOKIE_NAME
    )
