"""The client over real connections, on asyncio's loop (workers) and uvloop (the web process)."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvloop

from security.egress.client import new_client
from security.egress.network import CheckedBackend
from security.egress.responses import response_body
from tests.security.egress.fake_internet import FakeNetwork, answer, fake_internet
from tests.security.egress.test_egress import certificates

Scenario = Callable[[], Coroutine[Any, Any, None]]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
URL = "http://page.example/"
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Scenario], None]:
    async def limited(scenario: Scenario) -> None:
        async with asyncio.timeout(60):
            await scenario()

    def run(scenario: Scenario) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(limited(scenario))

    return run


@asynccontextmanager
async def client_of(serve: Serve) -> AsyncIterator[httpx2.AsyncClient]:
    """A client for which every name leads to a server that does `serve` once it was asked."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            await serve(reader, writer)
        writer.transport.abort()

    async def resolve(host: str, port: int) -> list[str]:
        return ["93.184.216.34"]

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    wire = FakeNetwork(server.sockets[0].getsockname()[1])
    async with server, new_client(CheckedBackend(resolve=resolve, network=wire), ssl_context=ssl.create_default_context()) as client:
        yield client


def test_connections_are_used_again_until_the_server_closes_them(run: Callable[[Scenario], None]) -> None:
    async def scenario() -> None:
        async with fake_internet() as world:
            world.pages |= {"/": answer(b"hello"), "/end": answer(b"bye", connection="close")}
            for path in ("/", "/", "/end", "/", "/"):
                await world.client.get(f"http://page.example{path}")
            assert len(world.wire.connections) == 2

    run(scenario)


def test_a_connection_that_the_server_left_while_idle_is_not_asked_again(run: Callable[[Scenario], None]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(b"hello"))
        await writer.drain()

    async def scenario() -> None:
        async with client_of(serve) as client:
            for _ in range(3):
                assert (await client.post(URL, content=b"asked")).text == "hello"
                await asyncio.sleep(0.02)

    run(scenario)


def test_many_streams_at_once_lose_nothing(run: Callable[[Scenario], None]) -> None:
    pieces = [b"%06d" % number * 30 for number in range(300)]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CHUNKED)
        for number, piece in enumerate(pieces):
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            if number % 7 == 0:
                await asyncio.sleep(0.001)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        await reader.read()

    async def read(client: httpx2.AsyncClient) -> bytes:
        async with client.stream("GET", URL) as response:
            body, content = response_body(response), b""
            while block := await body.read():
                content += block
            return content

    async def scenario() -> None:
        async with client_of(serve) as client:
            assert await asyncio.gather(*(read(client) for _ in range(60))) == [b"".join(pieces)] * 60

    run(scenario)


def test_a_slow_reader_holds_its_server_back(run: Callable[[Scenario], None]) -> None:
    sent_bytes = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent_bytes
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(bytes(65536))
            await writer.drain()
            sent_bytes += 65536

    async def scenario() -> None:
        async with client_of(serve) as client, client.stream("GET", URL) as response:
            body = response_body(response)
            assert await body.read()
            before = -1
            while before != sent_bytes:
                before = sent_bytes
                await asyncio.sleep(0.3)
            assert sent_bytes < 64 * 1024 * 1024  # what the two kernels and MAX_BUFFERED_BYTES take

    run(scenario)


def test_a_reader_that_is_cancelled_hangs_up(run: Callable[[Scenario], None]) -> None:
    async def scenario() -> None:
        disconnected, began = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(CHUNKED + b"5\r\nhello\r\n")
            await writer.drain()
            with suppress(ConnectionError):
                await reader.read()
            disconnected.set()

        async def read(client: httpx2.AsyncClient) -> None:
            async with client.stream("GET", URL) as response:
                body = response_body(response)
                while await body.read():
                    began.set()

        async with client_of(serve) as client:
            task = asyncio.create_task(read(client))
            await began.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await disconnected.wait()

    run(scenario)


def test_the_networks_faults_are_httpx_errors(run: Callable[[Scenario], None]) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CHUNKED + b"5\r\nhello\r\n")
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.close()
        await writer.wait_closed()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(CHUNKED + b"5\r\nhello\r\n")
        await reader.read()

    async def outcome_of(serve: Serve) -> tuple[bytes, type[Exception]]:
        content = b""
        async with client_of(serve) as client:
            try:
                async with client.stream("GET", URL, timeout=httpx2.Timeout(5, read=0.3)) as response:
                    body = response_body(response)
                    while block := await body.read():
                        content += block
            except httpx2.HTTPError as exc:
                return content, type(exc)
        raise AssertionError("No fault.")

    async def scenario() -> None:
        assert await outcome_of(cut) == (b"hello", httpx2.RemoteProtocolError)
        assert await outcome_of(refuse) == (b"", httpx2.RemoteProtocolError)
        assert await outcome_of(wait) == (b"hello", httpx2.ReadTimeout)

    run(scenario)


def test_tls_carries_streams_too(run: Callable[[Scenario], None], tmp_path: Path) -> None:
    server_tls, client_tls = certificates(tmp_path, "page.example")

    async def scenario() -> None:
        async with fake_internet(server_tls=server_tls, client_tls=client_tls) as world:
            world.pages["/"] = answer(b"sealed" * 100_000)
            for _ in range(2):
                assert (await world.client.get("https://page.example/")).content == b"sealed" * 100_000
            assert len(world.wire.connections) == 1

    run(scenario)
