"""Our HTTP/1.1 connection gives what httpcore2's own gives for the same bytes, however they are cut."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import httpcore2
import pytest
from hypothesis import given, settings, strategies as st

from security.egress.http1 import Http1Connection
from tests.support.suite.network import NO_TRUST

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
ORIGIN = httpcore2.Origin(b"http", b"page.example", 80)
LIMITS = {"timeout": {"connect": 1.0, "read": 1.0, "write": 1.0, "pool": 1.0}}

ANSWERS = {
    "sized": OK + b"Content-Length: 5\r\nX-Case: Kept\r\n\r\nhello",
    "empty": OK + b"content-length: 0\r\n\r\n",
    "chunked": CHUNKED + b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
    "chunk extensions": CHUNKED + b'5;a=1;b="two"\r\nhello\r\n0;last\r\n\r\n',
    "filled chunk sizes": CHUNKED + b"5  \r\nhello\r\n0\r\n\r\n",
    "upper case chunk sizes": CHUNKED + b"00A\r\nhellohello\r\n0\r\n\r\n",
    "trailers": CHUNKED + b"5\r\nhello\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n",
    "no chunks": CHUNKED + b"0\r\n\r\n",
    "line ends in a chunk": CHUNKED + b"6\r\n\r\n0\r\n\r\r\n0\r\n\r\n",
    "http 1.0": b"HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    "closing": OK + b"connection: close\r\ncontent-length: 5\r\n\r\nhello",
    "closing chunks": OK + b"connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "both lengths": OK + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "the same length twice": OK + b"content-length: 5, 5\r\ncontent-length: 5\r\n\r\nhello",
    "lengths that contradict each other": OK + b"content-length: 5\r\ncontent-length: 6\r\n\r\nhello",
    "a length that is none": OK + b"content-length: five\r\n\r\nhello",
    "a negative length": OK + b"content-length: -5\r\n\r\nhello",
    "another encoding": OK + b"transfer-encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"content-length: 5\r\n\r\nhello",
    "early hints": b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * 3 + OK + b"content-length: 5\r\n\r\nhello",
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: chat\r\nconnection: upgrade\r\n\r\nhello",
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "not modified": b"HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n",
    "no reason": b"HTTP/1.1 200\r\ncontent-length: 5\r\n\r\nhello",
    "folded header": OK + b"x-long: a\r\n b\r\ncontent-length: 5\r\n\r\nhello",
    "bare line feeds in the head": b"HTTP/1.1 200 OK\ncontent-length: 5\n\nhello",
    "nothing": b"",
    "half a head": OK + b"content-le",
    "no http": b"220 mail.example ready\r\n\r\n",
    "a broken header": OK + b"no colon\r\n\r\n",
    "a space before the colon": OK + b"content-length : 5\r\n\r\nhello",
    "a huge head": OK + b"x-filler: " + b"a" * 120_000,
    "a body cut short": OK + b"content-length: 9\r\n\r\nhello",
    "cut between chunks": CHUNKED + b"5\r\nhello\r\n",
    "cut in a chunk": CHUNKED + b"9\r\nhello",
    "cut in a chunk size": CHUNKED + b"5\r\nhello\r\n1",
    "cut in the trailers": CHUNKED + b"5\r\nhello\r\n0\r\nx-sum: 1\r\n",
    "a chunk size that is none": CHUNKED + b"5\r\nhello\r\nfive\r\nworld\r\n0\r\n\r\n",
    "a negative chunk size": CHUNKED + b"5\r\nhello\r\n-5\r\nworld\r\n0\r\n\r\n",
    "a chunk size with a sign of its base": CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n",
    "no chunk size": CHUNKED + b"\r\nhello\r\n0\r\n\r\n",
    "a chunk longer than its size": CHUNKED + b"5\r\nhello world\r\n0\r\n\r\n",
    "bare line feeds between chunks": CHUNKED + b"5\nhello\n0\n\n",
    "an endless chunk extension": CHUNKED + b"5\r\nhello\r\n5;" + b"a" * 200_000,
    "endless trailers": CHUNKED + b"5\r\nhello\r\n0\r\n" + b"x-filler: aaaa\r\n" * 20_000,
}
# After these httpcore2 keeps the connection, and takes what follows for the next answer.
SPOILED = {
    "until closed": OK + b"\r\nhello",
    "sized, followed": OK + b"content-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged",
    "chunked, followed": CHUNKED + b"5\r\nhello\r\n0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged",
    "chunked, followed by rubbish": CHUNKED + b"5\r\nhello\r\n0\r\n\r\nrubbish",
    "nothing, followed": b"HTTP/1.1 204 No Content\r\n\r\nrubbish",
}


class Line(httpcore2.AsyncNetworkStream):
    """The server's side of one connection: `pieces` in turn, then the end."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]
        self.output = b""
        self.has_unread = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not self._pieces:
            return b""
        piece = self._pieces.pop(0)
        if len(piece) > max_bytes:
            self._pieces.insert(0, piece[max_bytes:])
        return piece[:max_bytes]

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.output += buffer

    async def aclose(self) -> None:
        self._pieces.clear()

    def get_extra_info(self, info: str) -> Any:
        return self.has_unread if info == "is_readable" else None


@dataclass
class Lines(httpcore2.AsyncNetworkBackend):
    line: Line

    async def connect_tcp(self, *args: object, **options: object) -> httpcore2.AsyncNetworkStream:
        return self.line


@dataclass
class Outcome:
    """What a caller sees, and what it means for the next one."""

    status: int | None = None
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    version: bytes = b""
    body: bytes = b""
    error: type[BaseException] | None = None
    is_kept: bool = field(default=False, compare=False)


def request(method: str = "GET", *, content: bytes | None = None, **headers: str) -> httpcore2.Request:
    length = [] if content is None else [("Content-Length", str(len(content)))]
    own: list[tuple[bytes | str, bytes | str]] = [("Host", "page.example"), *length, *headers.items()]
    return httpcore2.Request(method, "http://page.example/a?b=c", headers=own, content=content, extensions=LIMITS)


async def outcome(connection: httpcore2.AsyncConnectionInterface, http_request: httpcore2.Request) -> Outcome:
    result = Outcome()
    try:
        response = await connection.handle_async_request(http_request)
        result.status, result.headers, result.version = response.status, response.headers, response.extensions["http_version"]
        try:
            async for block in response.aiter_stream():
                result.body += block
        finally:
            await response.aclose()
    except (httpcore2.ProtocolError, httpcore2.NetworkError) as exc:
        result.error = type(exc)
    result.is_kept = connection.is_idle()
    assert connection.is_idle() != connection.is_closed()
    return result


def ours(line: Line) -> Http1Connection:
    return Http1Connection(ORIGIN, backend=Lines(line), ssl_context=NO_TRUST, idle_s=5)


def theirs(line: Line) -> httpcore2.AsyncHTTPConnection:
    return httpcore2.AsyncHTTPConnection(ORIGIN, network_backend=Lines(line), keepalive_expiry=5)


async def both(pieces: Sequence[bytes], http_request: httpcore2.Request) -> tuple[Outcome, Outcome]:
    return await outcome(ours(Line(pieces)), http_request), await outcome(theirs(Line(pieces)), http_request)


def cuts(answer: bytes) -> list[list[bytes]]:
    """Whole; byte by byte, unless it is huge; with the head apart."""
    head, end, body = answer.partition(b"\r\n\r\n")
    single = [answer[at : at + 1] for at in range(len(answer))] if len(answer) < 2000 else [answer[:1], answer[1:]]
    return [[answer], single, [head + end, body]]


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
async def test_an_answer_is_what_httpcore_makes_of_it(answer: bytes, method: str) -> None:
    for pieces in cuts(answer):
        result, expected = await both(pieces, request(method, content=b"asked" if method == "POST" else None))
        assert result == expected
        assert result.is_kept == expected.is_kept or (method == "HEAD" and not result.is_kept)  # with a body, which none may have


@pytest.mark.parametrize("answer", SPOILED.values(), ids=SPOILED.keys())
async def test_what_follows_an_answer_is_never_the_next_one(answer: bytes) -> None:
    result, expected = await both([answer], request())
    assert (result.status, result.body, result.error) == (expected.status, expected.body, None)
    assert (result.is_kept, expected.is_kept) == (False, True)


@settings(max_examples=150, deadline=None)
@given(
    chunks=st.lists(st.binary(min_size=1, max_size=40), max_size=6),
    spoiled=st.one_of(st.none(), st.tuples(st.integers(0, 200), st.sampled_from([b"", b"\r", b"\n", b"0", b"g", b";", b" ", b"\0"]))),
    cut_at=st.lists(st.integers(0, 400), max_size=8),
)
def test_a_chunked_body_is_read_alike_however_it_is_cut_or_spoiled(
    chunks: list[bytes], spoiled: tuple[int, bytes] | None, cut_at: list[int]
) -> None:
    answer = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    if spoiled:
        at = spoiled[0] % len(answer)
        answer = answer[:at] + spoiled[1] + answer[at + 1 :]
    answer = CHUNKED + answer
    edges = sorted({0, len(answer), *(at for at in cut_at if at < len(answer))})
    pieces = [answer[start:end] for start, end in pairwise(edges)]
    result, expected = asyncio.run(both(pieces, request()))
    assert result.is_kept <= expected.is_kept
    if spoiled is None or expected.error is not None:
        assert result == expected
    elif result.error is None:  # llhttp refuses some extensions that h11 takes
        assert result.body == expected.body


async def test_a_request_is_written_as_httpcore_writes_it() -> None:
    for http_request in (request(), request("POST", content=b"asked", X_Key="Kept"), request("HEAD"), request("DELETE")):
        mine, other = Line([ANSWERS["sized"]]), Line([ANSWERS["sized"]])
        await outcome(ours(mine), http_request)
        await outcome(theirs(other), http_request)
        assert mine.output == other.output


@pytest.mark.parametrize(
    "http_request",
    [
        request(X_Key="a\r\nx-forged: b"),
        request(X_Key="a\0b"),
        httpcore2.Request("GET", "http://page.example/", headers={"Host": "a", "X-Key\r\nx-forged": "b"}),
        httpcore2.Request("GET", httpcore2.URL(scheme="http", host="page.example", target="/ HTTP/1.1\r\nx: y"), headers={"Host": "a"}),
        httpcore2.Request("GET", "http://page.example/"),
        httpcore2.Request("GET\r\n", "http://page.example/", headers={"Host": "a"}),
        httpcore2.Request("POST", "http://page.example/", headers={"Host": "a", "Content-Length": "3"}, content=b"asked"),
    ],
    ids=["header", "zero byte", "header name", "target", "no host", "method", "longer than it says"],
)
async def test_a_request_that_would_be_another_one_is_refused(http_request: httpcore2.Request) -> None:
    line = Line([ANSWERS["sized"]])
    connection = ours(line)
    with pytest.raises(httpcore2.LocalProtocolError):
        await connection.handle_async_request(http_request)
    assert b"forged" not in line.output
    assert b"asked" not in line.output
    assert connection.is_closed()


async def test_a_server_that_was_asked_to_change_the_protocol_may_not() -> None:
    for http_request in (request("CONNECT"), request(Connection="upgrade", Upgrade="chat")):
        for answer in (ANSWERS["another protocol"], OK + b"\r\n"):
            result = await outcome(ours(Line([answer])), http_request)
            assert result.status is None or http_request.method != b"CONNECT"
            assert not result.is_kept


async def test_one_connection_answers_one_request_after_the_other() -> None:
    line = Line([ANSWERS["chunked"], ANSWERS["sized"], ANSWERS["no content"], ANSWERS["closing"]])
    connection = ours(line)
    results = [await outcome(connection, request()) for _ in range(4)]
    assert [(one.body, one.is_kept) for one in results] == [(b"hello world", True), (b"hello", True), (b"", True), (b"hello", False)]
    with pytest.raises(httpcore2.ConnectionNotAvailable):
        await connection.handle_async_request(request())


async def test_a_connection_that_answers_takes_no_other_request() -> None:
    connection = ours(Line([ANSWERS["sized"]]))
    response = await connection.handle_async_request(request())
    with pytest.raises(httpcore2.ConnectionNotAvailable):
        await connection.handle_async_request(request())
    assert await response.aread() == b"hello"
    await response.aclose()
    assert connection.is_available()


async def test_what_the_server_says_unasked_ends_an_idle_connection() -> None:
    line = Line([ANSWERS["sized"], ANSWERS["sized"]])
    connection = ours(line)
    await outcome(connection, request())
    output = line.output
    line.has_unread = True
    with pytest.raises(httpcore2.ConnectionNotAvailable):  # the pool takes another one
        await connection.handle_async_request(request())
    assert connection.is_closed()
    assert line.output == output


async def test_an_answer_that_is_not_read_to_its_end_takes_its_connection_along() -> None:
    connection = ours(Line([CHUNKED + b"5\r\nhello\r\n", b"5\r\nhello\r\n0\r\n\r\n"]))
    response = await connection.handle_async_request(request())
    async for block in response.aiter_stream():
        assert block == b"hello"
        break
    await response.aclose()
    assert connection.is_closed()


async def test_what_came_before_a_fault_is_given_first() -> None:
    result = await outcome(ours(Line([CHUNKED + b"5\r\nhello\r\n5\r\nworld\r\nrubbish\r\n"])), request())
    assert (result.body, result.error, result.is_kept) == (b"helloworld", httpcore2.RemoteProtocolError, False)
