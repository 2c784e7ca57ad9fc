"""Work of many runs, done piece by piece: one call of a task works on it at a time, by a lease that each round renews.

A worker that dies loses nothing: beat finds what nobody works on, and whichever call comes next goes on with the rows that are left.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog
from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from chat.errors import TooManyRuns
from evaluations.models import CaseResult, LeasedWork, ReplayedRun
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import Busy, NotFound, Unavailable

log = structlog.get_logger(__name__)

WORK_S = 20.0  # of one call of the task, which then queues the next one
POLL_S = 0.5
LEASE = timedelta(seconds=90)  # above the longest part of a round, which is a judge that takes too long

MAY_PASS: Final = (TooManyRuns, Busy, Unavailable, OperationalError, InterfaceError)
"""Why a run can't begin now: a later round tries again, for HELD_UP at most."""
HELD_UP: Final = timedelta(minutes=15)
STAYS_HELD_UP: Final = "The database could not begin it for 15 minutes. The log says why."
REFUSAL: Final = "The database refused it. The log says why."

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


async def begin_later(rows: type[CaseResult | ReplayedRun], row_id: UUID, error: Exception, organization_id: UUID) -> None:
    """Leave a row to a later round, which tries again. A row that can't begin for HELD_UP fails, so that its work comes to an end."""
    with suppress(*MAY_PASS):  # then the next round notes it
        if await in_db(_hold_up, rows, row_id, isinstance(error, TooManyRuns), organization_id=organization_id):
            log.error("run_not_begun", organization_id=str(organization_id), row_id=str(row_id), exc_info=error)


def _hold_up(rows: type[CaseResult | ReplayedRun], row_id: UUID, is_members_turn: bool) -> bool:
    """Note since when the row is held up, and return whether it failed now. Answers that the member awaits elsewhere end by themselves."""
    waiting = rows.objects.filter(pk=row_id, status=rows.Status.WAITING)
    if is_members_turn:
        waiting.exclude(held_up_since=None).update(held_up_since=None)
        return False
    waiting.filter(held_up_since=None).update(held_up_since=Now())
    too_long = waiting.filter(held_up_since__lt=Now() - HELD_UP)
    return bool(too_long.update(status=rows.Status.FAILED, error=STAYS_HELD_UP))


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
