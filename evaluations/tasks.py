"""Celery tasks of evaluations. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from chat.runs.worker_loop import WorkerLoop
from evaluations.canary.looks import canaries_decide as decide_all
from evaluations.models import Replay
from evaluations.replays.starting import WORK_TASK as REPLAY_TASK, replay_enqueue
from evaluations.replays.work import replay_work as work_on_replay
from evaluations.schedules import schedules_publish as publish_all
from evaluations.services.experiments import WORK_TASK, experiment_enqueue
from evaluations.services.leases import works_waiting
from evaluations.services.work import experiment_work as work, experiments_waiting


@shared_task(name=WORK_TASK)
def experiment_work(organization_id: str, experiment_id: str) -> None:
    """Work on an experiment for some seconds, then let other tasks come first."""
    organization, experiment = UUID(organization_id), UUID(experiment_id)
    if WorkerLoop.current().run(work(organization, experiment)):
        experiment_enqueue(organization, experiment)


@shared_task(name=REPLAY_TASK)
def replay_work(organization_id: str, replay_id: str) -> None:
    """Work on a replay for some seconds, then let other tasks come first."""
    organization, replay = UUID(organization_id), UUID(replay_id)
    if WorkerLoop.current().run(work_on_replay(organization, replay)):
        replay_enqueue(organization, replay)


@shared_task(name="evaluations.tasks.evaluations_continue", expires=20)
def evaluations_continue() -> int:
    """Queue the work of experiments and replays that run and that nobody works on, such as those of a dead worker; return how many."""
    experiments, replays = experiments_waiting(), works_waiting(Replay)
    for experiment in experiments:
        experiment_enqueue(*experiment)
    for replay in replays:
        replay_enqueue(*replay)
    return len(experiments) + len(replays)


@shared_task(name="evaluations.tasks.canaries_decide", expires=60)
def canaries_decide() -> int:
    """Take back, promote or ask about canaries as their rules say; return how many."""
    return decide_all()


@shared_task(name="evaluations.tasks.schedules_publish", expires=60)
def schedules_publish() -> int:
    """Publish releases whose time has come; return how many ended."""
    return publish_all()
