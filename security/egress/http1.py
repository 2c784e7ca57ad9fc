"""HTTP/1.1 connections for httpcore's pool, with a fast path for bodies.

As in httpcore's own connection, h11 writes the request and reads the head. The body bypasses h11, because a stream of tokens is almost all
body: h11 and the generators between it and the reader cost more per token than all our own work (docs/decisions/0012).
"""

from __future__ import annotations

import ssl
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any

import h11
import httpcore2

from security.egress.framing import ChunkedFraming, CloseDelimitedFraming, ContentLengthFraming, Framing

READ_BYTES = 64 * 1024
MAX_HEAD_BYTES = 100 * 1024
BODY_EXTENSION = "parley.body"  # the response extension that holds its ResponseBody
BODILESS_STATUSES = (204, 304)


class ConnectionState(Enum):
    """The states of a connection."""

    NEW = "new"  # created for a request, which will connect it
    ACTIVE = "active"
    IDLE = "idle"
    CLOSED = "closed"


class ResponseBody:
    """A response's body. Closing it before its end closes the connection."""

    def __init__(
        self, stream: httpcore2.AsyncNetworkStream, framing: Framing, timeout_s: float | None, finish: Callable[[], Awaitable[None]]
    ):
        self._stream = stream
        self._framing = framing
        self._timeout_s = timeout_s
        self._finish: Callable[[], Awaitable[None]] | None = finish
        self._next = b""

    def begin(self, data: bytes) -> None:
        """Pass in the data that arrived together with the head."""
        if data:
            self._next = self._framing.feed(data)

    async def read(self) -> bytes:
        """Return what has arrived, or b"" at the end. A block that arrived before an error is returned first.

        Raises ReadError, ReadTimeout, RemoteProtocolError.
        """
        framing = self._framing
        while not self._next:
            if framing.error is not None:
                raise framing.error
            if framing.is_complete:
                return b""
            self._next = framing.feed(await self._stream.read(READ_BYTES, self._timeout_s))
        block, self._next = self._next, b""
        return block

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while block := await self.read():
            yield block

    async def aclose(self) -> None:
        if self._finish is not None:
            finish, self._finish = self._finish, None
            await finish()


class Http1Connection(httpcore2.AsyncConnectionInterface):
    """One connection to `origin`. It connects on its first request and stays open for at most `idle_s` seconds between two requests."""

    _stream: httpcore2.AsyncNetworkStream | None = None
    _idle_until = 0.0

    def __init__(
        self, origin: httpcore2.Origin, *, backend: httpcore2.AsyncNetworkBackend, ssl_context: ssl.SSLContext, idle_s: float
    ) -> None:
        self._origin = origin
        self._backend = backend
        self._ssl_context = ssl_context
        self._idle_s = idle_s
        self._state = ConnectionState.NEW

    async def handle_async_request(self, request: httpcore2.Request) -> httpcore2.Response:
        """Send the request and return its response, whose body is still to be read.

        The ResponseBody is the response's content and its extension BODY_EXTENSION. Raises httpcore2's errors. Raises
        ConnectionNotAvailable when another request is in progress or the server has closed the connection; the pool then uses another
        connection.
        """
        if self._state not in (ConnectionState.NEW, ConnectionState.IDLE):
            raise httpcore2.ConnectionNotAvailable
        if self._stream is not None and self._stream.get_extra_info(
            "is_readable"
        ):  # data without a request: the server closed the connection or misbehaves
            await self.aclose()
            raise httpcore2.ConnectionNotAvailable
        self._state = ConnectionState.ACTIVE
        try:
            if self._stream is None:
                self._stream = await self._connect(_timeout_of(request, "connect"))
            return await self._exchange(self._stream, request)
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        self._state = ConnectionState.CLOSED
        if self._stream is not None:
            await self._stream.aclose()

    # Called by the pool.

    def can_handle_request(self, origin: httpcore2.Origin) -> bool:
        return origin == self._origin

    def is_connected(self) -> bool:
        return self._stream is not None and self._state is not ConnectionState.CLOSED

    def is_available(self) -> bool:
        return self._state is ConnectionState.IDLE

    def is_idle(self) -> bool:
        return self._state is ConnectionState.IDLE

    def is_closed(self) -> bool:
        return self._state is ConnectionState.CLOSED

    def has_expired(self) -> bool:
        """Return whether the connection was idle for too long or received something.

        The pool calls this on all its connections for every request, so the kernel is not asked here.
        """
        if self._state is not ConnectionState.IDLE or self._stream is None:
            return False
        return time.monotonic() > self._idle_until or bool(self._stream.get_extra_info("has_heard"))

    def info(self) -> str:
        return f"{self._origin}, HTTP/1.1, {self._state.value}"

    async def _connect(self, timeout_s: float | None) -> httpcore2.AsyncNetworkStream:
        host = self._origin.host.decode("ascii")
        stream = await self._backend.connect_tcp(host, self._origin.port, timeout_s)
        if self._origin.scheme != b"https":
            return stream
        self._ssl_context.set_alpn_protocols(["http/1.1"])
        try:
            return await stream.start_tls(self._ssl_context, host, timeout_s)
        except BaseException:
            await stream.aclose()
            raise

    async def _exchange(self, stream: httpcore2.AsyncNetworkStream, request: httpcore2.Request) -> httpcore2.Response:
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        with suppress(httpcore2.WriteError):  # a server may refuse a request before it has received all of it, and say why
            await _send(http, stream, request)
        head = await _read_head(http, stream, _timeout_of(request, "read"))
        framing = _framing(request.method, head)

        async def finish() -> None:
            await self._finish(can_serve=http.our_state is h11.DONE and framing.is_complete and not framing.has_trailing_data)

        body = ResponseBody(stream, framing, _timeout_of(request, "read"), finish)
        body.begin(http.trailing_data[0])
        extensions = {"http_version": b"HTTP/" + head.http_version, "reason_phrase": head.reason, BODY_EXTENSION: body}
        return httpcore2.Response(head.status_code, headers=head.headers.raw_items(), content=body, extensions=extensions)

    async def _finish(self, *, can_serve: bool) -> None:
        if not can_serve or self._state is not ConnectionState.ACTIVE:
            await self.aclose()
            return
        self._state = ConnectionState.IDLE
        self._idle_until = time.monotonic() + self._idle_s


async def _send(http: h11.Connection, stream: httpcore2.AsyncNetworkStream, request: httpcore2.Request) -> None:
    """Send the request. h11 refuses requests that would be misread: line breaks in headers, or a body of another length."""
    timeout_s = _timeout_of(request, "write")
    with _translate_errors():
        head = http.send(h11.Request(method=request.method, target=request.url.target, headers=request.headers))
    await stream.write(head, timeout_s)
    assert isinstance(request.stream, AsyncIterable)
    async for data in request.stream:
        with _translate_errors():
            part = http.send(h11.Data(data=data))
        await stream.write(part, timeout_s)
    with _translate_errors():
        end = http.send(h11.EndOfMessage())
    await stream.write(end, timeout_s)


async def _read_head(http: h11.Connection, stream: httpcore2.AsyncNetworkStream, timeout_s: float | None) -> h11.Response:
    """Return the head of the final response. Those before it (1xx) are ignored."""
    while True:
        with _translate_errors():
            event = http.next_event()
        if isinstance(event, h11.Response) and http.their_state is not h11.SWITCHED_PROTOCOL:
            return event
        if event is h11.NEED_DATA:
            data = await stream.read(READ_BYTES, timeout_s)
            if not data:
                raise httpcore2.RemoteProtocolError("Server disconnected without sending a response.")
            http.receive_data(data)
        elif not isinstance(event, h11.InformationalResponse) or event.status_code == 101:
            raise httpcore2.RemoteProtocolError("The server changes to another protocol.")


def _framing(method: bytes, head: h11.Response) -> Framing:
    """Choose the body's framing (RFC 9112, 6.3). h11 has already refused contradictory lengths and every encoding but chunked."""
    if method == b"HEAD" or head.status_code in BODILESS_STATUSES:
        return ContentLengthFraming(0)
    headers: dict[bytes, bytes] = dict(head.headers)
    if b"transfer-encoding" in headers:
        return ChunkedFraming()
    if b"content-length" in headers:
        return ContentLengthFraming(int(headers[b"content-length"]))
    return CloseDelimitedFraming()


def _timeout_of(request: httpcore2.Request, name: str) -> float | None:
    """Return the request's time limit of this name, in seconds, or None."""
    limits: dict[str, Any] = request.extensions.get("timeout", {})
    limit: float | None = limits.get(name)
    return limit


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except h11.RemoteProtocolError as exc:
        raise httpcore2.RemoteProtocolError(str(exc)) from exc
    except h11.LocalProtocolError as exc:
        raise httpcore2.LocalProtocolError(str(exc)) from exc
