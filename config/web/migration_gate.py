"""Keeps everybody but probes out of a web process until the tables of its code are there."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext

from config.web.probe_host import PROBES
from config.web.refusal import refuse
from tenants.errors import Unavailable

TRY_AGAIN_LATER: Final = 1013  # close code of RFC 6455's registry


class MigrationGate:
    """ASGI middleware. While it is shut, pages get 503 and sockets are closed; probes say what is missing."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self._is_open = False

    def open(self) -> None:
        """Let everybody in. It may be called from any thread."""
        self._is_open = True

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if self._is_open or scope["type"] == "lifespan" or scope["path"] in PROBES:
            await self.application(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})  # of a refused handshake, browsers tell a page nothing
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
        else:
            await refuse(send, Unavailable(gettext("Parley is being updated. Please try again in a moment.")))
