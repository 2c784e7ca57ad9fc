"""A member's chat socket, as the AI SDK's WebSocketChatTransport speaks it, against the ASGI application itself."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import orjson
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from tests.support.chat.chunk_shapes import record_chunk

Chunk = dict[str, Any]
TIMEOUT_S = 60.0  # of a busy machine; nothing that works waits for it


class Browser:
    """A signed-in member's browser: REST calls from coroutine tests, and the cookie for sockets."""

    def __init__(self, user: Any) -> None:
        self.client = Client()
        self.client.force_login(user)

    @property
    def cookie(self) -> str:
        return f"{settings.SESSION_COOKIE_NAME}={self.client.cookies[settings.SESSION_COOKIE_NAME].value}"

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """The response of one call; `body` goes as JSON, and without one nothing does, as from a browser."""
        send = getattr(self.client, method.lower())
        json = {"content_type": "application/json"}
        arguments = {"data": body, **json} if body is not None else json if method.upper() == "POST" else {}
        return await sync_to_async(send)(path, **arguments)

    async def get(self, path: str) -> Any:
        """The JSON of a good answer."""
        response = await self.call("GET", path)
        assert response.status_code == 200, response.content
        return response.json()


def communicator(browser: Browser, path: str, *, origin: str | None = None) -> WebsocketCommunicator:
    from config.asgi import application

    headers = [(b"cookie", browser.cookie.encode()), (b"origin", (origin or settings.PUBLIC_URL).encode())]
    return WebsocketCommunicator(application, path, headers=headers)


class ChatSocket:
    """One open socket. Frames of all requests are read by one task and handed out by request id."""

    def __init__(self, socket: WebsocketCommunicator) -> None:
        self.socket = socket
        self._ids = itertools.count(1)

    async def send(self, chat_id: str, text: str, *, message_id: str = "", **body: Any) -> str:
        """Send a user's message; return the request id."""
        message = {"id": message_id or uuid4().hex, "role": "user", "parts": [{"type": "text", "text": text}]}
        return await self.frame("send", id=chat_id, trigger="submit-message", messages=[message], headers={}, body=body)

    async def regenerate(self, chat_id: str, message_id: str | None = None) -> str:
        return await self.frame("send", id=chat_id, trigger="regenerate-message", messageId=message_id, messages=[], headers={}, body={})

    async def resume(self, chat_id: str) -> str:
        return await self.frame("resume", id=chat_id, headers={}, body={})

    async def frame(self, kind: str, **fields: Any) -> str:
        request_id = str(fields.pop("request_id", f"r{next(self._ids)}"))
        await self.socket.send_to(text_data=orjson.dumps({"type": kind, "requestId": request_id, **fields}).decode())
        return request_id

    async def receive(self) -> dict[str, Any]:
        message = await self.socket.receive_output(timeout=TIMEOUT_S)
        assert message["type"] == "websocket.send", message  # the code says why the server closed it
        frame: dict[str, Any] = orjson.loads(message["text"])
        return frame

    async def chunks(self, request_id: str, until: Callable[[Chunk], bool] | None = None) -> list[Chunk]:
        """The request's chunks, to its end or to the first one that `until` accepts; checks the sequence."""
        return await self._chunks(request_id, 0, until)

    async def chunks_on(self, request_id: str, before: list[Chunk], until: Callable[[Chunk], bool] | None = None) -> list[Chunk]:
        """The chunks that follow `before`, to the end or to the first one that `until` accepts."""
        return await self._chunks(request_id, len(before), until)

    async def _chunks(self, request_id: str, first: int, until: Callable[[Chunk], bool] | None) -> list[Chunk]:
        chunks: list[Chunk] = []
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                frame = await self.receive()
                if frame["requestId"] != request_id:
                    continue  # another answer goes on, and a heartbeat shows what it has cost
                if frame["type"] == "end":
                    return chunks
                if frame["type"] == "chunk":
                    assert frame["sequence"] == first + len(chunks)
                    chunks.append(record_chunk(frame["chunk"]))
                    if until is not None and until(frame["chunk"]):
                        return chunks
                else:
                    assert frame["type"] == "start", frame

    async def answer(self, chat_id: str, text: str, **options: Any) -> list[Chunk]:
        """Send a message and read its answer to the end."""
        return await self.chunks(await self.send(chat_id, text, **options))


async def until_closed(socket: ChatSocket) -> tuple[list[dict[str, Any]], int]:
    """All frames up to the close, and its code."""
    frames: list[dict[str, Any]] = []
    while True:
        output = await socket.socket.receive_output(timeout=TIMEOUT_S)
        if output["type"] == "websocket.close":
            return frames, int(output["code"])
        frames.append(orjson.loads(output["text"]))


@asynccontextmanager
async def chat_socket(browser: Browser, slug: str) -> AsyncIterator[ChatSocket]:
    socket = communicator(browser, f"/o/{slug}/ws/chat/")
    is_connected, _ = await socket.connect(timeout=TIMEOUT_S)
    assert is_connected
    try:
        yield ChatSocket(socket)
    finally:
        await socket.disconnect()


def text_of(chunks: list[Chunk]) -> str:
    return "".join(chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta")


def types_of(chunks: list[Chunk]) -> list[str]:
    """The chunk types, runs of one type shown once."""
    return [kind for kind, _ in itertools.groupby(chunk["type"] for chunk in chunks)]
