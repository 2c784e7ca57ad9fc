"""Answers that can't fill the memory: packed ones are unpacked in small blocks, and every answer has an end."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx2

from security.egress.errors import EgressRefused

BLOCK_BYTES = 64 * 1024
GZIP_ONLY = 16 + zlib.MAX_WBITS  # zlib manual, inflateInit2


class AnswerStream(httpx2.AsyncByteStream):
    """The body of an answer, unpacked when `packed`, at most `limit_bytes` long (counted after unpacking; then EgressRefused)."""

    def __init__(self, source: httpx2.AsyncByteStream, *, packed: bool, limit_bytes: int) -> None:
        self._source = source
        self._packed = packed
        self._limit_bytes = limit_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size_bytes = 0
        async for block in self._unpacked() if self._packed else self._source:
            size_bytes += len(block)
            if size_bytes > self._limit_bytes:
                raise EgressRefused("The answer is larger than allowed.")
            yield block

    async def aclose(self) -> None:
        await self._source.aclose()

    async def _unpacked(self) -> AsyncIterator[bytes]:
        unpacker = zlib.decompressobj(GZIP_ONLY)
        async for chunk in self._source:
            yield _unpack_block(unpacker, chunk)
            while unpacker.unconsumed_tail:
                yield _unpack_block(unpacker, unpacker.unconsumed_tail)
        yield unpacker.flush()
        if not unpacker.eof:
            raise httpx2.DecodingError("The packed answer is cut.")


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
