"""Which workers are alive, and how many tasks each works on. Synchronous; each function raises one of REDIS_ERRORS."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, Final

from tenants.redis.clients import key, sync_client

WORKER_S: Final = 45  # without a heartbeat, a worker counts as gone
_WORKERS: Final = "workers"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process that is alive."""

    name: str  # host and process
    seen_s: float  # ago
    tasks_per_minute: float


def worker_note(name: str, *, tasks_per_minute: float) -> None:
    sync_client().hset(key(_WORKERS), name, json.dumps([time.time(), tasks_per_minute]))


def workers_alive() -> list[Worker]:
    """Return the workers with a recent heartbeat, by name. Forgets the others."""
    heartbeats: Any = sync_client().hgetall(key(_WORKERS))
    now, alive, dead = time.time(), [], []
    for name, value in sorted(heartbeats.items()):
        at, rate = json.loads(value)
        if now - at > WORKER_S:
            dead.append(name)
        else:
            alive.append(Worker(name.decode(), max(0.0, now - at), rate))
    if dead:
        sync_client().hdel(key(_WORKERS), *dead)
    return alive
