"""Redis clients, one per event loop and kept as long as the loop lives, and key names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio as aioredis
from django.conf import settings
from redis.exceptions import RedisError

from tenants.errors import Unavailable
from tenants.redis.addresses import redis_address
from tenants.redis.cluster import cluster_client
from tenants.redis.connections import bounded_pool
from tenants.redis.stores import Store, store_url
from tenants.redis.sync_clients import sync_store

# Raised when Redis can't do it now (away, full, read-only after a failover). Callers keep their work and try again.
REDIS_ERRORS = (RedisError, OSError)
COMMAND_TIMEOUT_S = 5.0  # a connection that takes longer for a short command counts as dead


@contextmanager
def unavailable_without_redis() -> Iterator[None]:
    """Wrap work that needs Redis: raises Unavailable in place of REDIS_ERRORS."""
    try:
        yield
    except REDIS_ERRORS:
        raise Unavailable from None


Clients = WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, aioredis.Redis]]  # by URL

_clients: Clients = WeakKeyDictionary()
_no_timeout_clients: Clients = WeakKeyDictionary()


def redis_client(store: Store = "state") -> aioredis.Redis:
    """Return the running loop's client for short commands. Replies are bytes."""
    return _shared_client(_clients, store, socket_timeout=COMMAND_TIMEOUT_S)


def no_timeout_client(store: Store = "state") -> aioredis.Redis:
    """Return the running loop's client for callers that set one time limit for many commands.

    A time limit for each command costs more than the command itself.
    """
    return _shared_client(_no_timeout_clients, store, socket_timeout=None)


def blocking_client(store: Store = "state") -> aioredis.Redis:
    """Return a new client for blocking reads. The caller closes it and sets its own time limits.

    It has no socket timeout: with one, redis-py swallows the cancellation of a read that has just begun.
    """
    return _client(store_url(store), socket_timeout=None)


def _shared_client(clients: Clients, store: Store, *, socket_timeout: float | None) -> aioredis.Redis:
    url = store_url(store)
    of_loop = clients.setdefault(asyncio.get_running_loop(), {})
    client = of_loop.get(url)
    if client is None:
        client = of_loop[url] = _client(url, socket_timeout=socket_timeout)
    return client


def _client(url: str, *, socket_timeout: float | None) -> aioredis.Redis:
    limits = {"socket_timeout": socket_timeout, "socket_connect_timeout": COMMAND_TIMEOUT_S}
    address = redis_address(url)
    if address.mode == "cluster":
        return cast(aioredis.Redis, cluster_client(address, **limits))  # it has the same commands
    return aioredis.Redis.from_pool(bounded_pool(url, **limits))


@cache
def sync_client(store: Store = "state") -> redis.Redis:
    """Return the client for threads that serve a request. It gives up quickly, so that no request waits for a Redis that is away."""
    return sync_store(store, timeout_s=0.25)


async def close_redis() -> None:
    """Close the running loop's clients (at the end of the process and in tests)."""
    for clients in (_clients, _no_timeout_clients):
        for client in clients.pop(asyncio.get_running_loop(), {}).values():
            await client.aclose()


def key(*parts: object) -> str:
    return ":".join([settings.REDIS_PREFIX, *map(str, parts)])
