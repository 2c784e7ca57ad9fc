"""An ASGI application that sends more than any client should have to keep, and counts what the server took: for test_slow_reader."""

from __future__ import annotations

import os
from typing import Any

CHUNK = os.urandom(32_768).hex().encode()  # text that no server compresses to nothing
CHUNKS = 640  # 42 MB

byte_count = 0


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """`/taken`: the bytes that the server has taken of the flood so far; anything else, also a socket: the flood."""
    if scope["type"] == "lifespan":
        return
    await receive()
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        await _flood(send, lambda chunk: {"type": "websocket.send", "text": chunk.decode()})
        await send({"type": "websocket.close"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
    if scope["path"] != "/taken":
        await _flood(send, lambda chunk: {"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": str(byte_count).encode()})


async def _flood(send: Any, message: Any) -> None:
    global byte_count
    byte_count = 0
    for _ in range(CHUNKS):
        await send(message(CHUNK))
        byte_count += len(CHUNK)
