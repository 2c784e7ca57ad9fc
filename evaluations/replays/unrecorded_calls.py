"""An admin settles the call at which a replay stopped: enters its result, or lets a tool that only reads run. Then the replay goes on."""

from __future__ import annotations

from functools import partial
from typing import Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext

from agents.runtime.replay.recorded_calls import json_or_text
from agents.runtime.replay.settled_calls import ENTERED, LIVE
from chat.conversations.admin_reading import may_read_run, reading_policy
from chat.conversations.stopped_replays import replay_go_on
from evaluations.models import Replay, ReplayedRun
from evaluations.replays.starting import MAX_RUNNING, NOT_READABLE, replay_enqueue
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.models import Organization

MAX_RESULT: Final = 100_000  # characters


def call_settle(*, actor: Actor, row: ReplayedRun, call_id: str, result: str | None) -> None:
    """Settle the call, and queue the work that is left. `result`: as text or JSON; None: the tool runs.

    Raises NotAllowed, NotFound (the replay did not stop at this call), BadRequest.
    """
    _check(actor, row, result)
    assert row.run_id is not None, "checked"
    tool = replay_go_on(run_id=row.run_id, call_id=call_id, output=json_or_text(result or ""), is_live=result is None)
    ReplayedRun.objects.filter(pk=row.pk).update(status=ReplayedRun.Status.RUNNING, error="", unrecorded_call="")
    Replay.objects.filter(pk=row.replay_id).update(status=Replay.Status.RUNNING, error="", finished_at=None, lease_expires_at=Now())
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="run.replay_settle",
        object_kind="replay",
        object_id=row.replay_id,
        object_label=str(row.replay),
        detail={"run": str(row.run_id), "tool": tool, "how": LIVE if result is None else ENTERED},
        run_id=row.run_id,
    )
    transaction.on_commit(partial(replay_enqueue, actor.organization_id, row.replay_id))


def _check(actor: Actor, row: ReplayedRun, result: str | None) -> None:
    """Raises NotAllowed, NotFound, BadRequest."""
    if not actor.can_administer or not may_read_run(reading_policy(Organization.objects.get(pk=actor.organization_id)), row.original):
        raise NotAllowed(NOT_READABLE)
    if row.run_id is None or not row.unrecorded_call:
        raise NotFound
    if result is not None and not result.strip():
        raise BadRequest(gettext("Enter what the tool would have given."))
    if len(result or "") > MAX_RESULT:
        raise BadRequest(gettext("The result may have at most %(most)d characters.") % {"most": MAX_RESULT})
    if Replay.objects.filter(status=Replay.Status.RUNNING).exclude(pk=row.replay_id).count() >= MAX_RUNNING:
        raise BadRequest(gettext("%(count)d replays are running. Wait for one to end, or stop it.") % {"count": MAX_RUNNING})
