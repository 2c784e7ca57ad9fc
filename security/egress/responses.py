"""Response bodies of limited size: gzip is decompressed in small blocks, so that no response can fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Protocol

import httpcore2
import httpx2
from django.utils.translation import gettext

from security.egress.errors import EgressRefused

BLOCK_BYTES = 64 * 1024
GZIP_WBITS = 16 + zlib.MAX_WBITS  # zlib manual, inflateInit2
RESPONSE_TOO_LARGE = "The answer is larger than allowed."
STREAM_EXTENSION = "parley.answer"  # the response extension that holds its LimitedResponseStream

_HTTPX_ERRORS: dict[type[Exception], type[httpx2.TransportError]] = {
    httpcore2.ReadError: httpx2.ReadError,
    httpcore2.ReadTimeout: httpx2.ReadTimeout,
    httpcore2.RemoteProtocolError: httpx2.RemoteProtocolError,
}
_HTTPCORE_ERRORS = tuple(_HTTPX_ERRORS)


class BlockReader(Protocol):
    """A body that is read block by block."""

    async def read(self) -> bytes:
        """Return the next block, or b"" at the end."""
        ...


def response_body(response: httpx2.Response) -> BlockReader:
    """Return the body of an open response with as few layers as possible: httpx2 puts four generators between it and the connection.

    Close the response afterwards. Reading raises httpx2's errors, and EgressRefused for a response that is too large.
    """
    answer = response.extensions.get(STREAM_EXTENSION)
    return answer if isinstance(answer, LimitedResponseStream) else _IteratorReader(response.aiter_bytes())


class LimitedResponseStream(httpx2.AsyncByteStream):
    """A response's body of at most `limit_bytes`. Reading more raises EgressRefused. Closing it closes `source`."""

    def __init__(self, blocks: BlockReader, source: httpx2.AsyncByteStream, *, limit_bytes: int) -> None:
        self._blocks = blocks
        self._source = source
        self._remaining_bytes = limit_bytes

    async def read(self) -> bytes:
        """Return the next block, or b"" at the end. Raises httpx2's errors and EgressRefused."""
        try:
            block = await self._blocks.read()
        except _HTTPCORE_ERRORS as exc:
            raise _HTTPX_ERRORS[type(exc)](str(exc)) from exc
        self._remaining_bytes -= len(block)
        if self._remaining_bytes < 0:
            raise EgressRefused(RESPONSE_TOO_LARGE)
        return block

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while block := await self.read():
            yield block

    async def aclose(self) -> None:
        await self._source.aclose()


class GzipReader:
    """The decompressed content of a gzip body, in blocks of at most BLOCK_BYTES. Data after the gzip stream is dropped."""

    def __init__(self, packed: BlockReader, *, limit_bytes: int) -> None:
        self._packed = packed
        self._limit_bytes = limit_bytes  # of compressed data: a body without content could go on forever
        self._compressed_bytes = 0
        self._decompressor = zlib.decompressobj(GZIP_WBITS)
        self._is_finished = False

    async def read(self) -> bytes:
        """Return the next block, or b"" at the end.

        Raises DecodingError, and EgressRefused when more than `limit_bytes` of compressed data arrive.
        """
        while not self._is_finished:
            if block := await self._block():
                return block
        return b""

    async def _block(self) -> bytes:
        is_over = self._decompressor.eof  # what follows is dropped, also what zlib then still calls unconsumed
        data = (not is_over and self._decompressor.unconsumed_tail) or await self._read_compressed()
        if data and is_over:
            return b""
        if data:
            return _decompress_block(self._decompressor, data)
        self._is_finished = True
        if self._compressed_bytes and not self._decompressor.eof:  # a response without a body may still name an encoding
            raise httpx2.DecodingError("The packed answer is cut.")
        return b""

    async def _read_compressed(self) -> bytes:
        data = await self._packed.read()
        self._compressed_bytes += len(data)
        if self._compressed_bytes > self._limit_bytes:
            raise EgressRefused(RESPONSE_TOO_LARGE)
        return data


class _IteratorReader:
    """The body of a response from another transport."""

    def __init__(self, blocks: AsyncGenerator[bytes]) -> None:
        self._blocks = blocks

    async def read(self) -> bytes:
        return await anext(self._blocks, b"")


def is_gzip(headers: httpx2.Headers) -> bool:
    """Return whether the body is gzip. Raises EgressRefused for other encodings, which we never request."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise EgressRefused(gettext("The answer is packed in a way that is not accepted."))
    return encoding == "gzip"


def _decompress_block(unpacker: zlib._Decompress, chunk: bytes) -> bytes:
    try:
        return unpacker.decompress(chunk, BLOCK_BYTES)
    except zlib.error as exc:
        raise httpx2.DecodingError("The packed answer is damaged.") from exc
