"""The Celery app of workers, of beat, and of web processes that send tasks."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any

import structlog
from celery import Celery
from celery.signals import (
    beat_init,
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.conf import settings
from kombu.exceptions import KombuError

from config.broker import use_robust_transport
from tenants.lanes.table import ORGANIZATION, organization_of

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")  # before telemetry, which reads the settings
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # Django's checks load all URLs and admin pages, and `migrate` has made them

from telemetry import celery_tasks

log = structlog.get_logger(__name__)

_ends_once = Lock()  # taken by the first signal that ends the worker, and never given back

use_robust_transport()
app = Celery("parley")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
celery_tasks.connect()


@setup_logging.connect
def keep_our_logging(**kwargs: Any) -> None:
    """Celery sets up no log of its own where somebody listens: its lines go through Django's settings, like all others."""


@worker_init.connect
def check_before_worker(**kwargs: Any) -> None:
    from config.start_checks import check_start

    check_start()


@beat_init.connect
def check_before_beat(**kwargs: Any) -> None:
    from config.start_checks import check_start

    check_start(has_files=False)


@worker_init.connect
def monitor_this_worker(**kwargs: Any) -> None:
    from config.monitoring.process import monitor_worker

    monitor_worker()


@beat_init.connect
def monitor_this_beat(**kwargs: Any) -> None:
    from config.monitoring.process import monitor_beat

    monitor_beat()


@before_task_publish.connect
def name_organization(sender: str, headers: dict[str, Any], body: Any, **kwargs: Any) -> None:
    """Say in the message whose job it is, where its sender has not."""
    headers.setdefault(ORGANIZATION, organization_of(sender, body[0]))


@worker_ready.connect
def start_work(**kwargs: Any) -> None:
    """Take part in the lanes, look for what lost processes have left behind in them, and say that this worker lives."""
    from chat.runs.worker_loop import WorkerLoop
    from config.worker_heartbeat import WorkerHeartbeat, served_lanes
    from files.extraction.reading_lane import ReadingLane

    WorkerHeartbeat.current().start()
    WorkerLoop.current().start_recovery()
    if "files" in served_lanes():
        ReadingLane.current().start_sweep()


@worker_ready.connect
def start_beat(**kwargs: Any) -> None:
    """Do what beat does in this worker, where the operator wants it. The process has been checked, and is monitored as a worker."""
    from config.beat import BeatThread

    if not settings.BEAT_IN_WORKERS:
        return
    for prepare in (check_before_beat, monitor_this_beat):
        beat_init.disconnect(prepare)
    beat = BeatThread(app)
    beat.start()

    @worker_shutdown.connect(weak=False)
    def end_beat(**kwargs: Any) -> None:
        beat.close()


@worker_ready.connect
def check_mail_server(**kwargs: Any) -> None:
    """Let a worker find out whether the mail server can be used. A start waits for nothing, and mails wait for a server that is away."""
    from accounts.tasks import mail_server_check_task

    if not settings.EMAIL_HOST:
        return
    try:
        mail_server_check_task.delay()
    except (KombuError, OSError):
        log.warning("mail_server_not_checked")


@worker_shutting_down.connect
def end_work(**kwargs: Any) -> None:
    """Give the lanes' slots back, read no more files, and let runs end.

    This is called by a signal's handler, which a second signal may interrupt. That one does nothing: it would wait for ever for a lock that
    the first one holds.
    """
    from chat.runs.worker_loop import WorkerLoop
    from config.worker_heartbeat import WorkerHeartbeat
    from files.extraction.reading_lane import ReadingLane

    if _ends_once.acquire(blocking=False):
        WorkerHeartbeat.current().begin_drain()
        ReadingLane.current().close()
        WorkerLoop.current().begin_drain(settings.DRAIN_S)


@worker_shutdown.connect
def end_drain(**kwargs: Any) -> None:
    from chat.runs.worker_loop import WorkerLoop
    from config.worker_heartbeat import WorkerHeartbeat

    WorkerHeartbeat.current().close()
    WorkerLoop.current().close()


@task_prerun.connect
def enter_task(task_id: str = "", **kwargs: Any) -> None:
    """Audit events that a task writes carry its id."""
    from tenants.request_context import RequestContext, enter_request_context

    enter_request_context(RequestContext(task_id))


@task_postrun.connect
def leave_task(**kwargs: Any) -> None:
    from tenants.request_context import enter_request_context

    enter_request_context(None)
