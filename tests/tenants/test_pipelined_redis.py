"""Short calls of many tasks over one connection: each has its own answer, and what harms one harms no other."""

from __future__ import annotations

import asyncio
import gc
import weakref
from uuid import uuid4

import pytest
from pytest_django import Settings
from redis.exceptions import ResponseError

from tenants.redis.clients import REDIS_ERRORS, close_redis, key, redis_client
from tenants.redis.pipeline import SharedPipeline, pack_command
from tests.support.redis_proxy import redis_proxy

pytestmark = pytest.mark.redis


def counter() -> bytes:
    return key("test", uuid4()).encode()


async def test_each_of_many_calls_at_once_has_its_own_answers() -> None:
    line, name = SharedPipeline.current(), counter()
    found = await asyncio.gather(*(line.call(pack_command(b"INCR", name), pack_command(b"EXPIRE", name, b"60")) for _ in range(50)))
    assert found == [[number, 1] for number in range(1, 51)]


async def test_what_redis_refuses_is_the_answer_of_that_call_alone() -> None:
    line, name, text = SharedPipeline.current(), counter(), counter()
    await redis_client().set(text, "tea", ex=60)
    good, bad, after = await asyncio.gather(*(line.call(pack_command(b"INCR", one)) for one in (name, text, name)))
    assert (good, after) == ([1], [2])
    assert isinstance(bad[0], ResponseError)


async def test_a_cancelled_call_takes_no_other_calls_answer() -> None:
    line, name = SharedPipeline.current(), counter()
    pause = pack_command(b"WAIT", b"1", b"50")  # for a replica that is not there
    await line.call(pack_command(b"INCR", counter()))  # connects
    first, second = (asyncio.ensure_future(line.call(pause, pack_command(b"INCR", name))) for _ in range(2))
    await asyncio.sleep(0.01)
    first.cancel()
    third = asyncio.ensure_future(line.call(pack_command(b"INCR", name)))
    assert (await second, await third) == ([0, 2], [3])


async def test_what_was_given_up_before_it_went_out_is_not_made() -> None:
    line, name = SharedPipeline.current(), counter()
    first, second = (asyncio.ensure_future(line.call(pack_command(b"INCR", name))) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == [1]


def test_a_loop_that_is_over_is_freed_with_its_line() -> None:
    async def used() -> weakref.ref[asyncio.AbstractEventLoop]:
        await SharedPipeline.current().call(pack_command(b"INCR", counter()))
        await close_redis()
        return weakref.ref(asyncio.get_running_loop())

    loops = [asyncio.run(used()) for _ in range(2)]
    gc.collect()
    assert [loop() for loop in loops] == [None, None]


async def test_a_connection_that_died_is_replaced_and_a_redis_that_is_away_is_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenants.redis.pipeline.REPLY_TIMEOUT_S", 0.5)
    name = counter()
    async with redis_proxy() as proxy:
        settings.REDIS_URL = proxy.url
        line = SharedPipeline.current()
        assert await line.call(pack_command(b"INCR", name)) == [1]
        proxy.stall()
        assert await line.call(pack_command(b"INCR", name)) == [2]
    with pytest.raises(REDIS_ERRORS):
        await line.call(pack_command(b"INCR", name))
    await close_redis()
