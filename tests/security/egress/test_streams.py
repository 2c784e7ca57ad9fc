"""Connections on plain asyncio transports: everything comes in order, also when many rest together, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import httpcore2
import pytest

from security.egress import read_throttle
from security.egress.asyncio_backend import MAX_BUFFERED_BYTES, AsyncioBackend
from security.egress.read_throttle import ReadThrottle

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
PIECES = [b"%06d" % number * 50 for number in range(400)]


class Clock:
    """A loop that only knows the time; `run` calls what is due, all of it `late_s` too late."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.calls: list[tuple[float, Callable[[], object]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, call: Callable[..., object], *arguments: object) -> None:
        self.calls.append((when, partial(call, *arguments)))

    def run(self, until: float, late_s: float = 0.0) -> None:
        for when, call in sorted(self.calls, key=lambda waiting: waiting[0]):
            if when <= until:
                self.calls.remove((when, call))
                self.now = when + late_s
                call()
        self.now = until


class Connection:
    def __init__(self) -> None:
        self.is_reading = True

    def resume(self) -> None:
        self.is_reading = True


def rests_of(connections: list[Connection], *, late_s: Sequence[float]) -> list[int]:
    """How many of `connections` rest after each of the windows, in which the loop was so late."""
    clock, resting = Clock(), []
    throttle = ReadThrottle(clock)  # type: ignore[arg-type]  # all that it asks a loop
    for late in late_s:
        for connection in connections:
            connection.is_reading = not throttle.record_read(connection)
        resting.append([connection.is_reading for connection in connections].count(False))
        clock.run(clock.now + read_throttle.WINDOW_S + 0.01, late)
        assert all(connection.is_reading for connection in connections)
    return resting


def test_no_connection_is_throttled_while_the_loop_keeps_up() -> None:
    assert rests_of([Connection() for _ in range(200)], late_s=[0.0] * 6) == [0] * 6


def test_few_connections_are_never_throttled() -> None:
    assert rests_of([Connection() for _ in range(20)], late_s=[0.02] * 6) == [0] * 6


def test_many_connections_are_throttled_until_the_loop_keeps_up() -> None:
    record_read = rests_of([Connection() for _ in range(50)], late_s=[0.02] * 5 + [0.0] * 10)
    assert record_read[3:6] == [50, 50, 50]
    assert record_read[-1] == 0


@asynccontextmanager
async def serving(serve: Serve) -> AsyncIterator[int]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
def always_resting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_throttle, "MIN_CONNECTIONS", 0)
    monkeypatch.setattr(read_throttle, "WINDOW_S", 0.0)
    monkeypatch.setattr(read_throttle, "MAX_LOOP_LAG_S", -1.0)


async def send_pieces(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for piece in PIECES:
        writer.write(piece)
        await writer.drain()
    writer.close()


async def all_of(stream: httpcore2.AsyncNetworkStream, max_bytes: int) -> bytes:
    blocks = []
    while block := await stream.read(max_bytes, timeout=60):
        assert len(block) <= max_bytes
        blocks.append(block)
    await stream.aclose()
    return b"".join(blocks)


@pytest.mark.parametrize("max_bytes", [7, 65536])
async def test_throttled_connections_lose_nothing(always_resting: None, max_bytes: int) -> None:
    async with serving(send_pieces) as port:
        streams = [await AsyncioBackend().connect_tcp("127.0.0.1", port, 60) for _ in range(5)]
        contents = await asyncio.gather(*(all_of(stream, max_bytes) for stream in streams))
    assert contents == [b"".join(PIECES)] * 5


async def test_what_is_not_read_holds_the_other_side_back() -> None:
    byte_count = 0
    blocked = asyncio.Event()

    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal byte_count
        while byte_count < 64 * 1024 * 1024:
            writer.write(bytes(65536))
            try:
                async with asyncio.timeout(0.5):
                    await writer.drain()
            except TimeoutError:
                blocked.set()
                break
            byte_count += 65536
        writer.transport.abort()

    async with serving(flood) as port:
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", port, 60)
        async with asyncio.timeout(60):
            await blocked.wait()
        content = await stream.read(MAX_BUFFERED_BYTES * 4, timeout=60)
        assert 0 < len(content) <= MAX_BUFFERED_BYTES * 2
        await stream.aclose()


async def test_each_read_has_its_own_time_limit() -> None:
    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"first")
        await reader.read()
        writer.close()

    async with serving(wait) as port:
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", port, 60)
        assert await stream.read(100, timeout=90) == b"first"
        with pytest.raises(httpcore2.ReadTimeout):
            await stream.read(100, timeout=0.01)
        await stream.aclose()
        with pytest.raises(httpcore2.WriteError):
            await stream.write(b"too late", timeout=1)


async def test_what_a_server_says_before_tls_is_never_its_answer() -> None:
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b" HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged")
        await reader.read()
        writer.close()

    async with serving(speak) as port:
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", port, 60)
        await stream.read(1, timeout=60)  # the rest has come with it
        with pytest.raises(httpcore2.ConnectError, match="before TLS"):
            await stream.start_tls(ssl.create_default_context(), "page.example", timeout=60)


async def test_a_connection_that_was_closed_while_the_loop_was_busy_is_not_used_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", server.getsockname()[1], 10)
        other_side, _ = server.accept()
        assert not stream.get_extra_info("is_readable")
        other_side.close()
        poll = select.poll()  # `select` takes no descriptor above 1,023
        poll.register(stream.get_extra_info("socket"), select.POLLIN)
        poll.poll(10_000)  # not awaited: the loop reads nothing meanwhile
        assert stream.get_extra_info("is_readable")
        await stream.aclose()
