"""Looks every SAMPLE_S seconds at what nobody counts: stores, connections, disks, this process; in workers and beat also at all runs and lanes.

In a thread of its own, so that a store that hangs costs nobody else time.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import psutil
import structlog
from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, InterfaceError, connection, connections
from kombu.exceptions import OperationalError

from admin_config.services.breakers import open_breaker_count
from chat.storage.run_counts import ownerless_runs, run_counts
from files.store.marker import store_state
from telemetry import families
from tenants.lanes.waiting_jobs import lanes_read
from tenants.postgres.partitions import partition_states
from tenants.redis.clients import REDIS_ERRORS, key, sync_client
from tenants.redis.stores import STORE_NAMES, Store, own_stores

SAMPLE_S: Final = 10.0
AWAY: Final = (DatabaseError, InterfaceError, OperationalError, *REDIS_ERRORS)  # the next look finds it, or not
Part = Literal["web", "worker", "beat"]

POOLED: Final = ("default", "auth", "system")

log = structlog.get_logger(__name__)


class Sampler:
    """The samples of one process."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._process = psutil.Process()
        self._cpu_s = 0.0
        self._stopped = threading.Event()
        own: list[Callable[[], None]] = [self._look_at_process, look_at_postgres, look_at_redis, look_at_disks, look_at_files]
        pools = [look_at_pools] if part != "beat" else []  # to look at a pool opens it
        everywhere = [look_at_runs, look_at_lanes, look_at_breakers, look_at_partitions] if part != "web" else []
        self._looks = [*own, *pools, *everywhere]

    def start(self) -> None:
        families.PROCESSES.labels(self._part).set(1)
        threading.Thread(target=self._run, name="samples", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _run(self) -> None:
        while True:
            self.sample()
            if self._stopped.wait(SAMPLE_S):
                return

    def sample(self) -> None:
        """Look at everything once. A look that fails keeps no other from being made."""
        for look in self._looks:
            try:
                look()
            except AWAY:
                continue
            except Exception:
                log.exception("sample_failed", look=look.__name__)
        connections.close_all()

    def _look_at_process(self) -> None:
        times = self._process.cpu_times()
        cpu_s = times.user + times.system
        families.CPU_SECONDS.labels(self._part).inc(max(0.0, cpu_s - self._cpu_s))
        self._cpu_s = cpu_s
        families.RESIDENT_BYTES.labels(self._part).set(self._process.memory_info().rss)


def look_at_postgres() -> None:
    def ask() -> None:
        with connection.cursor() as cursor:
            begun_s = time.monotonic()
            cursor.execute("SELECT 1")
            families.ROUND_TRIP.labels("postgres").observe(time.monotonic() - begun_s)

    _probe("postgres", ask)


def look_at_redis() -> None:
    for store in own_stores():
        _probe(STORE_NAMES[store], partial(_ask_redis, store))


def _ask_redis(store: Store) -> None:
    begun_s = time.monotonic()
    sync_client(store).exists(key("doctor"))  # PING, but to a cluster's primary
    families.ROUND_TRIP.labels(STORE_NAMES[store]).observe(time.monotonic() - begun_s)


def _probe(store: str, ask: Callable[[], None]) -> None:
    try:
        ask()
    except AWAY:
        families.STORE_UP.labels(store).set(0)
        raise
    families.STORE_UP.labels(store).set(1)


def look_at_pools() -> None:
    for role in POOLED:
        pool: Any = getattr(connections[role], "pool", None)
        if pool is None:
            continue
        stats = pool.get_stats()
        idle = stats.get("pool_available", 0)
        families.DB_CONNECTIONS.labels(role, "idle").set(idle)
        families.DB_CONNECTIONS.labels(role, "used").set(stats.get("pool_size", 0) - idle)
        families.DB_CONNECTIONS.labels(role, "waiting").set(stats.get("requests_waiting", 0))
        families.DB_CONNECTIONS_MAX.labels(role).set(stats.get("pool_max", 0))


def look_at_disks() -> None:
    storage = storages["files"]
    files = [("files", Path(storage.location))] if isinstance(storage, FileSystemStorage) else []
    for place, path in [("data", settings.DATA_DIR), *files]:
        if path.exists():
            families.DISK_FREE.labels(place).set(shutil.disk_usage(path).free)


def look_at_files() -> None:
    """Whether the store of files is there, and the one of this process's start."""
    families.STORE_UP.labels("files").set(store_state() == "same")


def look_at_runs() -> None:
    for state, count in run_counts().items():
        families.RUNS.labels(state).set(count)
    count, oldest_s = ownerless_runs()
    families.OWNERLESS_RUNS.set(count)
    families.OLDEST_OWNERLESS.set(oldest_s)


def look_at_lanes() -> None:
    for lane in lanes_read():
        families.QUEUE_DEPTH.labels(lane.name).set(lane.depth)
        families.QUEUE_OLDEST.labels(lane.name).set(lane.oldest_s)
        families.LANE_SLOTS.labels(lane.name, "held").set(lane.slots_in_use)
        families.LANE_SLOTS.labels(lane.name, "all").set(lane.slots)
        families.LANE_ORGANIZATIONS.labels(lane.name).set(len(lane.organizations))


def look_at_breakers() -> None:
    families.BREAKERS_OPEN.set(open_breaker_count())


def look_at_partitions() -> None:
    for state in partition_states(connection):
        families.PARTITION_MONTHS.labels(state.table).set(state.months_ahead)
