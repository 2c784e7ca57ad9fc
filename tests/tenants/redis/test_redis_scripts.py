"""Lua scripts that Redis keeps by their hash."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from tenants.redis.clients import close_redis, redis_client
from tenants.redis.scripts import Script

pytestmark = pytest.mark.redis


def test_a_server_that_has_never_seen_a_script_learns_it() -> None:
    async def run_twice() -> None:
        script = Script(f"return {{KEYS[1], ARGV[1]}} -- {uuid4()}")
        try:
            for _ in range(2):
                assert await script.run(redis_client(), ["one"], [2]) == [b"one", b"2"]
                assert await redis_client().script_exists(script.hash) == [True]
        finally:
            await close_redis()

    asyncio.run(run_twice())
