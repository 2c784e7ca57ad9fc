"""Redis connections: one client per event loop, kept as long as its loop lives; and the names of keys."""

from __future__ import annotations

import asyncio
from functools import cache
from weakref import WeakKeyDictionary

import redis
import redis.asyncio as aioredis
from django.conf import settings
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

# What "Redis can't do it now" looks like (away, full, read-only after a failover); a caller keeps its work and tries again.
REDIS_ERRORS = (RedisError, OSError)
COMMAND_TIMEOUT_S = 5.0  # then a short command's connection counts as dead

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, aioredis.Redis] = WeakKeyDictionary()
_no_timeout_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, aioredis.Redis] = WeakKeyDictionary()


def redis_client() -> aioredis.Redis:
    """The running loop's client for short commands; answers are bytes."""
    loop = asyncio.get_running_loop()
    client = _clients.get(loop)
    if client is None:
        client = _clients[loop] = aioredis.Redis.from_url(
            settings.REDIS_URL,
            retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), 3),
            socket_timeout=COMMAND_TIMEOUT_S,
            socket_connect_timeout=COMMAND_TIMEOUT_S,
        )
    return client


def no_timeout_client() -> aioredis.Redis:
    """The running loop's client for one who sets a limit for many commands at once: a limit for each costs more than the command."""
    loop = asyncio.get_running_loop()
    client = _no_timeout_clients.get(loop)
    if client is None:
        client = _no_timeout_clients[loop] = aioredis.Redis.from_url(settings.REDIS_URL, socket_timeout=None, socket_connect_timeout=5)
    return client


def blocking_client() -> aioredis.Redis:
    """A client of its own for blocking reads; the caller closes it.

    No socket time-out: with one, redis-py swallows the cancellation of a read that has just begun. The caller has its own.
    """
    return aioredis.Redis.from_url(settings.REDIS_URL, socket_timeout=None, socket_connect_timeout=5)


@cache
def sync_client() -> redis.Redis:
    """For threads that serve a request: who waits for a Redis that is away gives up soon."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.25, socket_connect_timeout=0.25)


async def close_redis() -> None:
    """Close the running loop's clients (process end, tests)."""
    for clients in (_clients, _no_timeout_clients):
        client = clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


def claim_once(name: str, seconds: int) -> bool:
    """Whether nobody else asked for `name` in the last `seconds`; sync, for tasks."""
    with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5) as client:
        return bool(client.set(key("once", name), 1, nx=True, ex=seconds))


def key(*parts: object) -> str:
    return ":".join([settings.REDIS_PREFIX, *map(str, parts)])
