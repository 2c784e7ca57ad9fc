from __future__ import annotations

from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.conf import settings
from pytest_django import Settings

from config.web.socket_middleware import OriginCheck

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
    is_connected, _ = await socket.connect()
    assert is_connected is allowed


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        ("http://parley.localhost:8000", "parley.localhost:8000", True),
        ("http://parley.localhost:8000", "127.0.0.1:8000", False),
        ("http://other.localhost:8000", "parley.localhost:8000", False),
        ("http://parley.localhost:9000", "parley.localhost:8000", False),
        ("https://parley.localhost:8000", "parley.localhost:8000", False),
        ("http://localhost:8000", "localhost:8000", False),
        ("http://files.localhost:8000", "files.localhost:8000", False),
        ("http://parley.localhost.evil.example", "parley.localhost.evil.example", False),
        ("http://evil.example:1.localhost", "evil.example:1.localhost", False),
    ],
)
@pytest.mark.parametrize("is_local", [True, False])
async def test_a_name_below_localhost_opens_its_own_sockets_on_ones_own_machine(
    origin: str, host: str, allowed: bool, is_local: bool, settings: Settings
) -> None:
    settings.LOCAL_NAMES_OPEN_SOCKETS, settings.FILES_URL = is_local, "http://files.localhost:8000"
    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    socket = WebsocketCommunicator(OriginCheck(accept), "/o/acme/ws/chat/", headers=headers)
    is_connected, _ = await socket.connect()
    assert is_connected is (allowed and is_local)
