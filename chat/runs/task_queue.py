"""Queues Celery tasks from async code.

Broker I/O blocks, so it runs in threads of its own. A broker that is down is only logged and never fails the caller.
"""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import UUID

import structlog
from celery import current_app
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

ENQUEUE_TIMEOUT_S = 2.0  # then the caller continues, and the thread ends with the broker's own timeouts

TAKE_OVER_TASK_S = 30  # then it is dropped: a worker's sweep has found the run long before (chat.runs.recovery)

_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="queue")


async def enqueue(task: str, *arguments: str, expires_s: int) -> None:
    """Send a task by name. While the broker is down, this only logs a warning; the sweep or the next answer queues the task again."""
    try:
        async with asyncio.timeout(ENQUEUE_TIMEOUT_S):
            send = partial(contextvars.copy_context().run, _send, task, arguments, expires_s)  # the task is of the caller's trace
            await asyncio.get_running_loop().run_in_executor(_threads, send)
    except TimeoutError:
        log.warning("task_not_queued", task=task, arguments=arguments, reason="timeout")


async def take_over_enqueue(run_id: UUID) -> None:
    """Let a worker take over a run that no process owns, sooner than its next sweep would."""
    await enqueue("chat.tasks.run_take_over", str(run_id), expires_s=TAKE_OVER_TASK_S)


def _send(task: str, arguments: tuple[str, ...], expires_s: int) -> None:
    try:
        current_app.send_task(task, arguments, expires=expires_s, retry=False)
    except OperationalError as exc:
        log.warning("task_not_queued", task=task, arguments=arguments, reason=type(exc).__name__)
