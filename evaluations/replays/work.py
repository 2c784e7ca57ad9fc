"""The work of a replay: begins runs, waits for them, compares them with their originals. As of experiments (docs/decisions/0043)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.db.models import Sum
from django.db.models.functions import Now

from agents.runtime.key_lookup import NO_KEYS
from chat.api.sends import run_start
from chat.conversations.admin_reading import may_read_run, reading_policy
from chat.conversations.trials import replay_post
from chat.models import Conversation, Run
from chat.runs.supervisor import RunSupervisor, SupervisorDraining, claim_release
from chat.storage.cancel_waiting import cancel_waiting_run
from chat.storage.leases import lease_claim
from chat.storage.run_creation import StartedRun
from evaluations.models import Replay, ReplayedRun
from evaluations.replays.changes import replay_release
from evaluations.replays.outcomes import outcome_of
from evaluations.services.leases import LEASE, MAY_PASS, REFUSAL, WORK_S, asking_actor, begin_later, leased_work
from tenants.access import Actor
from tenants.db import in_db
from tenants.errors import NotAllowed, NotFound, ParleyError
from tenants.models import Organization

log = structlog.get_logger(__name__)

AT_ONCE = 4  # runs of a replay
NOT_READABLE = "It may no longer be read."
BUDGET_SPENT = "The budget is spent."


async def replay_work(organization_id: UUID, replay_id: UUID, *, work_s: float = WORK_S) -> bool:
    """Work on the replay for at most about `work_s` seconds. Return whether something is left that no other worker does."""
    return await leased_work(Replay, organization_id, replay_id, partial(_work_round, organization_id, replay_id), work_s)


async def _work_round(organization_id: UUID, replay_id: UUID, worker: UUID) -> bool:
    begin = await in_db(_round, replay_id, worker, organization_id=organization_id)
    if begin is None:
        return False
    await _runs_take_over(organization_id, replay_id)
    for row_id in begin:
        await _begin(organization_id, row_id)
    return True


def _round(replay_id: UUID, worker: UUID) -> Sequence[UUID] | None:
    """Store what has ended, and return the rows whose runs are to begin now; None when nothing is left, or another worker has it."""
    mine = Replay.objects.filter(pk=replay_id, worker=worker, status=Replay.Status.RUNNING)
    if not mine.update(lease_expires_at=Now() + LEASE):
        return None
    replay = Replay.objects.get(pk=replay_id)
    for row in ReplayedRun.objects.filter(replay=replay, status=ReplayedRun.Status.RUNNING).select_related("run", "original"):
        _store_end(row)
    rows = ReplayedRun.objects.filter(replay=replay)
    waiting = rows.filter(status=ReplayedRun.Status.WAITING)
    if _is_spent(replay) and waiting.update(status=ReplayedRun.Status.FAILED, error=BUDGET_SPENT):
        mine.update(error=BUDGET_SPENT)
    running = rows.filter(status=ReplayedRun.Status.RUNNING).count()
    begin = list(waiting.values_list("pk", flat=True)[: max(0, AT_ONCE - running)])
    if not begin and not running:
        mine.update(status=Replay.Status.DONE, finished_at=Now())
        return None
    return begin


async def _runs_take_over(organization_id: UUID, replay_id: UUID) -> None:
    """Go on with runs that nobody works on: an admin settled a call of theirs, or the process that worked on them died."""
    for run_id in await in_db(_runs_without_owner, replay_id, organization_id=organization_id):
        if (claim := await in_db(lease_claim, run_id, using="system")) is not None:
            try:
                _ = RunSupervisor.current().start(claim)
            except SupervisorDraining:
                await claim_release(claim)


def _runs_without_owner(replay_id: UUID) -> list[UUID]:
    rows = ReplayedRun.objects.filter(replay=replay_id, status=ReplayedRun.Status.RUNNING)
    return list(rows.filter(run__status__in=Run.ACTIVE, run__lease_expires_at__lt=Now()).values_list("run_id", flat=True))


def _store_end(row: ReplayedRun) -> None:
    """Store what came of a run that has ended. Ends a run that waits for a person."""
    run = row.run
    if run is None:
        _fail(row.pk, "The run was deleted.")
    elif run.status in Run.WAITING:
        cancel_waiting_run(Conversation.objects.select_for_update().get(pk=run.conversation_id))
    elif run.finished_at is not None:
        values = outcome_of(row.original, run)
        ReplayedRun.objects.filter(pk=row.pk, status=ReplayedRun.Status.RUNNING).update(**values)


def _is_spent(replay: Replay) -> bool:
    if replay.max_cost_usd is None:
        return False
    cost_usd = ReplayedRun.objects.filter(replay=replay).aggregate(total=Sum("cost_usd"))["total"] or 0.0
    return bool(cost_usd >= replay.max_cost_usd)


async def _begin(organization_id: UUID, row_id: UUID) -> None:
    """Begin a run. What may pass, such as a database that is away, a later round tries again; what can't be run at all fails."""
    try:
        await run_start(partial(_run_store, row_id), NO_KEYS, organization_id=organization_id)
    except _AlreadyBegun:
        return
    except MAY_PASS as error:
        await begin_later(ReplayedRun, row_id, error, organization_id)
    except (NotAllowed, NotFound) as error:
        reason = str(error) if isinstance(error, _NotReadable) else "Who asked is no admin any more."
        await in_db(_fail, row_id, reason, organization_id=organization_id)
    except ParleyError as error:
        await in_db(_fail, row_id, str(error), organization_id=organization_id)
    except DatabaseError:
        log.exception("replay_not_begun", organization_id=str(organization_id), row_id=str(row_id))
        await in_db(_fail, row_id, REFUSAL, organization_id=organization_id)


def _run_store(row_id: UUID) -> StartedRun:
    """Store the run and that it is the row's, in one transaction. Raises _AlreadyBegun, _NotReadable, and what `replay_post` raises."""
    relations = ("replay__asked_by__organization", "original__conversation")
    row = ReplayedRun.objects.select_for_update(of=("self",)).select_related(*relations).get(pk=row_id)
    replay = row.replay
    if row.status != ReplayedRun.Status.WAITING or not replay.is_running:
        raise _AlreadyBegun
    actor = asking_actor(replay)
    _check_reading(actor, row.original)
    started = replay_post(
        actor=actor,
        original=row.original,
        release_id=replay_release(replay, row.original, author_id=actor.user_id),
        model_config_id=replay.model_config_id,
        looks_up=replay.looks_up,
        tool_definitions=replay.tool_definitions,
    )
    ReplayedRun.objects.filter(pk=row_id).update(status=ReplayedRun.Status.RUNNING, run_id=started.run_id)
    return started


def _check_reading(actor: Actor, original: Run) -> None:
    """Raises _NotReadable when the member took the consent back, or the policy was changed, since the replay was asked for."""
    if not may_read_run(reading_policy(Organization.objects.get(pk=actor.organization_id)), original):
        raise _NotReadable(NOT_READABLE)


def _fail(row_id: UUID, reason: str) -> None:
    ended_statuses = (ReplayedRun.Status.DONE, ReplayedRun.Status.FAILED)
    ReplayedRun.objects.filter(pk=row_id).exclude(status__in=ended_statuses).update(status=ReplayedRun.Status.FAILED, error=reason[:300])


class _NotReadable(NotAllowed):
    """The original may not be read any more."""


class _AlreadyBegun(Exception):
    """Another worker has begun it, or the replay was stopped."""
