"""Answers that can't fill the memory: packed ones are unpacked in small blocks, and every answer has an end."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Protocol

import httpcore2
import httpx2

from security.egress.errors import EgressRefused

BLOCK_BYTES = 64 * 1024
GZIP_ONLY = 16 + zlib.MAX_WBITS  # zlib manual, inflateInit2
TOO_LARGE = "The answer is larger than allowed."
ANSWER = "parley.answer"  # the extension of a response that holds its AnswerStream

_FAULTS: dict[type[Exception], type[httpx2.TransportError]] = {
    httpcore2.ReadError: httpx2.ReadError,
    httpcore2.ReadTimeout: httpx2.ReadTimeout,
    httpcore2.RemoteProtocolError: httpx2.RemoteProtocolError,
}
_NETWORK_FAULTS = tuple(_FAULTS)


class Blocks(Protocol):
    """A body, block by block."""

    async def read(self) -> bytes:
        """The next block, b"" at the end."""
        ...


def body_of(response: httpx2.Response) -> Blocks:
    """The body of an open response, one step from the connection: httpx2 puts four generators between the two. Close the response afterwards.

    Raises httpx2's errors, and EgressRefused for an answer that is too large.
    """
    answer = response.extensions.get(ANSWER)
    return answer if isinstance(answer, AnswerStream) else _Iterated(response.aiter_bytes())


class AnswerStream(httpx2.AsyncByteStream):
    """The body of an answer, at most `limit_bytes` long (then EgressRefused). `source` is closed with it."""

    def __init__(self, blocks: Blocks, source: httpx2.AsyncByteStream, *, limit_bytes: int) -> None:
        self._blocks = blocks
        self._source = source
        self._left_bytes = limit_bytes

    async def read(self) -> bytes:
        """The next block, b"" at the end."""
        try:
            block = await self._blocks.read()
        except _NETWORK_FAULTS as exc:
            raise _FAULTS[type(exc)](str(exc)) from exc
        self._left_bytes -= len(block)
        if self._left_bytes < 0:
            raise EgressRefused(TOO_LARGE)
        return block

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while block := await self.read():
            yield block

    async def aclose(self) -> None:
        await self._source.aclose()


class Unpacked:
    """The content of a gzip body, in blocks of at most BLOCK_BYTES. What follows the packed content is dropped."""

    def __init__(self, packed: Blocks, *, limit_bytes: int) -> None:
        self._packed = packed
        self._limit_bytes = limit_bytes  # packed: what holds no content could go on for ever
        self._packed_bytes = 0
        self._unpacker = zlib.decompressobj(GZIP_ONLY)
        self._is_over = False

    async def read(self) -> bytes:
        """The next block, b"" at the end. Raises DecodingError, EgressRefused when more than `limit_bytes` come packed."""
        while not self._is_over:
            if block := await self._block():
                return block
        return b""

    async def _block(self) -> bytes:
        data = self._unpacker.unconsumed_tail or await self._more()
        if data and self._unpacker.eof:  # which the unpacker would keep
            return b""
        if data:
            return _unpack_block(self._unpacker, data)
        self._is_over = True
        if self._packed_bytes and not self._unpacker.eof:  # an answer without a body may say how one would be packed
            raise httpx2.DecodingError("The packed answer is cut.")
        return b""

    async def _more(self) -> bytes:
        data = await self._packed.read()
        self._packed_bytes += len(data)
        if self._packed_bytes > self._limit_bytes:
            raise EgressRefused(TOO_LARGE)
        return data


class _Iterated:
    """The body of a response that another transport made."""

    def __init__(self, blocks: AsyncGenerator[bytes]) -> None:
        self._blocks = blocks

    async def read(self) -> bytes:
        return await anext(self._blocks, b"")


def is_packed(headers: httpx2.Headers) -> bool:
    """Whether the body is gzip; raises EgressRefused for every other packing, which we never ask for."""
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise EgressRefused("The answer is packed in a way that is not accepted.")
    return encoding == "gzip"


def _unpack_block(unpacker: zlib._Decompress, chunk: bytes) -> bytes:
    try:
        return unpacker.decompress(chunk, BLOCK_BYTES)
    except zlib.error as exc:
        raise httpx2.DecodingError("The packed answer is damaged.") from exc
