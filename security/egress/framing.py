"""Body framing of HTTP/1.1 responses (RFC 9112, sections 6 and 7): received bytes in, the body's bytes out."""

from __future__ import annotations

from typing import Protocol

import httpcore2
import httptools

MAX_OVERHEAD_BYTES = 100 * 1024  # of chunk extensions and trailers: the same limit as for a head
_CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"


class Framing(Protocol):
    """Finds the body in the bytes that arrive after a response's head."""

    is_complete: bool  # the body has ended
    has_trailing_data: bool  # data arrived after the body's end
    error: httpcore2.RemoteProtocolError | None  # the server's protocol error, if any

    def feed(self, data: bytes) -> bytes:
        """Return the part of `data` that belongs to the body, possibly nothing. `data` is b"" when the server has closed the connection."""
        ...


class ChunkedFraming:
    """Framing of chunked bodies, parsed by llhttp.

    h11 has read the real head, so llhttp is fed a fixed one, with "connection: close": it treats data after the end as an error.
    """

    def __init__(self) -> None:
        self.is_complete = self.has_trailing_data = False
        self.error: httpcore2.RemoteProtocolError | None = None
        self._blocks: list[bytes] = []
        self._overhead_bytes = 0
        self._parser = httptools.HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(lenient_spaces_after_chunk_size=True)  # some servers pad the size with spaces
        self._parser.feed_data(_CHUNKED_HEAD)

    def on_body(self, block: bytes) -> None:
        self._blocks.append(block)

    def on_message_complete(self) -> None:
        self.is_complete = True

    def feed(self, data: bytes) -> bytes:
        if not data:
            self.error = _incomplete_body_error("incomplete chunked read")
            return b""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as exc:
            self._record_error(exc)
        blocks = self._blocks
        if not blocks:
            self._count_overhead(data)
            return b""
        self._overhead_bytes = 0
        block = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        blocks.clear()
        return block

    def _record_error(self, exc: httptools.HttpParserError) -> None:
        if self.is_complete:
            self.has_trailing_data = True
        else:
            self.error = httpcore2.RemoteProtocolError(f"The body is not chunked as it should be: {exc}")

    def _count_overhead(self, data: bytes) -> None:
        self._overhead_bytes += len(data)
        if self._overhead_bytes > MAX_OVERHEAD_BYTES and not self.is_complete:
            self.error = httpcore2.RemoteProtocolError("The body has too much that is no content.")


class ContentLengthFraming:
    """Framing of bodies with a known length, including those that are always empty."""

    def __init__(self, size_bytes: int) -> None:
        self.is_complete = not size_bytes
        self.has_trailing_data = False
        self.error: httpcore2.RemoteProtocolError | None = None
        self._size_bytes = self._left_bytes = size_bytes

    def feed(self, data: bytes) -> bytes:
        if not data:
            self.error = _incomplete_body_error(f"received {self._size_bytes - self._left_bytes} bytes, expected {self._size_bytes}")
        if len(data) > self._left_bytes:
            self.has_trailing_data = True
            data = data[: self._left_bytes]
        self._left_bytes -= len(data)
        self.is_complete = not self._left_bytes
        return data


class CloseDelimitedFraming:
    """Framing of bodies that end when the server closes the connection."""

    def __init__(self) -> None:
        self.is_complete = self.has_trailing_data = False
        self.error: httpcore2.RemoteProtocolError | None = None

    def feed(self, data: bytes) -> bytes:
        self.is_complete = self.has_trailing_data = not data  # a closed connection can't be reused either
        return data


def _incomplete_body_error(what: str) -> httpcore2.RemoteProtocolError:
    return httpcore2.RemoteProtocolError(f"peer closed connection without sending complete message body ({what})")
