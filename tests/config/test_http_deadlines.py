"""A request that only half arrives is ended; a slow file and a slow answer are not."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from http.client import HTTPResponse
from itertools import chain, repeat
from threading import Event, Thread
from typing import Any

import pytest
import uvicorn

from config.processes import WEB_OPTIONS
from config.web.http_deadlines import DeadlineProtocol
from tests.support.system.product import wait_for
from tools.embedded import ports

DEADLINE_S = 0.4
HUNG_S = 60
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


class Quick(DeadlineProtocol):
    deadline_s = DEADLINE_S
    min_bytes_per_s = 1000
    check_s = 0.1
    stall_s = DEADLINE_S


has_ended = Event()  # of a stream


async def stream(receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await receive()
    disconnect = asyncio.ensure_future(receive())
    while not disconnect.done():
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
        await asyncio.sleep(0)
    has_ended.set()


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the body's length, after `DEADLINE_S` and more. /stream: never ends."""
    assert scope["type"] == "http"
    if scope["path"] == "/stream":
        await stream(receive, send)
        return
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    await asyncio.sleep(2 * DEADLINE_S)
    content = str(length).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(content)).encode())]})
    await send({"type": "http.response.body", "body": content})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    port = ports.free_port()
    server = uvicorn.Server(uvicorn.Config(application, port=port, http=Quick, lifespan="off", log_level="error"))
    thread = Thread(target=server.run, daemon=True)
    thread.start()
    wait_for(lambda: server.started, "the server listens")
    yield port
    server.should_exit = True
    thread.join()


def ended_after_s(connection: socket.socket, pieces: Iterator[bytes]) -> float:
    """Send a piece every 50 ms until the server ends the connection; say after how long it did."""
    start = time.monotonic()
    connection.settimeout(0.05)
    while time.monotonic() - start < HUNG_S:
        try:
            connection.sendall(next(pieces))
            if connection.recv(1000) == b"":
                return time.monotonic() - start
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - start
    raise TimeoutError("The server never ended the connection.")


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n"


@pytest.mark.parametrize(
    ("head", "drop"),
    [(b"", b""), (b"", b"\r\n"), (b"GET / HTTP/1.1\r\nX-Slow: ", b"x"), (HEAD % 100_000, b"x"), (CHUNKED, b"x")],
    ids=["nothing", "empty lines", "headers", "body", "chunked body"],
)
def test_a_half_open_request_ends(port: int, head: bytes, drop: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        assert ended_after_s(connection, chain([head], repeat(drop))) > DEADLINE_S / 2


def test_the_next_request_of_a_kept_connection_has_a_deadline_too(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in connection.recv(1000)
        assert ended_after_s(connection, repeat(b"\r\n")) > DEADLINE_S / 2


def test_a_large_body_over_a_slow_line_and_a_slow_answer_have_their_time(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(HEAD % 20_000)
        for _ in range(20):  # over twice the deadline
            connection.sendall(b"x" * 1000)
            time.sleep(0.05)
        answer = HTTPResponse(connection)  # reads on when the head and the body come in two pieces
        answer.begin()
        assert answer.read() == b"20000"


def test_an_answer_that_nobody_takes_ends(port: int) -> None:
    has_ended.clear()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        assert has_ended.wait(HUNG_S)


def test_an_answer_that_is_taken_slowly_goes_on(port: int) -> None:
    has_ended.clear()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        end = time.monotonic() + 4 * DEADLINE_S
        while time.monotonic() < end:
            connection.recv(4_000_000)
            time.sleep(DEADLINE_S / 8)
        assert not has_ended.is_set()
    assert has_ended.wait(HUNG_S)


def test_the_web_server_is_started_with_the_deadlines() -> None:
    assert "config.web.http_deadlines:DeadlineProtocol" in WEB_OPTIONS
    assert DeadlineProtocol.deadline_s == 15
