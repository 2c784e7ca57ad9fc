"""How many jobs wait in each lane, for how long and for whom; for metrics, doctor and the board of operations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from celery import current_app
from redis import Redis

from tenants.lanes.table import LANES
from tenants.lanes.turns import PLATFORM, lane_look
from tenants.redis.sync_clients import sync_store

LOOK_TIMEOUT_S: Final = 1.0


@dataclass(frozen=True)
class OrganizationState:
    """What one organization has in a lane. `organization_id` is None for the platform's own jobs."""

    organization_id: UUID | None
    waiting: int
    running: int  # begun, or about to


@dataclass(frozen=True)
class LaneState:
    """A lane now. `organizations`: those of which jobs wait, in the order of their next turns."""

    name: str
    depth: int  # jobs that no worker has taken yet
    slots_in_use: int
    slots: int  # of all workers that serve the lane
    oldest_s: float  # how long the oldest job has waited; 0: none waits
    organizations: list[OrganizationState]


def lanes_read() -> list[LaneState]:
    """Return each lane with its depth, the age of its oldest job and the organizations that wait, in the order of `table.LANES`.

    One call to the broker per lane, through a connection of its own: Celery's would try again and again while the broker is away. Then it
    raises one of tenants.redis.clients.REDIS_ERRORS within about LOOK_TIMEOUT_S.
    """
    prefix = current_app.conf.broker_transport_options["global_keyprefix"]
    with sync_store("broker", timeout_s=LOOK_TIMEOUT_S, is_tried_once=True) as client:
        return [_read(client, prefix, lane) for lane in LANES]


@contextmanager
def broker() -> Iterator[Redis]:
    """The broker's Redis through a connection of Celery's pool, which knows where it is."""
    pool: Any = current_app.pool  # its stubs take it for the pool of producers
    with pool.acquire(block=True) as connection:
        yield connection.default_channel.client


def _read(client: Redis, prefix: str, lane: str) -> LaneState:
    reply: Any = lane_look(client, prefix + lane)
    depth, held_count, slots, oldest, organizations = reply
    oldest_s = max(0.0, time.time() - min(map(float, oldest))) if oldest else 0.0
    return LaneState(lane, depth, held_count, slots, oldest_s, [_organization(*each) for each in organizations])


def _organization(organization: bytes, waiting: int, held_count: int) -> OrganizationState:
    name = organization.decode()
    return OrganizationState(None if name == PLATFORM else UUID(name), waiting, held_count)
