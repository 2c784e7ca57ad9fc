"""ASGI helpers of the doubles: read a body, send JSON, run until the client leaves."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast

import orjson

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


async def read_body(receive: Receive) -> bytes:
    pieces: list[bytes] = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def request_headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


async def send_json(send: Send, status: int, body: Any) -> None:
    await send_body(send, status, orjson.dumps(body, option=orjson.OPT_INDENT_2), "application/json; charset=UTF-8")


async def send_body(send: Send, status: int, body: bytes, content_type: str) -> None:
    headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def start_event_stream(send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})


async def send_chunk(send: Send, body: bytes, *, last: bool = False) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": not last})


async def run_until_disconnect(work: Awaitable[None], receive: Receive) -> bool:
    """Run `work` and return True; when the client leaves first, cancel it and return False."""
    player = asyncio.ensure_future(work)
    watcher = asyncio.ensure_future(_wait_for_disconnect(receive))
    try:
        await asyncio.wait({player, watcher}, return_when=asyncio.FIRST_COMPLETED)
        if player.done():
            player.result()
            return True
        return False
    finally:
        player.cancel()
        watcher.cancel()
        await asyncio.gather(player, watcher, return_exceptions=True)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def close_connection(scope: Scope, *, reset: bool) -> None:
    """Break the connection during the answer, by closing or resetting (RST) it.

    Needs `doubles.server.TransportProtocol`, because ASGI hides the connection. Raises RuntimeError without it.
    """
    transport = cast("asyncio.Transport | None", scope.get("state", {}).get("transport"))
    if transport is None:
        raise RuntimeError("The double is not served by serving.server, so it can't break a connection.")
    if not reset:
        transport.close()
        return
    sock: socket.socket = transport.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
