"""What waits in the broker's queues, and which workers live. Synchronous; each function raises one of REDIS_ERRORS."""

from __future__ import annotations

import base64
import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from celery import current_app
from django.conf import settings

from telemetry.celery_tasks import SENT_AT
from tenants.redis.clients import key, sync_client

LOOKED_AT: Final = 200  # messages of a queue, the oldest ones
WORKER_S: Final = 45  # without a word, a worker is gone
_WORKERS: Final = "workers"


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue. `tasks`, `organizations`: how many of the oldest messages are for each; most tasks name their organization first."""

    lane: str
    depth: int
    oldest_s: float  # 0 when nothing waits, or when the message does not say when it was sent
    tasks: Counter[str] = field(default_factory=Counter)
    organizations: Counter[UUID] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process that lives."""

    name: str  # host and process
    seen_s: float  # ago
    tasks_per_minute: float


def queue_states(*, looks_inside: bool = False) -> list[QueueState]:
    """Return the broker's lists. Kombu adds at the left and takes from the right. `looks_inside`: also what the oldest messages are for."""
    prefix = settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
    found = []
    for lane in current_app.amqp.queues:
        pipe = sync_client().pipeline(transaction=False)
        pipe.llen(f"{prefix}{lane}")
        pipe.lrange(f"{prefix}{lane}", -(LOOKED_AT if looks_inside else 1), -1)
        depth, messages = pipe.execute()
        state = QueueState(lane, depth, _age_s(messages[-1]) if messages else 0.0)
        for message in messages if looks_inside else ():
            _count(state, message)
        found.append(state)
    return found


def worker_note(name: str, *, tasks_per_minute: float) -> None:
    sync_client().hset(key(_WORKERS), name, json.dumps([time.time(), tasks_per_minute]))


def workers_alive() -> list[Worker]:
    """Return the workers that said something lately, by name. Forgets the others."""
    noted: Any = sync_client().hgetall(key(_WORKERS))
    now, alive, gone = time.time(), [], []
    for name, value in sorted(noted.items()):
        at, rate = json.loads(value)
        if now - at > WORKER_S:
            gone.append(name)
        else:
            alive.append(Worker(name.decode(), max(0.0, now - at), rate))
    if gone:
        sync_client().hdel(key(_WORKERS), *gone)
    return alive


def _age_s(message: bytes) -> float:
    try:
        return max(0.0, time.time() - float(json.loads(message)["headers"][SENT_AT]))
    except (ValueError, LookupError, TypeError):
        return 0.0


def _count(state: QueueState, message: bytes) -> None:
    """Add a message to the counts; what can't be read is counted nowhere."""
    try:
        read = json.loads(message)
        state.tasks[str(read["headers"]["task"])] += 1
        [first, *_] = json.loads(base64.b64decode(read["body"]))[0]
        state.organizations[UUID(first)] += 1
    except (ValueError, LookupError, TypeError, AttributeError):
        return
