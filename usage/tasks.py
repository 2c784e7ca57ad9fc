"""Celery tasks of usage. Each calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

import time
from functools import partial
from uuid import UUID

from celery import shared_task

from tenants.rounds import organizations_round
from usage.platform.storage import storages_count
from usage.repricing import TASK, repricing_work, repricings_continue
from usage.rollup import usage_fill
from usage.savings.analysis import hints_refresh

SUM_S = 300.0  # of one round; pages read what is not added up from the calls


@shared_task(name="usage.tasks.usage_sum", expires=300)
def usage_sum() -> int:
    """Add up each organization's model calls since the last round, and look for ways to save; return how many steps that took.

    Calculations with new prices whose worker died go on.
    """
    until = time.monotonic() + SUM_S
    return organizations_round(partial(_sum, until=until), failure="usage_not_summed", until=until)


def _sum(organization_id: UUID, *, until: float) -> int:
    steps = usage_fill(organization_id=organization_id, until=until)
    if time.monotonic() < until:
        hints_refresh(organization_id=organization_id)
        repricings_continue(organization_id=organization_id, until=until)
    return steps


@shared_task(name="usage.tasks.storage_count", expires=300)
def storage_count() -> int:
    """Count what each organization's files take where the figure is old; return for how many."""
    return storages_count(until=time.monotonic() + SUM_S)


@shared_task(name=TASK)
def usage_reprice(organization_id: str, repricing_id: str) -> None:
    """Calculate what calls without a price cost by new prices. What is left after some minutes waits for the next round of `usage_sum`."""
    repricing_work(organization_id=UUID(organization_id), repricing_id=UUID(repricing_id), until=time.monotonic() + SUM_S)
