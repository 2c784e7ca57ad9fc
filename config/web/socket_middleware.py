"""ASGI middleware for WebSocket handshakes: the session, who sends, and the origin check.

Sockets may be opened only from our own pages (SECURITY 20), because browsers send our cookies along from any site's page.
"""

from __future__ import annotations

import uuid
from typing import Any

from channels.security.websocket import WebsocketDenier
from channels.sessions import InstanceSessionWrapper, SessionMiddleware
from django.conf import settings
from structlog.contextvars import bound_contextvars

from tenants.request_context import RequestContext, context_of, request_context


class SocketSession(SessionMiddleware):
    """Puts the session into the scope as Channels does, but does not wrap `send`.

    Channels' `send` checks with every frame whether the session must be saved. It saves at the start of an HTTP response, which a
    socket never sends, so the check would be wasted.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        wrapper = InstanceSessionWrapper(scope, send)
        await wrapper.resolve_session()
        application: Any = self.inner
        context = _context(scope)
        with bound_contextvars(request_id=context.request_id), request_context(context):
            return await application(wrapper.scope, receive, send)


class OriginCheck:
    """ASGI middleware that refuses a handshake whose Origin header is not in settings.ALLOWED_ORIGINS, or is `null` or missing.

    On one's own machine a page of a name below localhost may open sockets under that very name: such names are this machine and nobody
    else's (RFC 6761, section 6.3). Files that strangers made have another one (FILES_URL).
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        origin = _header(scope, b"origin")
        is_allowed = origin in settings.ALLOWED_ORIGINS or (settings.LOCAL_NAMES_OPEN_SOCKETS and _is_local_name(origin, scope))
        application: Any = self.application if is_allowed else WebsocketDenier()
        return await application(scope, receive, send)


def _context(scope: dict[str, Any]) -> RequestContext:
    """Return who opened the socket: all its frames have the id of the handshake."""
    peer, *_ = scope.get("client") or [""]
    agent = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"user-agent"), "")
    return context_of(uuid.uuid4().hex, peer, {"user-agent": agent}, scope["cookies"], settings.SESSION_COOKIE_NAME)


def _is_local_name(origin: str | None, scope: dict[str, Any]) -> bool:
    host = _header(scope, b"host") or ""
    name = host.partition(":")[0]
    return origin == f"http://{host}" and name.endswith(".localhost") and origin != settings.FILES_URL


def _header(scope: dict[str, Any], header_name: bytes) -> str | None:
    """Return the header, or None when there is none or more than one."""
    values = [value for name, value in scope["headers"] if name == header_name]
    return values[0].decode("latin-1") if len(values) == 1 else None
