"""Measures Celery tasks in workers, and leaves a line in the log for each. `connect` once in a process that sends or does tasks."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any, Final

import structlog
from celery import Task, signals
from structlog.contextvars import bind_contextvars, unbind_contextvars

from telemetry import spans
from telemetry.bounded_labels import error_label, task_label
from telemetry.families import ERRORS, TASK_SECONDS, TASK_WAIT, TASKS

SENT_AT: Final = "parley_sent_at"  # header of a message: when it was sent, in seconds since the epoch
OUTCOMES: Final = {"SUCCESS": "done", "FAILURE": "failed", "RETRY": "retried"}

log = structlog.get_logger(__name__)

_begun_s: dict[str, float] = {}  # by task id
_spans: dict[str, ExitStack] = {}


def connect() -> None:
    signals.before_task_publish.connect(_stamp)
    signals.task_prerun.connect(_begin)
    signals.task_postrun.connect(_end)
    signals.task_failure.connect(_count_error)
    signals.task_revoked.connect(_count_expired)


def _stamp(headers: dict[str, Any], **_: Any) -> None:
    headers[SENT_AT] = time.time()
    if parent := spans.current_parent():
        headers[spans.PARENT] = parent


def _begin(task_id: str, task: Task[Any, Any], **_: Any) -> None:
    bind_contextvars(request_id=task_id)
    _begun_s[task_id] = time.monotonic()
    if spans.is_on():
        span = _spans[task_id] = ExitStack()
        span.enter_context(spans.task_span(task.name, task_id, _lane(task), str(getattr(task.request, spans.PARENT, None) or "")))
    if (waited_s := _waited_s(task)) is not None:
        TASK_WAIT.labels(_lane(task)).observe(waited_s)


def _end(task_id: str, task: Task[Any, Any], state: str | None = None, **_: Any) -> None:
    begun_s = _begun_s.pop(task_id, None)
    took_s = 0.0 if begun_s is None else time.monotonic() - begun_s
    outcome = OUTCOMES.get(state or "", "ignored")
    TASKS.labels(task_label(task.name), outcome).inc()
    TASK_SECONDS.labels(task_label(task.name)).observe(took_s)
    log.info("task", task=task.name, outcome=outcome, duration_ms=round(took_s * 1000))
    unbind_contextvars("request_id")
    if (span := _spans.pop(task_id, None)) is not None:
        span.close()


def _count_error(exception: BaseException, **_: Any) -> None:
    ERRORS.labels("task", error_label(type(exception).__name__)).inc()


def _count_expired(request: Any, expired: bool = False, **_: Any) -> None:
    TASKS.labels(task_label(str(request.name)), "expired" if expired else "revoked").inc()


def _waited_s(task: Task[Any, Any]) -> float | None:
    """Return how long the message waited, by the clocks of two machines; None: it has no time, as when a test calls the task."""
    sent_at = getattr(task.request, SENT_AT, None)
    return max(0.0, time.time() - sent_at) if isinstance(sent_at, float) else None


def _lane(task: Task[Any, Any]) -> str:
    return str((task.request.delivery_info or {}).get("routing_key", ""))
