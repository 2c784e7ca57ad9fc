"""Whole answers, spoiled at random and cut at random, are read as httpcore2 reads them, or refused; gzip as zlib reads it.

The examples are the same in every run.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import zlib
from collections.abc import Sequence
from itertools import pairwise

import httpx2
import pytest
from hypothesis import assume, given, settings, strategies as st

from security.egress.errors import EgressRefused
from security.egress.responses import BLOCK_BYTES, GzipReader
from tests.security.egress.test_http1 import both, request

fixed_examples = settings(max_examples=400, deadline=None, derandomize=True, database=None)

LINE = st.text("ab c:;=\t/\"'é", max_size=12).map(lambda text: text.encode("latin-1"))
STATUS_LINES = st.sampled_from(
    [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 404 ",
        b"HTTP/1.0 200 OK",
        b"HTTP/1.1 204 None",
        b"HTTP/1.1 304 Same",
        b"HTTP/1.1 206",
        b"HTTP/2 200 OK",
    ]
)
HEADERS = st.lists(
    st.one_of(
        st.sampled_from([b"connection: close", b"connection: keep-alive", b"upgrade: h2c", b"content-type: text/event-stream", b" folded"]),
        st.sampled_from([b"content-length: 5", b"content-length: 0", b"Content-Length: 7", b"transfer-encoding: chunked", b"te: gzip"]),
        st.sampled_from([b"Transfer-Encoding: Chunked", b"transfer-encoding: identity", b"transfer-encoding: chunked, chunked"]),
        LINE.map(lambda value: b"x-more: " + value),
    ),
    max_size=3,
)
BODY = st.binary(max_size=60)
CHUNK = st.tuples(st.binary(min_size=1, max_size=20), st.sampled_from([b"", b"", b";a=1", b';b="c d"', b" ", b";"]))
TRAILERS = st.sampled_from(
    [b"", b"", b"x-sum: 1\r\n", b"x-a: 1\r\nx-b: 2\r\n"]
)  # h11 also judges what must not be in a trailer, and we skip it
SPOILS = st.lists(
    st.tuples(st.integers(0, 400), st.sampled_from([b"", b"\r", b"\n", b"\r\n", b"\0", b"0", b"f", b"-", b":", b" "])), max_size=2
)
# RFC 9112, 2.2: a bare CR may be refused or read as a space. In the line of a chunk the two readers differ: h11 goes on to the next CR LF.
BARE_CR_IN_CHUNKS = re.compile(rb"chunked.*?\r\n\r\n.*\r(?!\n)", re.DOTALL | re.IGNORECASE)


def chunked(chunks: Sequence[tuple[bytes, bytes]], trailers: bytes) -> bytes:
    return b"".join(b"%x%b\r\n%b\r\n" % (len(data), extension, data) for data, extension in chunks) + b"0\r\n" + trailers + b"\r\n"


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """A head, a body that mostly fits it, and at times something after it."""
    interim = draw(st.sampled_from([b"", b"", b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Hints\r\nlink: </a>\r\n\r\n"]))
    headers = draw(HEADERS)
    if draw(st.booleans()):
        body = chunked(draw(st.lists(CHUNK, max_size=4)), draw(TRAILERS))
        headers = [*headers, b"transfer-encoding: chunked"]
    else:
        body = draw(BODY)
        headers = [*headers, *draw(st.sampled_from([[], [b"content-length: %d" % len(body)], [b"content-length: %d" % len(body)]]))]
    after = draw(st.sampled_from([b"", b"", b"", b"\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged"]))
    return interim + b"\r\n".join([draw(STATUS_LINES), *headers]) + b"\r\n\r\n" + body + after


def spoil(answer: bytes, spoils: Sequence[tuple[int, bytes]]) -> bytes:
    for place, replacement in spoils:
        at = place % len(answer)
        answer = answer[:at] + replacement + answer[at + 1 :]
    return answer


def cut(answer: bytes, places: Sequence[int]) -> list[bytes]:
    edges = sorted({0, len(answer), *(place % (len(answer) + 1) for place in places)})
    return [answer[start:end] for start, end in pairwise(edges)]


@fixed_examples
@given(answer=answers(), spoils=SPOILS, places=st.lists(st.integers(0, 500), max_size=10), method=st.sampled_from(["GET", "GET", "HEAD"]))
def test_an_answer_is_read_alike_or_refused(answer: bytes, spoils: list[tuple[int, bytes]], places: list[int], method: str) -> None:
    spoiled = spoil(answer, spoils)
    assume(not BARE_CR_IN_CHUNKS.search(spoiled))
    result, expected = asyncio.run(both(cut(spoiled, places), request(method)))
    assert result.is_kept <= expected.is_kept
    if result.error is None:
        assert result == expected
    else:  # at least as strict: what it gave before it refused is the beginning of the same
        assert expected.body.startswith(result.body)
        assert result.status in (None, expected.status)


class Pieces:
    """A body in pieces."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    async def read(self) -> bytes:
        return self._pieces.pop(0) if self._pieces else b""


async def unpacked(pieces: Sequence[bytes], limit_bytes: int) -> bytes | type[Exception]:
    reader, content = GzipReader(Pieces(pieces), limit_bytes=limit_bytes), b""
    try:
        while block := await reader.read():
            assert len(block) <= BLOCK_BYTES
            content += block
    except (httpx2.DecodingError, EgressRefused) as exc:
        return type(exc)
    return content


@pytest.mark.parametrize("pieces", [1, 2, 5])
async def test_what_follows_a_long_gzip_stream_is_dropped(pieces: int) -> None:
    """zlib keeps it as unconsumed when the stream did not fit one block; read again and again, it would stop the whole process."""
    gzip_body = gzip.compress(b"na " * 100_000) + b"rubbish"
    assert await unpacked(cut(gzip_body, range(0, len(gzip_body), len(gzip_body) // pieces)), len(gzip_body)) == b"na " * 100_000


@fixed_examples
@given(
    content=st.one_of(BODY, st.integers(0, 300_000).map(lambda size: b"na " * size)),
    spoils=SPOILS,
    places=st.lists(st.integers(0, 2000), max_size=10),
    after=st.sampled_from([b"", b"", b"rubbish"]),
)
def test_gzip_is_unpacked_alike_or_refused(content: bytes, spoils: list[tuple[int, bytes]], places: list[int], after: bytes) -> None:
    gzip_body = spoil(gzip.compress(content, mtime=0) + after, spoils)
    plain = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        expected: bytes | type[Exception] = plain.decompress(gzip_body)
        if not plain.eof:
            expected = httpx2.DecodingError
    except zlib.error:
        expected = httpx2.DecodingError
    assert asyncio.run(unpacked(cut(gzip_body, places), limit_bytes=len(gzip_body))) == expected
    if expected == content and not after and not spoils:
        assert asyncio.run(unpacked(cut(gzip_body, places), limit_bytes=len(gzip_body) - 1)) is EgressRefused
