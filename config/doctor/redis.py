"""Checks of Redis or Valkey: each store takes writes, drops nothing when it is full, and keeps its data over a restart."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, cast

import redis
from redis.exceptions import ResponseError

from config.doctor.findings import Finding, clock_finding, error, ok, warning
from config.redis_mode_check import mode_problem
from tenants.redis.addresses import RedisAddress, redis_address
from tenants.redis.clients import REDIS_ERRORS, key
from tenants.redis.connections import sentinel_options
from tenants.redis.stores import VARIABLES, Store, own_stores, store_url
from tenants.redis.sync_clients import sync_store

TIMEOUT_S = 3.0
MIN_VERSION = (6, 2)
MIN_SENTINELS = 3  # fewer can't tell a dead primary from a cut line
FORGETFUL: tuple[Store, ...] = ("cache",)  # may drop keys and be empty after a restart


def redis_findings() -> Iterator[Finding]:
    """Look at each store that a variable of its own names. The subject of the first is "redis", those of the others their variables."""
    for store in own_stores():
        yield from _store_findings(store, "redis" if store == "state" else VARIABLES[store])


def _store_findings(store: Store, subject: str) -> Iterator[Finding]:
    address = redis_address(store_url(store))
    try:
        if problem := mode_problem(store):
            yield error(subject, problem, "Correct the address.")
            return
        if address.mode == "sentinel":
            yield from _sentinel_findings(subject, address)
        with sync_store(store, timeout_s=TIMEOUT_S) as client:
            client.set(key("doctor"), 1, ex=60)
            if address.mode == "cluster":
                yield _cluster_finding(subject, client)
                return
            seconds, microseconds = cast(tuple[int, int], client.time())
            yield from clock_finding(subject, seconds + microseconds / 1e6 - time.time())
            yield from _server_findings(store, subject, client)
    except REDIS_ERRORS as problem:
        advice = "Check host, port, user and password, and that it runs and is no replica."
        yield error(subject, f"{VARIABLES[store]} cannot be used: {problem}", advice)


def _sentinel_findings(subject: str, address: RedisAddress) -> Iterator[Finding]:
    """Whether enough Sentinels answer for a failover, and whether there is a replica to fail over to."""
    replicas, silent_nodes = 0, list[str]()
    for host, port in address.nodes:
        try:
            with redis.Redis(host=host, port=port, decode_responses=True, **sentinel_options(address)) as sentinel:
                replicas = max(replicas, len(sentinel.sentinel_slaves(address.primary)))
        except REDIS_ERRORS:
            silent_nodes.append(f"{host}:{port}")
    if silent_nodes:
        yield warning(subject, f"Of {len(address.nodes)} Sentinels these do not answer: {', '.join(silent_nodes)}.", "Start them.")
    if len(address.nodes) < MIN_SENTINELS:
        yield warning(subject, "There are fewer than three Sentinels: no majority is left when one is away.", "Name three in the address.")
    if not replicas:
        yield warning(subject, f"{address.primary} has no replica: nothing can take over.", "Start a replica.")


def _cluster_finding(subject: str, client: redis.Redis) -> Finding:
    info = cast(dict[str, str], cast(redis.RedisCluster, client).cluster_info(target_nodes=redis.RedisCluster.RANDOM))
    if info.get("cluster_state") != "ok":
        return error(subject, f"The cluster's state is {info.get('cluster_state')}.", "See `CLUSTER INFO` of its nodes.")
    return ok(subject, f"A cluster of {info.get('cluster_size')} primaries takes writes.")


def _server_findings(store: Store, subject: str, client: redis.Redis) -> Iterator[Finding]:
    try:
        info = cast(dict[str, Any], client.info())
    except ResponseError:  # NOPERM: the user of docs/operations.md may not ask
        yield ok(subject, "It takes writes. Its user may not read the server's settings, so they were not checked.")
        return
    version = str(info.get("valkey_version") or info["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < MIN_VERSION:
        yield error(subject, f"Version {version} is too old.", "Take Redis 6.2 or newer, or Valkey.")
    else:
        yield ok(subject, f"Version {version} takes writes.")
    if store in FORGETFUL:
        return
    if info.get("maxmemory", 0) and info.get("maxmemory_policy") != "noeviction":
        yield warning(subject, "It deletes keys when it is full: tasks and open answers get lost.", "Set maxmemory-policy to noeviction.")
    if not info.get("aof_enabled"):
        yield warning(subject, "It keeps no log on disk: a restart loses waiting tasks.", "Set appendonly to yes.")
