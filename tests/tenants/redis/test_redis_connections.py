"""Connections to Redis that die: redis-py's errors or none, under both event loops, and never more of them than the pool allows."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
import uvloop
from channels.layers import get_channel_layer
from pytest_django import Settings

from chat.stream.log_append import AppendCall, append_to_logs
from tenants.redis.clients import REDIS_ERRORS, blocking_client, close_redis, key, no_timeout_client, redis_client
from tenants.redis.connections import MAX_CONNECTIONS
from tenants.redis.notifications import member_notices, notify_member
from tests.support.stores.redis_servers import own_redis

pytestmark = pytest.mark.redis

Runner = Callable[[Coroutine[Any, Any, None]], None]


class ResettingRelay:
    """A TCP relay before the session's Redis that resets its connections, as a firewall or a failover does. In threads, for any loop."""

    def __init__(self, unix_url: str, reply_after_s: float) -> None:
        self._reply_after_s = reply_after_s
        login, _, path = unix_url.removeprefix("unix://").rpartition("@")
        self._path, self._pairs = path, list[tuple[socket.socket, socket.socket]]()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://{login}{'@' * bool(login)}127.0.0.1:{self._server.getsockname()[1]}/0"
        Thread(target=self._accept, daemon=True).start()

    def reset_all(self) -> None:
        while self._pairs:
            here, there = self._pairs.pop()
            here.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            for end in (here, there):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RD)  # wakes the thread that reads it
                end.close()

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.reset_all()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._server.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(self._path)
                self._pairs.append((here, there))
                for ends in ((here, there, 0), (there, here, self._reply_after_s)):
                    Thread(target=_copy, args=ends, daemon=True).start()


def _copy(source: socket.socket, target: socket.socket, pause_s: float) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            time.sleep(pause_s)
            target.sendall(data)


@asynccontextmanager
async def resetting_relay(settings: Settings, *, reply_after_s: float = 0) -> AsyncIterator[ResettingRelay]:
    relay, url = ResettingRelay(settings.REDIS_URL, reply_after_s), settings.REDIS_URL
    settings.REDIS_URL = relay.url
    try:
        yield relay
    finally:
        settings.REDIS_URL = url
        await close_redis()
        relay.close()


def calls() -> list[Callable[[], Awaitable[Any]]]:
    name = key("test", "resets")
    return [
        lambda: redis_client().incr(name),
        lambda: _pipelined(name),
        lambda: append_to_logs([AppendCall(f"{name}:log".encode(), b"1 0 0 -", b"")]),
        lambda: _read_blocking(f"{name}:stream"),
    ]


async def _pipelined(name: str) -> None:
    pipeline = no_timeout_client().pipeline(transaction=False)
    _ = pipeline.incr(name), pipeline.expire(name, 60)
    await pipeline.execute()


async def _read_blocking(stream: str) -> None:
    async with aclosing(blocking_client()) as client:
        await client.xread({stream: "0-0"}, block=1)


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_connection_that_is_reset_is_replaced_or_raises_a_redis_error(run: Runner, settings: Settings) -> None:
    async def use(relay: ResettingRelay) -> None:
        for _ in range(5):
            await asyncio.gather(*(call() for call in calls() for _ in range(3)))
            busy = asyncio.gather(*(_tolerate(call) for call in calls()))
            for pause_s in (0.001, 0.001, 0.005):
                relay.reset_all()
                await asyncio.sleep(pause_s)
            await busy

    async def main() -> None:
        async with resetting_relay(settings) as relay:
            await use(relay)
            await asyncio.gather(*(call() for call in calls()))

    run(main())


async def _tolerate(call: Callable[[], Awaitable[Any]]) -> None:
    for _ in range(10):
        with suppress(*REDIS_ERRORS):
            await call()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_call_that_is_cancelled_at_any_moment_ends(run: Runner) -> None:
    """Python's `wait_for`, in which redis-py sends, swallowed a cancellation before version 3.12."""

    async def cancel_after(iterations: int) -> bool:
        """Return whether the call was still at work."""
        task = asyncio.ensure_future(redis_client().echo("word"))
        for _ in range(iterations):
            await asyncio.sleep(0)
        was_busy = task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled() == was_busy
        return was_busy

    async def main() -> None:
        for is_new in (True, False):
            for iterations in range(200):
                if is_new:
                    await close_redis()
                if not await cancel_after(iterations):
                    break
        await close_redis()

    run(main())


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_no_call_gets_the_reply_of_one_that_was_cancelled(run: Runner, settings: Settings) -> None:
    async def main() -> None:
        async with resetting_relay(settings, reply_after_s=0.01):
            for iterations in range(30):
                await redis_client().echo("before")
                task = asyncio.ensure_future(redis_client().echo("cancelled"))
                for _ in range(iterations):
                    await asyncio.sleep(0)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
                assert await redis_client().echo("own") == b"own", iterations

    run(main())


async def connections() -> int:
    return int((await redis_client().info("clients"))["connected_clients"])


async def test_sockets_that_close_together_leave_few_connections() -> None:
    layer = get_channel_layer()
    assert layer is not None
    before = await connections()
    await asyncio.gather(*(layer.group_discard("member-x", f"specific.a!{number}") for number in range(500)))
    await asyncio.gather(*(redis_client().exists("x") for _ in range(500)))
    assert await connections() - before <= 2 * MAX_CONNECTIONS
    await close_redis()


async def test_connections_that_nobody_uses_are_closed_and_calls_go_on(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path
) -> None:
    """On a server of its own: at the session's the other workers come and go."""
    monkeypatch.setattr("tenants.redis.connections.IDLE_S", 0.2)
    await close_redis()
    with own_redis(tmp_path) as settings.REDIS_URL:
        async with aclosing(blocking_client()) as watching:
            before = (await watching.info("clients"))["connected_clients"]
            for _ in range(2):
                await asyncio.gather(*(redis_client().echo("x") for _ in range(200)))
                reads = asyncio.ensure_future(no_timeout_client().xread({key("test", "idle"): "$"}, block=1000))
                async with asyncio.timeout(60):
                    while (await watching.info("clients"))["connected_clients"] > before + 1:  # the read in progress stays
                        assert await watching.echo("x") == b"x"
                        await asyncio.sleep(0.02)
                assert await reads in ({}, [])
                assert await redis_client().echo("still") == b"still"
        await close_redis()


async def test_notices_that_nobody_waited_for_do_not_stay_in_memory() -> None:
    member = uuid4()
    layer: Any = get_channel_layer()
    async with member_notices(member) as next_notice:
        async with member_notices(member):
            await notify_member(member, {"type": "news"})
            async with asyncio.timeout(60):
                assert (await next_notice())["payload"] == {"type": "news"}
            assert len(layer.receive_buffer) == 1  # of who did not wait: one read is for all channels of a process
        assert not layer.receive_buffer
