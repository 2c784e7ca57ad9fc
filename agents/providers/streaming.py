"""A prepared request on its way: what all adapters that send their own do alike.

Server-sent events from raw bytes (WHATWG HTML, 9.2): lines end in CR, LF or CRLF, and comments are no data.

How long a call may go on (PROTOCOLS f.10). The HTTP client's limit is from byte to byte: an endpoint that only pings would never reach it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

import httpx2
import orjson

from agents.engine.errors import ProviderError, StreamStalled
from agents.providers.connection import CONNECT_TIMEOUT_S, Connection
from security.egress.responses import response_body

ApiErrorFactory = Callable[[int, Any, Mapping[str, str]], ProviderError]


def with_timeouts(request: httpx2.Request, connection: Connection) -> httpx2.Request:
    """`request` with the connection's limits of time."""
    request.extensions["timeout"] = httpx2.Timeout(connection.read_timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S).as_dict()
    return request


async def send_request(request: httpx2.Request, connection: Connection, api_error: ApiErrorFactory) -> httpx2.Response:
    """The good answer, whose body is still to come; the caller closes it.

    Raises what `api_error` makes of another answer's status, body (its JSON, else its text) and headers, which is what the SDKs' errors
    tell of it, and the HTTP client's errors, which hold the request and its key.
    """
    response = await connection.http.send(with_timeouts(request, connection), stream=True)
    if response.is_success:
        return response
    response.encoding = "utf-8"  # not what it says: that may be no encoding of text
    try:
        await response.aread()
    finally:
        await response.aclose()
    raise api_error(response.status_code, _body(response), response.headers)


async def read_blocks(ask: Callable[[], Awaitable[httpx2.Response]], *, first_byte_timeout_s: float) -> AsyncGenerator[bytes]:
    """The bytes of the answer's body as they come; the answer is closed when this ends, however it ends.

    Raises TimeoutError when there is no first byte in time, and what `ask` and the HTTP client do.
    """
    response: httpx2.Response | None = None
    try:
        async with asyncio.timeout(first_byte_timeout_s):
            response = await ask()
            body = response_body(response)
            first = await body.read()
        yield first
        while block := await body.read():
            yield block
    finally:
        if response is not None:
            await response.aclose()


def _body(response: httpx2.Response) -> Any:
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return response.text.strip()


MAX_EVENT_BYTES = 64 * 1024 * 1024  # the last event of some answers repeats all of their images in base64
MAX_UNPARSED_BYTES = 64 * 1024  # of lines that belong to no event: one error object is all that is wanted of them
_FIELDS = (b"event", b"id", b"retry")
_SINGLE_EVENT = re.compile(
    rb"(?:event: [^\r\n]*\r?\n)?data: ([^\r\n]*)(?:\r\n\r\n|\n\n)"
)  # as most blocks are while tokens come one by one


class EventTooLarge(Exception):
    """One event is larger than MAX_EVENT_BYTES."""


class SseDecoder:
    """Feed it blocks as they come; it gives back the data of each finished event.

    `unparsed_lines`: the lines that are no field of an event; some providers put a bare JSON error into the stream.
    """

    def __init__(self) -> None:
        self.unparsed_lines: list[bytes] = []
        self._rest = b""
        self._line_pieces: list[bytes] = []
        self._data: list[bytes] = []
        self._size_bytes = 0
        self._stray_bytes = 0

    def feed(self, block: bytes) -> list[bytes]:
        """The data of the events that `block` finishes, in order. Raises EventTooLarge."""
        if not (self._rest or self._line_pieces or self._data) and (whole := _SINGLE_EVENT.fullmatch(block)):
            self._size_bytes = 0
            return [whole[1]]
        self._size_bytes += len(block)
        if (
            b"\n" not in block and b"\r" not in block and not self._rest.endswith(b"\r")
        ):  # in the middle of a line, which may be an image: joined once, at its end
            if self._size_bytes > MAX_EVENT_BYTES:
                raise EventTooLarge
            self._line_pieces.append(block)
            return []
        if self._line_pieces:
            block = b"".join((*self._line_pieces, block))
            self._line_pieces.clear()
        *lines, self._rest = _split(self._rest + block)
        events = self._events(lines)
        if events:
            self._size_bytes = len(self._rest)
        elif self._size_bytes > MAX_EVENT_BYTES:
            raise EventTooLarge
        return events

    def close(self) -> list[bytes]:
        """What the end of the stream finishes: providers may leave out the last empty line."""
        rest, self._rest = b"".join((self._rest, *self._line_pieces)).rstrip(b"\r"), b""
        return self._events([rest, b""])

    def _events(self, lines: list[bytes]) -> list[bytes]:
        events = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            elif not line:
                if self._data:
                    events.append(b"\n".join(self._data))
                    self._data.clear()
            elif not line.startswith(b":") and line.partition(b":")[0] not in _FIELDS:
                self._stray_bytes += len(line) + 1
                if self._stray_bytes > MAX_UNPARSED_BYTES:
                    raise EventTooLarge
                self.unparsed_lines.append(line)
        return events


def _split(block: bytes) -> list[bytes]:
    """Lines, the last one unfinished; a CR at the very end stays there, for the LF may come with the next block."""
    held = b"\r" if block.endswith(b"\r") else b""
    lines = (block.removesuffix(b"\r") + b"\0").splitlines()  # of bytes: breaks at CR, LF and CRLF only
    lines[-1] = lines[-1][:-1] + held
    return lines


KEEP_ALIVE = ("ping", "keepalive")  # events that say nothing; comments are none


class StallDetector:
    """Ends one call when nothing but pings comes, or when it never ends. `clock` is in seconds.

    It looks at the time whenever bytes come. That is enough: when none come, the client's own limit ends the call.
    """

    def __init__(self, connection: Connection, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._content_s, self._call_s, self._clock = connection.content_timeout_s, connection.call_timeout_s, clock
        self._started = self._last_content = clock()
        self._has_content = False

    def note_event(self, event: Mapping[str, Any]) -> None:
        """An event of the block that is being read."""
        if event.get("type") not in KEEP_ALIVE:
            self._has_content = True

    def check(self) -> None:
        """All events of a block were read. Raises StreamStalled."""
        now = self._clock()
        if self._has_content:
            self._last_content, self._has_content = now, False
        if now - self._last_content > self._content_s:
            raise StreamStalled("The provider kept the connection open and sent nothing.")
        if now - self._started > self._call_s:
            raise StreamStalled("The provider's answer took too long.")
