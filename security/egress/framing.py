"""Where the body of an HTTP/1.1 answer ends (RFC 9112, 6 and 7): the bytes as they come in, the body's bytes out."""

from __future__ import annotations

from typing import Protocol

import httpcore2
import httptools

MAX_OVERHEAD_BYTES = 100 * 1024  # of chunk extensions and trailers: as much as a head may have
_CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"


class Framing(Protocol):
    """`is_complete`: the body has ended. `has_trailing_data`: and something came after it. `error`: what the server did wrong, if it did."""

    is_complete: bool
    has_trailing_data: bool
    error: httpcore2.RemoteProtocolError | None

    def feed(self, data: bytes) -> bytes:
        """The part of `data` that is the body's, which may be nothing. `data` is b"" when the server has closed the connection."""
        ...


class ChunkedFraming:
    """Parsed by llhttp, which is told a head of our own: h11 has read the real one. What is said after the end is an error to it."""

    def __init__(self) -> None:
        self.is_complete = self.has_trailing_data = False
        self.error: httpcore2.RemoteProtocolError | None = None
        self._blocks: list[bytes] = []
        self._overhead_bytes = 0
        self._parser = httptools.HttpResponseParser(self)
        self._parser.set_dangerous_leniencies(lenient_spaces_after_chunk_size=True)  # some servers fill the size up with them
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
    """`size_bytes` long: also the bodies that are always empty."""

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
    """The server closes the connection after it."""

    def __init__(self) -> None:
        self.is_complete = self.has_trailing_data = False
        self.error: httpcore2.RemoteProtocolError | None = None

    def feed(self, data: bytes) -> bytes:
        self.is_complete = self.has_trailing_data = not data  # the end of the connection, too: it serves no other request
        return data


def _incomplete_body_error(what: str) -> httpcore2.RemoteProtocolError:
    return httpcore2.RemoteProtocolError(f"peer closed connection without sending complete message body ({what})")
