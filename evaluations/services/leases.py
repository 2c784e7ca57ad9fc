"""Work of many runs, done piece by piece: one call of a task works on it at a time, by a lease that each round renews.

A worker that dies loses nothing: beat finds what nobody works on, and whichever call comes next goes on with the rows that are left.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from chat.errors import TooManyRuns
from evaluations.models import LeasedWork
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import Busy, NotFound, Unavailable

WORK_S = 20.0  # of one call of the task, which then queues the next one
POLL_S = 0.5
LEASE = timedelta(seconds=90)  # above the longest part of a round, which is a judge that takes too long

MAY_PASS: Final = (TooManyRuns, Busy, Unavailable, OperationalError, InterfaceError)
"""Why a run can't begin now: a later round tries again."""
REFUSED: Final = "The database refused it. The log says why."

Round = Callable[[UUID], Awaitable[bool]]
"""Does what is to be done now, for the worker with this id. Returns False when nothing is left, or another worker has it."""


async def leased_work(model: type[LeasedWork], organization_id: UUID, work_id: UUID, work_round: Round, work_s: float) -> bool:
    """Do rounds for at most about `work_s` seconds. Return whether something is left that no other worker does."""
    worker, until = uuid4(), time.monotonic() + work_s
    if not await in_db(_lease_take, model, work_id, worker, organization_id=organization_id):
        return False
    while await work_round(worker):
        if time.monotonic() > until:
            await in_db(_lease_release, model, work_id, worker, organization_id=organization_id)
            return True
        await asyncio.sleep(POLL_S)
    return False


def works_waiting(model: type[LeasedWork]) -> list[tuple[UUID, UUID]]:
    """Return (organization id, id) of running work that nobody works on. One query over all organizations."""
    waiting = model.unscoped.using("system").filter(status=LeasedWork.Status.RUNNING, lease_expires_at__lt=Now())
    return list(waiting.filter(organization__is_active=True).values_list("organization_id", "pk")[:500])


def asking_actor(work: LeasedWork) -> Actor:
    """Return who asked for the work, whose membership and organization are loaded. Raises NotFound when the membership is gone."""
    member = work.asked_by
    if member is None:
        raise NotFound
    return Actor(member.user_id, member.organization_id, member.organization.slug, member.pk, member.version, member.role)


def _lease_take(model: type[LeasedWork], work_id: UUID, worker: UUID) -> bool:
    free = model.objects.filter(pk=work_id, status=LeasedWork.Status.RUNNING, lease_expires_at__lte=Now())
    return bool(free.update(worker=worker, lease_expires_at=Now() + LEASE))


def _lease_release(model: type[LeasedWork], work_id: UUID, worker: UUID) -> None:
    model.objects.filter(pk=work_id, worker=worker).update(lease_expires_at=Now())
