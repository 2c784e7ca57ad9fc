"""The flusher of a process's event logs: what it leaves behind, and a Redis that fails over."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4
from weakref import ref

import pytest
from pytest_django import Settings
from redis.exceptions import ReadOnlyError, ResponseError

from chat.runs.worker_loop import close_loop_resources
from chat.stream.log_append import AppendCall, Reply, append_to_logs
from chat.stream.log_flusher import LogFlusher
from chat.stream.log_writer import EventLogWriter, WriterCallbacks
from tenants.redis.clients import close_redis
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.redis


class GivesUp:
    """A run that ends while Redis is asked, which refuses."""

    flushed_at, longest_wait_s, is_urgent, name = 0.0, 0.0, True, "a run"

    def __init__(self, flusher: LogFlusher) -> None:
        self._flusher = flusher
        self.answer = asyncio.get_running_loop().create_future()

    def prepare(self) -> AppendCall:
        self._flusher.detach(self)
        return AppendCall(b"a:log", b"no place", b"")

    def settle(self, reply: Reply) -> bool:
        self.answer.set_result(reply)
        return False

    def fail(self, reason: Exception) -> None:
        self.answer.set_exception(reason)


async def test_a_run_that_gave_up_before_redis_refused_it_is_forgotten() -> None:
    flusher = LogFlusher.current()
    run = GivesUp(flusher)
    flusher.attach(run)
    flusher.wake(run)
    async with asyncio.timeout(scaled_to_load(10)):
        assert isinstance(await run.answer, ResponseError)
    assert run not in flusher._retry_at


def test_a_loop_whose_resources_are_closed_is_freed() -> None:
    loops = []

    async def write() -> None:
        loops.append(ref(asyncio.get_running_loop()))
        writer = EventLogWriter(uuid4(), 1, first_seq=1, callbacks=WriterCallbacks(list, lambda _: None, lambda: None))
        writer.publish({"type": "start"})
        await writer.close(final=True)
        await close_loop_resources()

    asyncio.run(write())
    gc.collect()
    assert [loop() for loop in loops] == [None]


@asynccontextmanager
async def redis_that_says(settings: Settings, *words: tuple[bytes, ...]) -> AsyncIterator[list[int]]:
    """A Redis whose connections, each in its turn, answer a first EVALSHA with these pieces; one piece alone answers each. Gives their number.

    An empty piece closes the connection.
    """
    connections = [0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections[0] += 1
        pieces = words[connections[0] - 1]
        while count := await reader.readline():
            parts = [await reader.readexactly(int((await reader.readline())[1:]) + 2) for _ in range(int(count[1:]))]
            if parts[0] != b"EVALSHA\r\n":
                writer.write(b"+OK\r\n")
                continue
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.01)  # so that it comes alone
                if not piece:
                    writer.close()
                    return
            pieces = pieces if len(pieces) == 1 else ()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}/0?protocol=2"
        await close_redis()
        yield connections
        await close_redis()


def calls(number: int) -> list[AppendCall]:
    return [AppendCall(b"a:log", b"1 1 0 ", b"")] * number


async def test_after_a_failover_the_old_primary_is_left(settings: Settings) -> None:
    refusal = b"-READONLY You can't write against a read only replica.\r\n"
    async with redis_that_says(settings, (b"*2\r\n" + 2 * refusal,), (b"*2\r\n:0\r\n:0\r\n",)) as connections:
        replies = await append_to_logs(calls(2))
        assert await append_to_logs(calls(2)) == [0, 0]
    assert [type(reply) for reply in replies] == [ReadOnlyError, ReadOnlyError]
    assert connections == [2]


async def test_what_redis_refuses_one_run_is_the_answer_of_that_run_alone(settings: Settings) -> None:
    async with redis_that_says(
        settings, (b"*4\r\n:7\r\n:8", b""), (b"*4\r\n:1\r", b"\n:2\r\n-ERR no", b" epoch\r\n:", b"-1\r\n")
    ) as connections:
        first, second, error, fence_reply = await append_to_logs(calls(4))
    assert (first, second, fence_reply, connections) == (1, 2, -1, [2])
    assert isinstance(error, ResponseError)
    assert str(error) == "no epoch"
