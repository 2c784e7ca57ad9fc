"""Checks of Redis or Valkey: it takes writes, drops nothing when it is full, and keeps its data over a restart."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, cast

import redis
from django.conf import settings
from redis.exceptions import ResponseError

from config.doctor.findings import Finding, clock_finding, error, ok, warning
from tenants.redis.clients import REDIS_ERRORS, key

TIMEOUT_S = 3.0
MIN_VERSION = (6, 2)


def redis_findings() -> Iterator[Finding]:
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)
    try:
        client.set(key("doctor"), 1, ex=60)
        seconds, microseconds = cast(tuple[int, int], client.time())
        yield from clock_finding("redis", seconds + microseconds / 1e6 - time.time())
        yield from _server_findings(client)
    except REDIS_ERRORS as problem:
        yield error(
            "redis", f"REDIS_URL cannot be used: {problem}", "Check host, port, user and password, and that it runs and is no replica."
        )
    finally:
        client.close()


def _server_findings(client: redis.Redis) -> Iterator[Finding]:
    try:
        info = cast(dict[str, Any], client.info())
    except ResponseError:  # NOPERM: the user of docs/operations.md may not ask
        yield ok("redis", "It takes writes. Its user may not read the server's settings, so they were not checked.")
        return
    version = str(info.get("valkey_version") or info["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < MIN_VERSION:
        yield error("redis", f"Version {version} is too old.", "Take Redis 6.2 or newer, or Valkey.")
    else:
        yield ok("redis", f"Version {version} takes writes.")
    if info.get("maxmemory", 0) and info.get("maxmemory_policy") != "noeviction":
        yield warning("redis", "It deletes keys when it is full: tasks and open answers get lost.", "Set maxmemory-policy to noeviction.")
    if not info.get("aof_enabled"):
        yield warning("redis", "It keeps no log on disk: a restart loses waiting tasks.", "Set appendonly to yes.")
