from __future__ import annotations

from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.conf import settings

from config.socket_middleware import OriginCheck

OWN = settings.PUBLIC_URL.encode()


async def accept(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})


@pytest.mark.parametrize(
    ("origins", "allowed"),
    [
        ([OWN], True),
        ([], False),
        ([b"null"], False),
        ([b""], False),
        ([b"https://evil.example"], False),
        ([OWN + b".evil.example"], False),
        ([OWN + b":81"], False),
        ([OWN.upper()], False),
        ([OWN, b"https://evil.example"], False),
    ],
)
async def test_only_our_own_pages_open_sockets(origins: list[bytes], allowed: bool) -> None:
    headers = [(b"origin", origin) for origin in origins]
    socket = WebsocketCommunicator(OriginCheck(accept), "/o/acme/ws/chat/", headers=headers)
    connected, _ = await socket.connect()
    assert connected is allowed
