"""Redis clients for threads: to one server, to the primary that Sentinels name, or to a cluster."""

from __future__ import annotations

from typing import Any, cast

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.connection import parse_url
from redis.retry import Retry
from redis.sentinel import Sentinel, SentinelConnectionPool

from tenants.redis.addresses import RedisAddress, redis_address
from tenants.redis.connections import sentinel_options
from tenants.redis.stores import Store, store_url


def sync_connection(url: str, *, timeout_s: float, is_tried_once: bool = False) -> redis.Redis:
    """Return a new client. The caller closes it. `timeout_s`: of connecting and of each command. `is_tried_once`: see `redis.retry`."""
    address = redis_address(url)
    options: dict[str, Any] = {"socket_timeout": timeout_s, "socket_connect_timeout": timeout_s}
    if is_tried_once:
        options["retry"] = Retry(NoBackoff(), 0)
    if address.mode == "cluster":
        return cast(redis.Redis, _cluster(address, options))  # it has the same commands
    return redis.Redis.from_pool(sync_pool(url, **options))


def sync_store(store: Store, *, timeout_s: float, is_tried_once: bool = False) -> redis.Redis:
    """Return a new client for a store. See `sync_connection`."""
    return sync_connection(store_url(store), timeout_s=timeout_s, is_tried_once=is_tried_once)


def sync_pool(url: str, **options: Any) -> redis.ConnectionPool:
    """Return a pool of connections to one server, or to the primary that Sentinels name at the time."""
    address = redis_address(url)
    if address.mode == "single":
        return redis.ConnectionPool.from_url(url, **options)
    connection_options = _options(address) | options
    sentinels = Sentinel(address.nodes, sentinel_kwargs=sentinel_options(address))  # type: ignore[no-untyped-call]  # redis-py types it not
    return SentinelConnectionPool(address.primary, sentinels, **connection_options)  # type: ignore[no-untyped-call]


def _cluster(address: RedisAddress, options: dict[str, Any]) -> redis.RedisCluster:
    nodes = [ClusterNode(*node) for node in address.nodes]  # type: ignore[no-untyped-call]
    return redis.RedisCluster(startup_nodes=nodes, **(_options(address) | options))


def _options(address: RedisAddress) -> dict[str, Any]:
    """Return user, password, database and options of the URL, as a connection whose host is asked for takes them."""
    url_options: dict[str, Any] = {**parse_url(address.url)}  # type: ignore[no-untyped-call]
    for name in ("host", "port", "connection_class"):
        url_options.pop(name, None)
    return {**url_options, "ssl": True} if address.is_tls else url_options


class CachePool:
    """What Django's cache makes its connections with (`pool_class`)."""

    from_url = staticmethod(sync_pool)
