"""Redis clients, one per event loop and kept as long as the loop lives, and key names."""

from __future__ import annotations

import asyncio
from functools import cache
from weakref import WeakKeyDictionary

import redis
import redis.asyncio as aioredis
from django.conf import settings
from redis.exceptions import RedisError

from tenants.redis.connections import bounded_pool

# Raised when Redis can't do it now (away, full, read-only after a failover). Callers keep their work and try again.
REDIS_ERRORS = (RedisError, OSError)
COMMAND_TIMEOUT_S = 5.0  # a connection that takes longer for a short command counts as dead


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, aioredis.Redis] = WeakKeyDictionary()
_no_timeout_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, aioredis.Redis] = WeakKeyDictionary()


def redis_client() -> aioredis.Redis:
    """Return the running loop's client for short commands. Replies are bytes."""
    loop = asyncio.get_running_loop()
    client = _clients.get(loop)
    if client is None:
        client = _clients[loop] = _client(socket_timeout=COMMAND_TIMEOUT_S, socket_connect_timeout=COMMAND_TIMEOUT_S)
    return client


def no_timeout_client() -> aioredis.Redis:
    """Return the running loop's client for callers that set one time limit for many commands.

    A time limit for each command costs more than the command itself.
    """
    loop = asyncio.get_running_loop()
    client = _no_timeout_clients.get(loop)
    if client is None:
        client = _no_timeout_clients[loop] = _client(socket_timeout=None, socket_connect_timeout=COMMAND_TIMEOUT_S)
    return client


def blocking_client() -> aioredis.Redis:
    """Return a new client for blocking reads. The caller closes it and sets its own time limits.

    It has no socket timeout: with one, redis-py swallows the cancellation of a read that has just begun.
    """
    return _client(socket_timeout=None, socket_connect_timeout=COMMAND_TIMEOUT_S)


def _client(**options: float | None) -> aioredis.Redis:
    return aioredis.Redis.from_pool(bounded_pool(settings.REDIS_URL, **options))


@cache
def sync_client() -> redis.Redis:
    """Return the client for threads that serve a request. It gives up quickly, so that no request waits for a Redis that is away."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.25, socket_connect_timeout=0.25)


async def close_redis() -> None:
    """Close the running loop's clients (at the end of the process and in tests)."""
    for clients in (_clients, _no_timeout_clients):
        client = clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


def key(*parts: object) -> str:
    return ":".join([settings.REDIS_PREFIX, *map(str, parts)])
