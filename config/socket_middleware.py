"""The session of a socket's handshake.

Sockets are opened only from our own pages (SECURITY 20): browsers send cookies along from any page.
"""

from __future__ import annotations

from typing import Any

from channels.security.websocket import WebsocketDenier
from channels.sessions import InstanceSessionWrapper, SessionMiddleware
from django.conf import settings


class SocketSession(SessionMiddleware):
    """Puts the session into the scope, as Channels does, and leaves `send` alone.

    Channels looks at the session with every frame, whether it has to be saved: which it does with the start of a response, and a socket has none.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        wrapper = InstanceSessionWrapper(scope, send)
        await wrapper.resolve_session()
        application: Any = self.inner
        return await application(wrapper.scope, receive, send)


class OriginCheck:
    """ASGI middleware: the Origin header must be in settings.ALLOWED_ORIGINS; `null` and a missing one are refused."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        is_allowed = _origin(scope) in settings.ALLOWED_ORIGINS
        application: Any = self.application if is_allowed else WebsocketDenier()
        return await application(scope, receive, send)


def _origin(scope: dict[str, Any]) -> str | None:
    """The one Origin header; None when there is none or more than one."""
    values = [value for name, value in scope["headers"] if name == b"origin"]
    return values[0].decode("latin-1") if len(values) == 1 else None
