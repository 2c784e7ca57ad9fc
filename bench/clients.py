"""Clients of the benchmark: a model's stream over plain HTTP, and a browser tab's socket.

They read with as little work as possible, so that the measurement does not measure the client: 200 chats of 50 tokens/s use most of a core.
`websockets` does the handshake and writes messages; incoming frames, 10,000 a second, are parsed here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Protocol, TypeVar, cast
from urllib.parse import urlsplit
from uuid import uuid4

import httptools
import orjson
from websockets.client import ClientProtocol
from websockets.datastructures import Headers
from websockets.typing import Origin
from websockets.uri import parse_uri

TextCallback = Callable[[str], None]
Connection = TypeVar("Connection", bound="RequestProtocol")
_BETWEEN_EVENTS = b"\r\n\r\n"
_BEFORE_JSON = len(b"data: ")
QUESTION = "What does the benchmark measure?"
_LAST = 0x80  # flag of a message's last frame
_END_OF_HEAD = b"\r\n\r\n"


class MeasureError(Exception):
    """A system returned an error instead of an answer."""


class Chat(Protocol):
    """One chat of one system."""

    async def ask(self, on_text: TextCallback) -> None:
        """Send a message and return at the answer's end; `on_text` gets its text as it arrives. Raises MeasureError."""
        ...


class RequestProtocol(asyncio.Protocol):
    """A connection with one request at a time. Data is handled in the loop's own callback, without a task for each piece."""

    _done: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's transport is not a subclass

    def connection_lost(self, exc: Exception | None) -> None:
        self.failed(f"The connection was lost: {exc}")

    async def exchange(self, request: bytes, on_text: TextCallback) -> None:
        """Write the request and wait for `finished`. Raises MeasureError after `failed`."""
        self.on_text = on_text
        self._done = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        await self._done

    def finished(self) -> None:
        if self._done and not self._done.done():
            self._done.set_result(None)

    def failed(self, why: str) -> None:
        if self._done and not self._done.done():
            self._done.set_exception(MeasureError(why))


async def open_connection(make: Callable[[], Connection], url: str) -> Connection:
    """Return a new connection to the URL's host; the caller closes its `transport`. Raises OSError."""
    address = urlsplit(url)
    _, connection = await asyncio.get_running_loop().create_connection(make, address.hostname or "", address.port or 80)
    return connection


class HttpConnection(RequestProtocol):
    """One kept-alive connection to a server of the Gemini wire."""

    def __init__(self) -> None:
        self._rest = b""

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    async def stream(self, request: bytes, on_text: TextCallback) -> None:
        """Send the request's bytes and pass its answer's text on. Raises MeasureError."""
        self._parser = httptools.HttpResponseParser(self)
        await self.exchange(request, on_text)

    def on_body(self, body: bytes) -> None:
        if self._parser.get_status_code() != 200:
            self.failed(body.decode(errors="replace"))
            return
        *events, self._rest = (self._rest + body).split(_BETWEEN_EVENTS)
        for event in events:
            text: str = orjson.loads(event[_BEFORE_JSON:])["candidates"][0]["content"]["parts"][0]["text"]
            if text:
                self.on_text(text)

    def on_message_complete(self) -> None:
        self.finished()


def post_bytes(url: str, headers: dict[str, str], content: bytes) -> bytes:
    """Return a complete POST request as bytes."""
    address = urlsplit(url)
    fields = {"host": address.netloc, **headers, "content-length": str(len(content))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {address.path}?{address.query} HTTP/1.1\r\n{head}\r\n".encode() + content


_TEXT, _CLOSE, _PING = 0x1, 0x8, 0x9


class SocketChat(RequestProtocol):
    """One socket that sends messages, each into a new conversation, or all into the given one."""

    def __init__(self, url: str, origin: str, cookie: str, conversation_id: str | None) -> None:
        self._protocol = ClientProtocol(parse_uri(url), origin=Origin(origin), max_size=None)
        self._headers = Headers({"Cookie": cookie})
        self._conversation_id = conversation_id
        self._numbers = count(1)
        self._rest = b""
        self.is_open = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        request = self._protocol.connect()
        request.headers.update(self._headers)
        self._protocol.send_request(request)
        self._write()

    def data_received(self, data: bytes) -> None:
        if not self.is_open.done():
            self._shake_hands(data)
            return
        frames, self._rest = frames_of(self._rest + data if self._rest else data)
        for opcode, payload in frames:
            self._frame(opcode, payload)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if not self.is_open.done():
            self.is_open.set_exception(MeasureError("The socket was closed before it was open."))

    async def ask(self, on_text: TextCallback) -> None:
        message = {"id": uuid4().hex, "role": "user", "parts": [{"type": "text", "text": QUESTION}]}
        request = {"requestId": f"r{next(self._numbers)}", "trigger": "submit-message", "messages": [message]}
        request["id"] = self._conversation_id or str(uuid4())
        self._protocol.send_text(orjson.dumps({"type": "send", "headers": {}, "body": {}, **request}))
        await self.exchange(b"".join(self._protocol.data_to_send()), on_text)

    def _shake_hands(self, data: bytes) -> None:
        head, end, frames = (self._rest + data).partition(_END_OF_HEAD)
        if not end:
            self._rest = head
            return
        self._rest = b""
        self._protocol.receive_data(head + end)
        if self._protocol.handshake_exc:
            self.is_open.set_exception(MeasureError(f"No socket: {self._protocol.handshake_exc}"))
            return
        self.is_open.set_result(None)
        self.data_received(frames)

    def _frame(self, opcode: int, payload: bytes) -> None:
        if opcode == _TEXT:
            self._message(payload)
        elif opcode == _PING:
            self._protocol.send_pong(payload)
            self._write()
        elif opcode == _CLOSE:
            self.failed(f"The server closed the socket: {payload[2:].decode(errors='replace')}")

    def _message(self, payload: bytes) -> None:
        match orjson.loads(payload):
            case {"type": "chunk", "chunk": {"type": "text-delta", "delta": delta}}:
                self.on_text(delta)
            case {"type": "end"}:
                self.finished()
            case {"type": "error"} | {"type": "chunk", "chunk": {"type": "error"}}:
                self.failed(payload.decode())

    def _write(self) -> None:
        self.transport.write(b"".join(self._protocol.data_to_send()))


def frames_of(buffer: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return the complete frames (opcode and payload) that a server has sent, and the rest (RFC 6455, 5.2).

    Raises MeasureError for a message in several frames.
    """
    frames, at = [], 0
    while len(buffer) >= at + 2:
        head, length = buffer[at], buffer[at + 1]
        start = at + (2 if length < 126 else 4 if length == 126 else 10)
        if length >= 126:
            length = int.from_bytes(buffer[at + 2 : start], "big")
        if len(buffer) < start + length:
            break
        if not head & _LAST:
            raise MeasureError("A message came in several frames.")
        at = start + length
        frames.append((head & 0x0F, buffer[start:at]))
    return frames, buffer[at:]
