"""Sockets are opened only from our own pages (SECURITY 20): browsers send cookies along from any page."""

from __future__ import annotations

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.conf import settings


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
