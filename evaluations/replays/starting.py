"""Replays: begun and stopped by admins. Who may not read a run may not replay it, because the replay's answer would tell of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final
from uuid import UUID

import structlog
from celery import current_app
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext, gettext_lazy
from kombu.exceptions import KombuError

from admin_config.models import Release
from admin_config.release import ReleaseSnapshot
from admin_config.services.trials import draft_snapshot, live_snapshot, trial_release_store
from agents.runtime.replay.recorded_calls import DefinitionChange
from chat.conversations.admin_reading import may_read_run, reading_policy
from chat.models import Run
from evaluations.models import Replay, ReplayedRun
from evaluations.replays.changes import release_snapshot, without_plugins
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest, NotAllowed
from tenants.models import Organization

log = structlog.get_logger(__name__)

WORK_TASK: Final = "evaluations.tasks.replay_work"
MAX_RUNS: Final = 500  # of one replay
MAX_RUNNING: Final = 5  # replays of an organization at once
STOPPED: Final = gettext_lazy("Stopped by an admin.")
NOT_READABLE: Final = gettext_lazy(
    "You may not read this conversation, so you can't replay it. Its figures and the check of its requests are shown."
)
ENDED_STATUSES: Final = (Run.Status.DONE, Run.Status.FAILED, Run.Status.STOPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest:
    """What an admin asks for. `release_number`: of the source OTHER. `prompt`: instead of the answering agent's own; None: unchanged.

    `tool_definitions`: other words for tools, by name.
    """

    source: Replay.Source
    release_number: int | None = None
    model_config_id: UUID | None = None
    prompt: str | None = None
    tool_definitions: Mapping[str, DefinitionChange] = field(default_factory=dict)
    looks_up: bool = False
    max_cost_usd: float | None = None


def replay_start(*, actor: Actor, originals: Sequence[Run], replay_request: ReplayRequest) -> Replay:
    """Store a replay with a row for each run that may be read, and queue its work. `originals`: with their conversations.

    Raises NotAllowed, BadRequest, ReleaseInvalid.
    """
    if not actor.can_administer:
        raise NotAllowed(gettext("Only owners and admins replay runs."))
    policy = reading_policy(Organization.objects.get(pk=actor.organization_id))
    readable = [run for run in originals if may_read_run(policy, run)]
    _check(originals, readable)
    snapshot, label = _base(replay_request)
    replay = Replay.objects.create(
        source=replay_request.source,
        release_id=trial_release_store(without_plugins(snapshot), author_id=actor.user_id) if snapshot else None,
        release_label=label,
        model_config_id=replay_request.model_config_id,
        model_name=_model_name(replay_request.model_config_id, snapshot, readable[0]),
        changes_prompt=replay_request.prompt is not None,
        prompt=replay_request.prompt or "",
        tool_definitions=dict(replay_request.tool_definitions),
        looks_up=replay_request.looks_up,
        max_cost_usd=replay_request.max_cost_usd,
        asked_by_id=actor.membership_id,
        left_out=len(originals) - len(readable),
    )
    ReplayedRun.objects.bulk_create(ReplayedRun(replay=replay, position=place, original=run) for place, run in enumerate(readable, 1))
    _audit(actor, replay, "run.replay", {"runs": [str(run.pk) for run in readable], "changes": replay.changes})
    transaction.on_commit(partial(replay_enqueue, actor.organization_id, replay.pk))
    return replay


def replay_stop(*, actor: Actor, replay: Replay) -> bool:
    """Begin no further run and stop those under way. Return False when it has ended already."""
    running = Replay.objects.filter(pk=replay.pk, status=Replay.Status.RUNNING)
    if not running.update(status=Replay.Status.STOPPED, finished_at=Now(), error=STOPPED):
        return False
    left = ReplayedRun.objects.filter(replay=replay, status__in=(ReplayedRun.Status.WAITING, ReplayedRun.Status.RUNNING))
    open_runs = list(left.exclude(run=None).values_list("run_id", flat=True))
    Run.objects.filter(pk__in=open_runs, finished_at=None, stop_requested_at=None).update(stop_requested_at=Now())
    left.update(status=ReplayedRun.Status.FAILED, error=STOPPED)
    _audit(actor, replay, "run.replay_stop", {})
    return True


def replay_enqueue(organization_id: UUID, replay_id: UUID) -> None:
    """Queue the work. While the broker is down this is only logged: the sweep queues it again."""
    try:
        current_app.send_task(WORK_TASK, (str(organization_id), str(replay_id)), expires=60, retry=False)
    except (KombuError, OSError) as error:
        log.warning("replay_not_queued", replay_id=str(replay_id), reason=type(error).__name__)


def _check(originals: Sequence[Run], readable: Sequence[Run]) -> None:
    """Raises NotAllowed, BadRequest."""
    if not readable:
        raise NotAllowed(NOT_READABLE if len(originals) == 1 else gettext("You may read none of these runs, so none can be replayed."))
    if len(originals) > MAX_RUNS:
        raise BadRequest(gettext("At most %(max_runs)s runs can be replayed at once.") % {"max_runs": MAX_RUNS})
    if any(run.replay_of_id for run in readable):
        raise BadRequest(gettext("This run is a replay itself. Replay the original."))
    if any(run.status not in ENDED_STATUSES for run in readable):
        raise BadRequest(gettext("The run has not ended yet."))
    if Replay.objects.filter(status=Replay.Status.RUNNING).count() >= MAX_RUNNING:
        raise BadRequest(gettext("%(max_running)s replays are running. Wait for one to end, or stop it.") % {"max_running": MAX_RUNNING})


def _base(replay_request: ReplayRequest) -> tuple[ReleaseSnapshot | None, str]:
    """Return the release to run with, and what it is called; None: each run's own. Raises BadRequest, ReleaseInvalid."""
    match replay_request.source:
        case Replay.Source.DRAFT:
            return draft_snapshot(), gettext("Draft")
        case Replay.Source.LIVE:
            live = live_snapshot()
            if live is None:
                raise BadRequest(gettext("Nothing is published yet."))
            return live, gettext("Live release")
        case Replay.Source.OTHER:
            release = Release.objects.filter(number=replay_request.release_number or 0, is_trial=False).first()
            if release is None:
                raise BadRequest(gettext("There is no release of this number."))
            return ReleaseSnapshot.model_validate(release.content), gettext("Release %(number)s") % {"number": release.number}
        case _:
            return None, gettext("As recorded")


def _model_name(model_config_id: UUID | None, snapshot: ReleaseSnapshot | None, original: Run) -> str:
    """Return the model's name; "" for none. Raises BadRequest when members could not choose it under this release.

    `snapshot`: None: the release of the `original`.
    """
    if model_config_id is None:
        return ""
    snapshot = snapshot or release_snapshot(original.release_id)
    offered_model = next((model for model in snapshot.offered_models() if model.id == model_config_id), None)
    if offered_model is None:
        raise BadRequest(gettext("This release does not offer that model. Choose another release or model."))
    return offered_model.display_name


def _audit(actor: Actor, replay: Replay, action: str, detail: dict[str, object]) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="replay",
        object_id=replay.pk,
        object_label=str(replay),
        detail=detail,
    )
