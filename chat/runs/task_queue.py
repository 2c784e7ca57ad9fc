"""Putting tasks into the queue from async code: broker I/O blocks, so it has threads of its own and never fails its caller."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import structlog
from celery import current_app
from kombu.exceptions import OperationalError

log = structlog.get_logger(__name__)

ENQUEUE_TIMEOUT_S = 2.0  # then the caller goes on; the thread has the broker's own time-outs

_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="queue")


async def enqueue(task: str, *arguments: str, expires_s: int) -> None:
    """Send a task by name; while the broker is away it is logged and left to whoever looks again (the sweep, the next answer)."""
    try:
        async with asyncio.timeout(ENQUEUE_TIMEOUT_S):
            await asyncio.get_running_loop().run_in_executor(_threads, _send, task, arguments, expires_s)
    except TimeoutError:
        log.warning("task_not_queued", task=task, arguments=arguments, reason="timeout")


def _send(task: str, arguments: tuple[str, ...], expires_s: int) -> None:
    try:
        current_app.send_task(task, arguments, expires=expires_s, retry=False)
    except OperationalError as exc:
        log.warning("task_not_queued", task=task, arguments=arguments, reason=type(exc).__name__)
