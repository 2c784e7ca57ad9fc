"""An embedded chat, and a visitor's frame without its page: the session, REST calls and the socket."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import jwt
import orjson
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from embed.keys import site_key
from embed.models import EmbedSite
from embed.services import site_save, site_secret_renew
from tenants.context import tenant_tx
from tenants.models import User
from tests.support.accounts.cast import Cast
from tests.support.chat.chat_socket import TIMEOUT_S, ChatSocket

SHOP = "https://shop.example"
OURS = "http://testserver"


def make_site(cast: Cast, user: User, **fields: Any) -> tuple[str, str]:
    """Return the key and the secret of an embed of the user's organization."""
    actor = cast.actor(user)
    with tenant_tx(actor.organization_id):
        site = EmbedSite(**{"name": "Shop", "title": "Ask us", "allowed_origins": [SHOP], **fields})
        site_save(site, actor=actor)
        site, secret = site_secret_renew(actor=actor, site_id=site.pk)
    return site_key(site), secret.reveal()


def host_token(secret: str, key: str, *, algorithm: str = "HS256", **claims: Any) -> str:
    payload = {"sub": "customer-7", "name": "Kim", "aud": key, "exp": int(time.time()) + 300, **claims}
    return jwt.encode({name: value for name, value in payload.items() if value is not None}, secret, algorithm=algorithm)


def begin(key: str, *, origin: str | None = OURS, address: str = "127.0.0.1", **fields: str) -> Any:
    """Begin a session. `address`: a test that begins many has one of its own, because they are counted across tests."""
    headers = {"origin": origin} if origin else {}
    return Client(REMOTE_ADDR=address).post(
        f"/embed/{key}/session/", orjson.dumps(fields), content_type="application/json", headers=headers
    )


def call(bearer: str, method: str, path: str, body: Any = None) -> Any:
    """Make a REST call with the bearer. Its client has no cookie."""
    headers = {"authorization": f"Bearer {bearer}"}
    return Client().generic(method, path, "" if body is None else orjson.dumps(body).decode(), "application/json", headers=headers)


acall = sync_to_async(call)


def visitor_communicator(key: str) -> WebsocketCommunicator:
    from config.asgi import application

    return WebsocketCommunicator(application, f"/embed/{key}/ws/", headers=[(b"origin", settings.PUBLIC_URL.encode())])


@asynccontextmanager
async def visitor_socket(key: str, bearer: str) -> AsyncIterator[ChatSocket]:
    socket = visitor_communicator(key)
    is_connected, _ = await socket.connect(timeout=TIMEOUT_S)
    assert is_connected
    await socket.send_to(text_data=orjson.dumps({"type": "authenticate", "bearer": bearer}).decode())
    try:
        yield ChatSocket(socket)
    finally:
        await socket.disconnect()


async def session(key: str, **fields: str) -> dict[str, Any]:
    answer = await sync_to_async(begin)(key, **fields)
    assert answer.status_code == 200, answer.content
    assert not answer.cookies
    body: dict[str, Any] = answer.json()
    return body
