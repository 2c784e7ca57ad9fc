"""Celery tasks of tenants. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

import structlog
from celery import shared_task
from django.db import OperationalError

from tenants.authentication.sessions import SessionStore
from tenants.postgres.partitions import partitioned_tables, partitions_analyze, partitions_create, partitions_drop
from tenants.rest.idempotency import answers_expire

log = structlog.get_logger(__name__)


@shared_task(name="tenants.tasks.idempotent_answers_expire", expires=3600)
def idempotent_answers_expire() -> int:
    """Delete the stored answers to POSTs that are older than a day; return how many."""
    return answers_expire()


@shared_task(name="tenants.tasks.sessions_clear", expires=3600)
def sessions_clear() -> None:
    """Delete expired sessions, as Django's `clearsessions` does."""
    SessionStore.clear_expired()


@shared_task(name="tenants.tasks.partitions_keep", expires=3600)
def partitions_keep() -> int:
    """Make the partitions of the coming months, drop empty ones of past months; return how many were made.

    A lock that is not to be had within a second is left for tomorrow: months are made long before they begin.
    """
    return sum(_partitions_keep(table) for table in partitioned_tables(using="system"))


def _partitions_keep(table: str) -> int:
    partition_count = 0
    try:
        partition_count = partitions_create(table, using="system")
        partitions_drop(table, using="system")
    except OperationalError as error:
        log.warning("partitions_not_kept", table=table, error=str(error))
    partitions_analyze(table, using="system")
    return partition_count
