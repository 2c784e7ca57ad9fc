"""Sends prepared requests and reads server-sent events, for all adapters.

Lines end in CR, LF or CRLF, and comments are ignored (WHATWG HTML, 9.2). StallDetector limits how long a call may last
(PROTOCOLS f.10): the HTTP client's timeout is per read, so an endpoint that only pings would never reach it.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Self

import httpx2
import orjson

from agents.errors import ProviderError, StreamStalled
from agents.providers.connection import CONNECT_TIMEOUT_S, Connection
from security.egress.responses import BlockReader, response_body

ApiErrorFactory = Callable[[int, Any, Mapping[str, str]], ProviderError]
MAX_EVENT_BYTES = 64 * 1024 * 1024  # the last event of some answers repeats all images in base64
MAX_UNPARSED_BYTES = 64 * 1024  # of lines that belong to no event: only one error object is expected there
DONE = b"[DONE]"  # OpenAI's end marker
DRAIN_TIMEOUT_S = 0.5
_FIELDS = (b"event", b"id", b"retry")
_SINGLE_EVENT = re.compile(
    rb"(?:event: [^\r\n]*\r?\n)?data: ([^\r\n]*)(?:\r\n\r\n|\n\n)"
)  # the form of most blocks while tokens arrive one by one
BOM = b"\xef\xbb\xbf"  # may come before the first event (WHATWG HTML, 9.2.5)
KEEP_ALIVE = ("ping", "keepalive")  # events without content; SSE comments are no events


async def send_request(request: httpx2.Request, connection: Connection, api_error: ApiErrorFactory) -> httpx2.Response:
    """Return a successful response with its body unread; the caller closes it.

    Raises what `api_error` makes of another response's status, body (as JSON, else text) and headers, as in the SDKs' errors; and
    the HTTP client's errors, which hold the request and its key.
    """
    request.extensions["timeout"] = httpx2.Timeout(connection.timeout_s, connect=CONNECT_TIMEOUT_S, pool=CONNECT_TIMEOUT_S).as_dict()
    response = await connection.http.send(request, stream=True)
    if response.is_success:
        return response
    response.encoding = "utf-8"  # whatever charset it declares, which may not be a text encoding
    try:
        await response.aread()
    finally:
        await response.aclose()
    raise api_error(response.status_code, _body(response), response.headers)


def _body(response: httpx2.Response) -> Any:
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return response.text.strip()


class EventTooLarge(Exception):
    """An event is larger than MAX_EVENT_BYTES."""


class SseDecoder:
    """Decodes blocks of bytes into the data of events."""

    def __init__(self) -> None:
        # Lines that are not fields of an event; some providers put a bare JSON error into the stream.
        self.unparsed_lines: list[bytes] = []
        self._rest = b""
        self._line_pieces: list[bytes] = []
        self._data: list[bytes] = []
        self._size_bytes = 0
        self._stray_bytes = 0

    def feed(self, block: bytes) -> list[bytes]:
        """Return the data of the events that `block` completes, in order. Raises EventTooLarge."""
        if not (self._rest or self._line_pieces or self._data) and (whole := _SINGLE_EVENT.fullmatch(block)):
            self._size_bytes = 0
            return [whole[1]]
        self._size_bytes += len(block)
        if (
            b"\n" not in block and b"\r" not in block and not self._rest.endswith(b"\r")
        ):  # inside a line, which may be an image: joined only once, at its end
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
        """Return the events that the end of the stream completes: providers may omit the last empty line."""
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


class WholeBodyDecoder:
    """Reads a body of JSON as one event: some servers do not stream although they are asked to."""

    def __init__(self) -> None:
        self.unparsed_lines: list[bytes] = []
        self._blocks: list[bytes] = []
        self._size_bytes = 0

    def feed(self, block: bytes) -> list[bytes]:
        """Keep the block. Raises EventTooLarge."""
        self._size_bytes += len(block)
        if self._size_bytes > MAX_EVENT_BYTES:
            raise EventTooLarge
        self._blocks.append(block)
        return []

    def close(self) -> list[bytes]:
        """Return the body; if events follow its first line, these, and that line as an unparsed one."""
        body = b"".join(self._blocks)
        if b"\ndata:" not in body:
            return [body]
        stream = SseDecoder()
        events = [*stream.feed(body), *stream.close()]
        self.unparsed_lines = stream.unparsed_lines
        return events


def _split(block: bytes) -> list[bytes]:
    """Split into lines, the last one incomplete. A trailing CR stays in it, because its LF may come with the next block."""
    tail = b"\r" if block.endswith(b"\r") else b""
    lines = (block.removesuffix(b"\r") + b"\0").splitlines()  # on bytes, this splits at CR, LF and CRLF only
    lines[-1] = lines[-1][:-1] + tail
    return lines


async def _without_bom(body: BlockReader) -> bytes:
    """Return the first bytes of a body, without its byte order mark, which may be split."""
    first = await body.read()
    while first and first != BOM and BOM.startswith(first):
        more = await body.read()
        if not more:
            break
        first += more
    return first.removeprefix(BOM)


class StallDetector:
    """Ends a call when nothing but pings arrives, or when it takes too long. `clock` returns seconds.

    It checks the time only when bytes arrive. That is enough: without any, the HTTP client's timeout ends the call.
    """

    def __init__(self, connection: Connection, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._content_s, self._call_s, self._clock = connection.content_timeout_s, connection.call_timeout_s, clock
        self._started = self._last_content = clock()
        self._has_content = False

    def note_event(self, event: Mapping[str, Any]) -> None:
        """Note an event of the block that is being read."""
        if event.get("type") not in KEEP_ALIVE:
            self._has_content = True

    def check(self) -> None:
        """Check the limits after all events of a block. Raises StreamStalled."""
        now = self._clock()
        if self._has_content:
            self._last_content, self._has_content = now, False
        if now - self._last_content > self._content_s:
            raise StreamStalled("The provider kept the connection open and sent nothing.")
        if now - self._started > self._call_s:
            raise StreamStalled("The provider's answer took too long.")


class EventReader:
    """Reads the events of one response. Leaving its context closes the response, for whatever reason."""

    def __init__(self, connection: Connection, guard: StallDetector) -> None:
        self._connection, self._guard = connection, guard
        self._decoder: SseDecoder | WholeBodyDecoder = SseDecoder()
        self._response: httpx2.Response | None = None
        self._body: BlockReader | None = None  # None at its end
        self._first = b""
        self._is_done = False  # the end marker has arrived

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._response is not None:
            await self._response.aclose()

    async def open(self, request: httpx2.Request, api_error: ApiErrorFactory) -> None:
        """Send the request and read the first bytes.

        Raises TimeoutError when these are late, and whatever `send_request` and the HTTP client raise.
        """
        async with asyncio.timeout(self._connection.timeout_s):
            self._response = await send_request(request, self._connection, api_error)
            self._body = response_body(self._response)
            self._first = (await _without_bom(self._body)).lstrip(b"\r\n")
        if self._first.startswith(b"{"):
            self._decoder = WholeBodyDecoder()

    async def read(self) -> list[bytes] | None:
        """Return the data of the events that the next bytes complete, often none; None at the end. Raises StreamStalled."""
        if self._body is None:
            return None
        if self._is_done:
            await self._drain(self._body)
            return None
        if self._first:
            block, self._first = self._first, b""
        else:
            self._guard.check()
            block = await self._body.read()
        if block:
            return self._until_done(self._decoder.feed(block))
        self._body = None
        return self._last_events()

    def _until_done(self, events: list[bytes]) -> list[bytes]:
        for place, event in enumerate(events):
            if event == DONE or (event.endswith(b" ") and event.strip() == DONE):
                self._is_done = True
                return events[:place]
        return events

    def _last_events(self) -> list[bytes]:
        """Return the events that the end of the stream completes, and the lines that belong to no event as one more."""
        events = [event for event in self._decoder.close() if event.strip() != DONE]
        stray = self._decoder.unparsed_lines
        return [*events, b"\n".join(stray)] if stray else events

    async def _drain(self, body: BlockReader) -> None:
        """Read what the server sends after its end marker, which ends the body, so that the connection can be reused."""
        with suppress(TimeoutError, httpx2.HTTPError):
            async with asyncio.timeout(DRAIN_TIMEOUT_S):
                while await body.read():
                    pass
