"""Celery tasks of chat. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import structlog
from celery import shared_task

from chat.runs.client_outputs import CLIENT_TIMEOUT
from chat.runs.commands import expire_approval, expire_client_calls
from chat.runs.supervisor import RunSupervisor
from chat.runs.titles import title_generate
from chat.storage.leases import approvals_overdue, clients_overdue, lease_claim, runs_expired
from chat.stream.log_flusher import LogFlusher
from security.egress import aclose_clients
from tenants.db import in_db
from tenants.redis.clients import claim_once, close_redis

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

MAX_TAKEOVER_S = 15 * 60
REQUEUE_AFTER_S = 8  # a sweep skips a run that an earlier sweep has queued within this time


@shared_task(name="chat.tasks.runs_recover", expires=5)
def runs_recover() -> int:
    """Find runs whose owner died or gave them up, and queue a takeover of each. Return how many were queued."""
    run_ids = [run_id for run_id in runs_expired() if claim_once(f"recover:{run_id}", REQUEUE_AFTER_S)]
    for run_id in run_ids:
        run_take_over.apply_async((str(run_id),), expires=REQUEUE_AFTER_S)
    return len(run_ids)


@shared_task(name="chat.tasks.approvals_expire", expires=60)
def approvals_expire() -> int:
    """Refuse tool calls that nobody decided in time, or that no page carried out in time. Return how many waits ended."""
    return asyncio.run(_in_loop(_expire_overdue))


@shared_task(name="chat.tasks.run_take_over")
def run_take_over(run_id: str) -> bool:
    """Claim a run and work on it to its end. Return False when another process was first."""
    return asyncio.run(_in_loop(lambda: _take_over(UUID(run_id))))


@shared_task(name="chat.tasks.conversation_title_generate")
def conversation_title_generate(organization_id: str, conversation_id: str) -> None:
    """Let the model name a conversation that has no title yet."""
    asyncio.run(_in_loop(lambda: title_generate(organization_id=UUID(organization_id), conversation_id=UUID(conversation_id))))


async def _expire_overdue() -> int:
    overdue = await in_db(approvals_overdue, using="system")
    silent = await in_db(clients_overdue, CLIENT_TIMEOUT, using="system")
    waits = [partial(expire_approval, organization_id=organization_id, approval_row_id=row_id) for organization_id, row_id in overdue]
    waits += [partial(expire_client_calls, organization_id=organization_id, run_id=run_id) for organization_id, run_id in silent]
    return sum([await _expire(wait) for wait in waits])


async def _expire(wait: partial[Coroutine[Any, Any, bool]]) -> bool:
    try:
        return await wait()
    except Exception:  # must not keep the others from expiring; the next sweep tries this one again
        log.exception("wait_not_ended", **{name: str(value) for name, value in wait.keywords.items()})
        return False


async def _take_over(run_id: UUID) -> bool:
    claim = await in_db(lease_claim, run_id, using="system")
    if claim is None:
        return False
    async with asyncio.timeout(MAX_TAKEOVER_S):
        await RunSupervisor.current().start(claim)
    return True


async def _in_loop(work: Callable[[], Awaitable[Result]]) -> Result:
    """Await the work in this task's own event loop, then close what belongs to that loop."""
    try:
        return await work()
    finally:
        await RunSupervisor.current().close()
        await LogFlusher.current().close()
        await aclose_clients()
        await close_redis()
