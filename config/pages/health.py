"""Health checks of a web process: liveness (/livez) and readiness (/readyz).

Workers and beat have them on the metrics' port (config.monitoring.probes).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse

from chat.runs.recovery import is_recovery_alive
from chat.runs.supervisor import RunSupervisor
from config.start_checks import is_waiting
from files.store.marker import StoreState, store_state
from tenants.db import in_db
from tenants.errors import Busy
from tenants.postgres.migration_state import missing_migrations
from tenants.redis.clients import REDIS_ERRORS, blocking_client, key
from tenants.redis.stores import STORE_NAMES, Store, own_stores

CHECK_S = 2.0  # each service has as long to answer, all at the same time
DISPENSABLE: Final[tuple[Store, ...]] = ("cache",)  # without it everything goes on, more slowly

_store_thread = ThreadPoolExecutor(1, thread_name_prefix="look-at-store")
_look_at_store: Future[StoreState] | None = None


async def livez(request: HttpRequest) -> JsonResponse:
    """Return 200 as long as the process responds. A process that fails this check should be restarted."""
    return JsonResponse({"status": "ok"})


async def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 when all of this is true, else 503, which means: send this process no traffic for now.

    The database responds and has the tables of this code, each Redis but the cache takes a write, files are in the store of all others, a
    worker looks for lost runs, and the process lets people in and does not end.
    """
    stores, is_recovered = await asyncio.gather(stores_state(), in_time(is_recovery_alive(), late=True))
    services = {**stores, "recovery": is_recovered, "process": not (is_waiting() or RunSupervisor.current().is_draining)}
    is_ready = all(services.values())
    return JsonResponse({"status": "ok" if is_ready else "not ready", **services}, status=200 if is_ready else 503)


async def stores_state() -> dict[str, bool]:
    """Return whether the database, each Redis and the files can be worked with, each after CHECK_S at the latest.

    Files that are away count as well: what needs none goes on, and no other process has them either. Another store counts as none.
    """
    stores = [store for store in own_stores() if store not in DISPENSABLE]
    database, are_up, has_files = await asyncio.gather(
        _database_state(),
        asyncio.gather(*(in_time(_takes_writes(store), late=False) for store in stores)),
        in_time(_has_its_files(), late=True),
    )
    return {**database, **{STORE_NAMES[store]: is_up for store, is_up in zip(stores, are_up, strict=True)}, "files": has_files}


async def _has_its_files() -> bool:
    """Probes share one look at a time: a store that is silent holds it for a minute, and probes come each few seconds."""
    global _look_at_store
    if _look_at_store is None or _look_at_store.done():
        _look_at_store = _store_thread.submit(store_state)
    return await asyncio.shield(asyncio.wrap_future(_look_at_store)) != "other"


async def in_time(check: Awaitable[bool], *, late: bool) -> bool:
    """Return the check's result, or `late` when there is none after CHECK_S."""
    try:
        async with asyncio.timeout(CHECK_S):
            return await check
    except TimeoutError:
        return late


async def _database_state() -> dict[str, bool]:
    """Return whether the database responds and, if it does, whether it is migrated."""
    try:
        async with asyncio.timeout(CHECK_S):
            missing = await in_db(lambda: missing_migrations(connection))
    except (DatabaseError, Busy, TimeoutError):
        return {"database": False}
    return {"database": True, "migrations": not missing}


async def _takes_writes(store: Store) -> bool:
    """Write, because a replica and a server whose disk is full still answer questions."""
    client = blocking_client(store)  # a new one: what it finds is true now
    try:
        await client.set(key("readiness"), 1, ex=60)
    except REDIS_ERRORS:
        return False
    finally:
        await client.aclose()
    return True
