"""One run's odd content and a viewer that leaves harm nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from pytest_django import Settings

from chat.stream.event_log import LogKeys
from chat.stream.hub import Hub
from chat.stream.log_writer import EventLogWriter, WriterCallbacks
from chat.stream.viewer import _SILENCE, LogRebuilt, Viewer
from tenants.redis.clients import close_redis, redis_client
from tests.support.chat.nesting import nested
from tests.support.stores.redis_proxy import redis_proxy

pytestmark = pytest.mark.redis


def writer_of(run_id: UUID) -> EventLogWriter:
    return EventLogWriter(run_id, 1, first_seq=1, callbacks=WriterCallbacks(list, lambda _: None, lambda: None))


async def is_over() -> bool:
    return False


@pytest.mark.parametrize("value", ["half a pair \ud83d", 2**70, float("inf"), {"a set"}, nested(300)])
async def test_a_chunk_that_json_has_no_place_for_ends_no_stream(value: Any) -> None:
    run_id = uuid4()
    writer = writer_of(run_id)
    writer.publish({"type": "data-odd", "data": {"value": value}})
    await writer.close(final=False)
    writer.publish({"type": "finish"})
    await writer.close(final=True)
    async with aclosing(Hub.current().follow(run_id, is_over)) as batches:
        replay = await anext(batches)
    assert [orjson.loads(chunk)["type"] for chunk in replay] == ["data-odd", "finish"]


async def test_nothing_of_a_viewer_stays_when_it_has_left() -> None:
    run_id, hub = uuid4(), Hub.current()
    writer = writer_of(run_id)
    writer.publish({"type": "start"})
    await writer.close(final=False)
    stream = hub.follow(run_id, is_over)
    await anext(stream)
    assert hub._viewers
    await stream.aclose()
    assert (hub._viewers, LogKeys.of(run_id).log in hub._reader(LogKeys.of(run_id).log)) == ({}, False)


async def silent_viewer(run_id: UUID, over: Callable[[], Awaitable[bool]]) -> list[str]:
    """The types of the chunks that a viewer gets who has heard nothing for long and then asks whether the run is over."""
    chunk_types: list[str] = []
    async with aclosing(Hub.current().follow(run_id, over)) as batches:
        async for batch in batches:
            chunk_types += [orjson.loads(chunk)["type"] for chunk in batch]
            if chunk_types == ["start"]:
                only_viewer(run_id).push(_SILENCE)
    return chunk_types


def only_viewer(run_id: UUID) -> Viewer:
    [viewer] = (viewer for viewers in Hub.current()._viewers.values() for viewer in viewers if viewer.run_id == run_id)
    return viewer


async def test_an_end_that_comes_while_a_silent_viewer_asks_for_it_is_shown_to_it() -> None:
    run_id = uuid4()
    writer = writer_of(run_id)
    writer.publish({"type": "start"})
    await writer.close(final=False)

    async def ends_now() -> bool:
        writer.publish({"type": "finish"})
        await writer.close(final=True)
        return True

    assert await silent_viewer(run_id, ends_now) == ["start", "finish"]


async def test_a_viewer_whose_run_is_over_without_an_end_in_its_log_attaches_again() -> None:
    run_id = uuid4()
    writer = writer_of(run_id)
    writer.publish({"type": "start"})
    await writer.close(final=False)

    async def over() -> bool:
        return True

    with pytest.raises(LogRebuilt):
        await silent_viewer(run_id, over)


async def test_connections_to_redis_that_die_without_a_word_are_given_up(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.stream.log_reader.MAX_BLOCK_S", 2.5)
    monkeypatch.setattr("chat.stream.log_append.COMMAND_TIMEOUT_S", 0.5)
    monkeypatch.setattr("tenants.redis.clients.COMMAND_TIMEOUT_S", 0.5)
    run_id, chunk_types = uuid4(), list[str]()
    async with redis_proxy() as proxy:
        settings.REDIS_URL = proxy.url
        await close_redis()
        await Hub.current().close()
        writer = writer_of(run_id)
        writer.publish({"type": "start"})
        writer.start()
        async with asyncio.timeout(60), aclosing(Hub.current().follow(run_id, is_over)) as batches:
            async for batch in batches:
                chunk_types += [orjson.loads(chunk)["type"] for chunk in batch]
                if chunk_types == ["start"]:
                    proxy.stall()
                    writer.publish({"type": "finish"})
                    await writer.close(final=True)
        await Hub.current().close()
        await close_redis()
    assert chunk_types == ["start", "finish"]


@pytest.mark.parametrize("is_late", [False, True])
async def test_a_viewer_that_is_there_before_a_new_runs_first_entry_reads_no_log(is_late: bool) -> None:
    run_id, hub = uuid4(), Hub.current()
    writer = EventLogWriter(run_id, 1, first_seq=1, callbacks=WriterCallbacks(list, lambda _: None, lambda: None, hub.pusher(run_id)))
    hub.own(run_id, writer)
    async with commands_sent() as commands:
        if is_late:
            await say(writer, "start", final=False)
        async with aclosing(hub.follow(run_id, is_over)) as batches:
            first = asyncio.ensure_future(anext(batches))
            await asyncio.sleep(0.01)
            if not is_late:
                await say(writer, "start", final=False)
            all_batches = [await first]
            await say(writer, "finish", final=True)
            all_batches += [batch async for batch in batches]
    await hub.disown(run_id, writer)
    assert [orjson.loads(chunk)["type"] for batch in all_batches for chunk in batch] == ["start", "finish"]
    assert any(command.startswith("XRANGE ") and str(run_id) in command for command in commands) is is_late


async def say(writer: EventLogWriter, kind: str, *, final: bool) -> None:
    writer.publish({"type": kind})
    await writer.close(final=final)


@asynccontextmanager
async def commands_sent() -> AsyncIterator[list[str]]:
    """The commands that Redis got during the block, from all tests' processes. Filled when it ends."""
    commands: list[str] = []
    mark = str(uuid4())
    async with redis_client().monitor() as monitor:
        yield commands
        await redis_client().echo(mark)
        while not commands or mark not in commands[-1]:
            commands.append((await monitor.next_command())["command"])
