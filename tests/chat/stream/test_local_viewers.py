"""Viewers in the owner's process see each chunk at once and exactly once; the log follows in groups (docs/decisions/0018)."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest
from pytest_django import Settings

from chat.stream.event_log import read_log
from chat.stream.hub import Hub
from chat.stream.log_flusher import BUSY_INTERVAL_S, LOG_INTERVAL_S, SHOW_INTERVAL_S, LogFlusher
from chat.stream.log_writer import EventLogWriter, WriterCallbacks
from tenants.redis.clients import close_redis, redis_client
from tests.support.stores.redis_proxy import redis_proxy
from tests.support.stores.redis_servers import own_redis
from tests.support.suite.time_limits import scaled_to_load

pytestmark = pytest.mark.redis

TOKENS = 50
TOKEN_S = 0.02


def owned_writer(run_id: UUID) -> EventLogWriter:
    callbacks = WriterCallbacks(list, lambda _: None, lambda: None, Hub.current().pusher(run_id))
    writer = EventLogWriter(run_id, 1, first_seq=1, callbacks=callbacks)
    Hub.current().own(run_id, writer)
    writer.start()
    return writer


def say(writer: EventLogWriter, word: str) -> None:
    writer.publish({"type": "text-delta", "id": word, "delta": word})


async def is_over() -> bool:
    return False


async def words_shown(run_id: UUID, words: list[str]) -> list[str]:
    """What a viewer gets from now on, to the end, also while it comes."""
    async with aclosing(Hub.current().follow(run_id, is_over)) as batches:
        async for batch in batches:
            words += [orjson.loads(chunk)["delta"] for chunk in batch]
    return words


async def until(viewer_words: list[str], words: list[str], within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while viewer_words != words:  # noqa: ASYNC110 - a viewer has no event for it
            await asyncio.sleep(0.002)


async def test_a_viewer_that_comes_in_the_middle_of_a_group_sees_each_chunk_once() -> None:
    run_id = uuid4()
    writer = owned_writer(run_id)
    viewers: list[tuple[int, asyncio.Task[list[str]]]] = []
    sent_words: list[str] = []
    for number in range(TOKENS):
        sent_words.append(f"w{number}")
        say(writer, sent_words[-1])
        await asyncio.sleep(0.004)
        viewers.append((number, asyncio.create_task(words_shown(run_id, []))))
    await writer.close(final=True)
    viewer_words = await asyncio.gather(*(task for _, task in viewers), words_shown(run_id, []))
    await Hub.current().disown(run_id, writer)
    assert [words for words in viewer_words if words != sent_words] == []
    entries = await read_log(run_id)
    assert [entry.first for entry in entries] == [1, *(entry.seq + 1 for entry in entries[:-1])], "the sequence has no gaps"
    assert entries[-1].seq == TOKENS + 1, "the end has a number"


async def test_text_is_shown_while_redis_is_away_and_logged_when_it_is_back(settings: Settings) -> None:
    run_id, viewer_words, url = uuid4(), list[str](), settings.REDIS_URL
    async with redis_proxy() as proxy:
        settings.REDIS_URL = proxy.url
        await close_redis()
        await Hub.current().close()
        writer = owned_writer(run_id)
        follower = asyncio.create_task(words_shown(run_id, viewer_words))
        say(writer, "before")
        await until(viewer_words, ["before"], scaled_to_load(2))
        proxy.close()
    sent_words = ["before"]
    for number in range(10):  # Redis is away
        sent_words.append(f"w{number}")
        say(writer, sent_words[-1])
        await until(viewer_words, sent_words, scaled_to_load(1.5))
    settings.REDIS_URL = url
    await close_redis()
    await writer.close(final=True)
    await follower
    await Hub.current().disown(run_id, writer)
    assert viewer_words == sent_words
    assert await words_shown(run_id, []) == sent_words, "others catch up"


async def test_a_paced_token_costs_a_third_of_a_command_at_most(settings: Settings, tmp_path: Path) -> None:
    shared_url = settings.REDIS_URL
    with own_redis(tmp_path) as settings.REDIS_URL:  # the shared one counts the commands of other tests, too
        await close_redis()
        await Hub.current().close()
        writers = [owned_writer(uuid4()) for _ in range(4)]
        await asyncio.sleep(LOG_INTERVAL_S)
        before = await script_calls()
        for number in range(TOKENS):
            for writer in writers:
                say(writer, f"w{number}")
            await asyncio.sleep(TOKEN_S)
        commands = await script_calls() - before
        for writer in writers:
            await writer.close(final=True)
        await close_redis()
        await Hub.current().close()
    settings.REDIS_URL = shared_url
    assert 0 < commands <= 0.3 * TOKENS * len(writers)


async def script_calls() -> int:
    stats: dict[str, Any] = await redis_client().info("commandstats")
    return int(stats.get("cmdstat_evalsha", {"calls": 0})["calls"])


async def test_the_interval_is_long_only_while_the_loop_is_late() -> None:
    flusher, writer = LogFlusher.current(), owned_writer(uuid4())
    assert flusher.show_interval_s == SHOW_INTERVAL_S
    async with asyncio.timeout(scaled_to_load(10)):
        while flusher.show_interval_s != BUSY_INTERVAL_S:
            say(writer, "w")
            time.sleep(2 * LOG_INTERVAL_S)  # noqa: ASYNC251 - the overload
            await asyncio.sleep(0)
        while flusher.show_interval_s != SHOW_INTERVAL_S:
            say(writer, "w")
            await asyncio.sleep(0.01)
    await writer.close(final=True)
