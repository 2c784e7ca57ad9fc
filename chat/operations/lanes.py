"""Lanes and workers: what waits and for whom, and who works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from tenants.lanes.waiting_jobs import LaneState, lanes_read
from tenants.models import Organization
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.workers import Worker, workers_alive

MAX_ORGANIZATIONS: Final = 5  # organizations of a lane


@dataclass(frozen=True, slots=True)
class LaneLine:
    """A lane with the organizations that have most in it: name and jobs that wait."""

    lane: LaneState
    organizations: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Lanes:
    lines: list[LaneLine]
    workers: list[Worker]


@dataclass(frozen=True, slots=True)
class OwnJobs:
    """What waits of one organization."""

    waiting: int
    has_worker: bool  # whether any worker lives


def lanes_with_workers() -> Lanes | None:
    """Return the lanes of the whole installation; None while Redis is away. One statement."""
    try:
        lanes, workers = lanes_read(), workers_alive()
    except REDIS_ERRORS:
        return None
    most = {lane.name: sorted(lane.organizations, key=lambda one: -one.waiting)[:MAX_ORGANIZATIONS] for lane in lanes}
    ids = {one.organization_id for organizations in most.values() for one in organizations if one.organization_id}
    names: dict[UUID | None, str] = {None: gettext("Parley itself")}
    names |= Organization.objects.using("system").filter(pk__in=ids).values_list("pk", "name") if ids else {}
    return Lanes(
        [
            LaneLine(lane, [(names[one.organization_id], one.waiting) for one in most[lane.name] if one.organization_id in names])
            for lane in lanes
        ],
        workers,
    )


def own_jobs(organization_id: UUID) -> OwnJobs | None:
    """Return what waits of the organization; None while Redis is away."""
    try:
        waiting = sum(one.waiting for lane in lanes_read() for one in lane.organizations if one.organization_id == organization_id)
        return OwnJobs(waiting, bool(workers_alive()))
    except REDIS_ERRORS:
        return None
