"""Experiments: begun, stopped and compared by admins. The work itself is in evaluations.services.work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TypedDict
from uuid import UUID

import structlog
from celery import current_app
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext
from kombu.exceptions import KombuError

from admin_config.defaults.platform import CHAT_AGENT, KINDS
from admin_config.models import AgentConfig, AppSettings
from admin_config.release import ReleaseSnapshot
from admin_config.services.agents.bases import bases_attach
from admin_config.services.trials import draft_snapshot, live_snapshot, trial_release_store, trial_snapshot
from chat.models import Run
from evaluations.models import CaseResult, DataSet, Experiment
from evaluations.services.content import content_of
from security.audit import audit
from tenants.access import Actor
from tenants.errors import BadRequest
from tenants.localization.figures import figure

log = structlog.get_logger(__name__)

WORK_TASK = "evaluations.tasks.experiment_work"
MAX_ANSWERS = 2000  # of one experiment
STOPPED = "Stopped by an admin."
MAX_RUNNING = 3  # experiments of an organization at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentRequest:
    """What an admin asks for. `asks_first`: tools that use a secret of the organization ask, so that an answer that needs one fails."""

    agent_key: str
    source: Experiment.Source
    samples: int = 1
    max_cost_usd: float | None = None
    asks_first: bool = True


def agents_to_try() -> list[AgentConfig]:
    """Return the agents that one can talk to, those of the active provider first, then by name. Two queries."""
    active = AppSettings.objects.values_list("active_provider", flat=True).first()
    agents = bases_attach(list(AgentConfig.objects.all()))
    talking = [agent for agent in agents if agent.is_on and (agent.kind == CHAT_AGENT or KINDS[agent.kind].is_custom)]
    return sorted(talking, key=lambda agent: (agent.provider != active, agent.kind != CHAT_AGENT, str(agent)))


def experiment_start(*, actor: Actor, data_set: DataSet, request: ExperimentRequest) -> Experiment:
    """Store an experiment with a row for each answer, and queue its work. Raises BadRequest, ReleaseInvalid, AgentNotConfigured."""
    agent = next((agent for agent in agents_to_try() if agent.key == request.agent_key), None)
    if agent is None:
        raise BadRequest(gettext("Choose an agent that is switched on."))
    if Experiment.objects.filter(status=Experiment.Status.RUNNING).count() >= MAX_RUNNING:
        raise BadRequest(
            gettext("%(max_running)s experiments are running. Wait for one to end, or stop it.") % {"max_running": MAX_RUNNING}
        )
    snapshot = trial_snapshot(_snapshot(request.source), agent.key, ask=request.asks_first)
    fields = ExperimentFields(
        data_set=data_set,
        agent_key=agent.key,
        agent_name=str(agent),
        source=request.source,
        samples=request.samples,
        marked_samples=request.samples,
        max_cost_usd=request.max_cost_usd,
        **content_of(data_set, live_snapshot()),
    )
    return experiment_begin(actor, fields, snapshot)


class ExperimentFields(TypedDict):
    """The fields of a new experiment."""

    data_set: DataSet
    agent_key: str
    agent_name: str
    source: Experiment.Source
    samples: int
    marked_samples: int
    max_cost_usd: float | None
    revision: str
    judge: str


def experiment_begin(actor: Actor, fields: ExperimentFields, snapshot: ReleaseSnapshot) -> Experiment:
    """Store an experiment that runs with this part of a release (`trial_snapshot`), and queue its work. Raises BadRequest."""
    samples = _samples_of(fields["data_set"], fields["samples"], fields["marked_samples"])
    release_id = trial_release_store(snapshot, author_id=actor.user_id)
    experiment = Experiment.objects.create(**fields, release_id=release_id, asked_by_id=actor.membership_id)
    rows = [
        CaseResult(experiment=experiment, case_id=case, sample=sample) for case, count in samples.items() for sample in range(1, count + 1)
    ]
    CaseResult.objects.bulk_create(rows)
    _audit(actor, experiment, "experiment.start", {"agent": experiment.agent_key, "source": experiment.source, "answers": len(rows)})
    transaction.on_commit(partial(experiment_enqueue, actor.organization_id, experiment.pk))
    return experiment


def experiment_stop(*, actor: Actor, experiment: Experiment) -> bool:
    """Begin no further answer and stop those under way. Return False when it has ended already."""
    running = Experiment.objects.filter(pk=experiment.pk, status=Experiment.Status.RUNNING)
    if not running.update(status=Experiment.Status.STOPPED, finished_at=Now(), error=STOPPED):
        return False
    missing = CaseResult.objects.filter(experiment=experiment, status__in=(CaseResult.Status.WAITING, CaseResult.Status.RUNNING))
    open_runs = list(missing.exclude(run=None).values_list("run_id", flat=True))
    Run.objects.filter(pk__in=open_runs, finished_at=None, stop_requested_at=None).update(stop_requested_at=Now())
    missing.update(status=CaseResult.Status.FAILED, error=STOPPED)
    _audit(actor, experiment, "experiment.stop", {})
    return True


def experiment_enqueue(organization_id: UUID, experiment_id: UUID) -> None:
    """Queue the work. While the broker is down this is only logged: the sweep queues it again."""
    try:
        current_app.send_task(WORK_TASK, (str(organization_id), str(experiment_id)), expires=60, retry=False)
    except (KombuError, OSError) as error:
        log.warning("experiment_not_queued", experiment_id=str(experiment_id), reason=type(error).__name__)


def _samples_of(data_set: DataSet, samples: int, marked_samples: int) -> dict[UUID, int]:
    """Return by case how often it is asked, in the order of the cases. Raises BadRequest."""
    samples_by_case = {case_id: marked_samples if marked else samples for case_id, marked in data_set.cases.values_list("pk", "marked")}
    if not samples_by_case:
        raise BadRequest(gettext("Add a case first."))
    if (answers := sum(samples_by_case.values())) > MAX_ANSWERS:
        raise BadRequest(
            gettext("These would be %(answers)s answers. At most %(max_answers)s are possible: choose fewer samples.")
            % {"answers": figure(answers), "max_answers": figure(MAX_ANSWERS)}
        )
    return samples_by_case


def _snapshot(source: Experiment.Source) -> ReleaseSnapshot:
    if source == Experiment.Source.DRAFT:
        return draft_snapshot()
    live = live_snapshot()
    if live is None:
        raise BadRequest(gettext("Nothing is published yet. Choose the draft."))
    return live


def _audit(actor: Actor, experiment: Experiment, action: str, detail: dict[str, object]) -> None:
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action=action,
        object_kind="experiment",
        object_id=experiment.pk,
        object_label=str(experiment.data_set),
        detail=detail,
    )
