"""Celery tasks of chat. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Coroutine, Iterable
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from celery import shared_task

from chat.conversations.purging import deleted_purge as purge
from chat.overview.rollup import figures_fill
from chat.runs.client_outputs import CLIENT_TIMEOUT
from chat.runs.commands import expire_approval, expire_client_calls
from chat.runs.recovery import take_over
from chat.runs.title_generation import title_generate
from chat.runs.worker_loop import WorkerLoop
from chat.search.documents import document_index, due_documents
from chat.search.indexing import conversation_index, due_conversations
from chat.storage.leases import approvals_overdue, clients_overdue
from chat.storage.lost_holds import lost_holds_settle
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.rounds import organizations_round

log = structlog.get_logger(__name__)

INDEX_AT_MOST = 500  # conversations of one round, and documents
INDEX_S = 10.0  # of one round of indexing conversations, and of one of documents
SUM_S = 300.0  # of one round of sums; an overview reads what is not summed up from the rows
PURGE_S = 600.0  # of one purge; what is left then is the next one's


@shared_task(name="chat.tasks.approvals_expire", expires=60)
def approvals_expire() -> int:
    """Refuse tool calls that nobody decided in time, or that no page carried out in time. Return how many waits ended."""
    return WorkerLoop.current().run(_expire_overdue())


@shared_task(name="chat.tasks.run_take_over")
def run_take_over(run_id: str) -> bool:
    """Claim a run and start to work on it. Return False when another process was first."""
    return WorkerLoop.current().run(take_over(UUID(run_id)))


@shared_task(name="chat.tasks.conversation_title_generate")
def conversation_title_generate(organization_id: str, conversation_id: str) -> None:
    """Let the model name a conversation that has no title yet."""
    WorkerLoop.current().run(title_generate(organization_id=UUID(organization_id), conversation_id=UUID(conversation_id)))


@shared_task(name="chat.tasks.texts_index", expires=60)
def texts_index() -> int:
    """Make changed conversations and documents of any organization searchable; return how many were finished."""
    conversations = _index((due.organization_id, partial(conversation_index, due.id)) for due in due_conversations(INDEX_AT_MOST))
    return conversations + _index((due.organization_id, partial(document_index, due.id)) for due in due_documents(INDEX_AT_MOST))


def _index(works: Iterable[tuple[UUID, partial[bool]]]) -> int:
    """Do each work in its organization, for INDEX_S at most. What says that it is not done waits behind the others. Return how many are done."""
    until, waiting, done = time.monotonic() + INDEX_S, deque(works), 0
    while waiting and time.monotonic() < until:
        organization_id, work = waiting.popleft()
        try:
            with tenant_tx(organization_id):
                is_done = work()
        except Exception:  # must not keep what waits behind it from being indexed; the next round tries this one again
            log.exception("text_not_indexed", organization_id=str(organization_id), item_id=str(work.args[0]))
            continue
        done += is_done
        if not is_done:
            waiting.append((organization_id, work))
    return done


@shared_task(name="chat.tasks.holds_settle", expires=60)
def holds_settle() -> int:
    """Settle what budgets of any organization hold for calls of lost processes; return of how many."""
    return lost_holds_settle()


@shared_task(name="chat.tasks.figures_sum", expires=600)
def figures_sum() -> int:
    """Sum up what has ended since the last time, for the overview of each organization; return how many hours were written."""
    until = time.monotonic() + SUM_S
    return organizations_round(lambda pk: figures_fill(organization_id=pk, until=until), failure="figures_not_summed", until=until)


@shared_task(name="chat.tasks.deleted_purge", expires=3600)
def deleted_purge() -> int:
    """Purge what members of any organization deleted longer ago than it is kept; return how many rows and files went."""
    until = time.monotonic() + PURGE_S
    return organizations_round(lambda pk: purge(organization_id=pk, until=until).counts.total(), failure="deleted_not_purged", until=until)


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
