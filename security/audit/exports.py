"""Exports of the organization's audit log: streamed when they are small, else made by a worker and kept for some days."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from celery import current_app
from django.core.files.base import File
from django.core.files.storage import storages
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError

from security.audit.reading import AuditFilters, after_cursor, audit_rows, people_of
from security.audit.records import csv_head, csv_lines, jsonl_lines
from security.models import AuditEvent, AuditExport, PlatformEvent
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.db import in_db
from tenants.models import User
from tenants.rest.pagination import time_cursor
from tenants.rounds import rows_round

log = structlog.get_logger(__name__)

TASK_S: Final = 3600  # then its task is dropped; a sweep makes what waits
MAX_STREAMED: Final = 10_000  # rows
BATCH: Final = 1000
RETENTION: Final = timedelta(days=7)
MAX_WAITING: Final = 3  # per organization
OVERDUE: Final = timedelta(minutes=10)

Batch = tuple[bytes, int, str]  # lines, their number, the cursor after them


def members(organization_id: UUID) -> QuerySet[User]:
    """Return whom a name in the filter may mean."""
    return User.objects.filter(memberships__organization_id=organization_id)


def is_small(filters: AuditFilters, organization_id: UUID) -> bool:
    """Return whether the export can be streamed. Needs the organization's `tenant_tx`. Reads an index, at most MAX_STREAMED entries."""
    rows = audit_rows(AuditEvent.objects.all(), filters, people=members(organization_id))
    return rows.values("pk")[: MAX_STREAMED + 1].count() <= MAX_STREAMED


async def export_stream(organization_id: UUID, filters: AuditFilters, form: str) -> AsyncIterator[bytes]:
    """Give the file in pieces, as the log is now. Each batch has a transaction of its own, so none waits for a slow client."""
    if form == "csv":
        yield csv_head()
    cursor, end = "", timezone.now()
    while True:
        lines, _, cursor = await in_db(_batch, organization_id, filters, form, cursor, end, organization_id=organization_id)
        if lines:
            yield lines
        if not cursor:
            return


async def platform_export_stream(filters: AuditFilters, form: str) -> AsyncIterator[bytes]:
    """Like `export_stream`, for the operator's log."""
    if form == "csv":
        yield csv_head()
    cursor, end = "", timezone.now()
    while True:
        lines, _, cursor = await in_db(_platform_batch, filters, form, cursor, end, using="system")
        if lines:
            yield lines
        if not cursor:
            return


def export_begin(*, actor: Actor, filters: AuditFilters, form: str) -> AuditExport | None:
    """Let a worker make the file; return its row, or None when MAX_WAITING wait already. Needs the organization's `tenant_tx`."""
    recent = AuditExport.objects.filter(status=AuditExport.Status.WAITING, created_at__gt=timezone.now() - timedelta(hours=1))
    if recent.count() >= MAX_WAITING:
        return None
    export = AuditExport.objects.create(user_id=actor.user_id, format=form, filters=filters.as_dict())
    transaction.on_commit(lambda: _enqueue(actor.organization_id, export.pk))
    return export


def export_make(*, organization_id: UUID, export_id: UUID) -> int:
    """Make the file of an export that waits; return its rows. Safe to repeat: a second file replaces the first."""
    with tenant_tx(organization_id):
        export = AuditExport.objects.filter(pk=export_id, status=AuditExport.Status.WAITING).first()
    if export is None:
        return 0
    filters = AuditFilters.from_query(export.filters)
    with tempfile.TemporaryFile() as export_file:
        rows = 0
        for lines, count in export_batches(organization_id, filters, export.format, export.created_at):
            export_file.write(lines)
            rows += count
        export_file.seek(0)
        name = storages["files"].save(f"audit/{organization_id}/{export_id}.{export.format}", File(export_file))
    with tenant_tx(organization_id):
        AuditExport.objects.filter(pk=export_id).update(status="ready", rows=rows, stored_as=name, finished_at=Now())
    return rows


def exports_overdue() -> int:
    """Make exports that wait for longer than OVERDUE; return how many. For a broker that lost their tasks."""
    waiting = AuditExport.unscoped.using("system").filter(status="waiting", created_at__lt=timezone.now() - OVERDUE)
    overdue = list(waiting.values("organization_id", export_id=F("pk"))[:20])
    return rows_round(_make_overdue, overdue, failure="audit_export_not_made")


def _make_overdue(organization_id: UUID, export_id: UUID) -> int:
    export_make(organization_id=organization_id, export_id=export_id)
    return 1


def export_batches(organization_id: UUID, filters: AuditFilters, form: str, end: datetime) -> Iterator[tuple[bytes, int]]:
    """Yield lines up to `end`, and how many they are. Each batch has a transaction of its own."""
    if form == "csv":
        yield csv_head(), 0
    cursor = ""
    while True:
        with tenant_tx(organization_id):
            lines, count, cursor = _batch(organization_id, filters, form, cursor, end)
        yield lines, count
        if not cursor:
            return


def exports_forget(*, organization_id: UUID) -> int:
    """Delete exports that are older than RETENTION, with their files; return how many. Opens its own transactions."""
    with tenant_tx(organization_id):
        old = AuditExport.objects.filter(created_at__lt=timezone.now() - RETENTION)
        rows = list(old.values("organization_id", "stored_as", export_id=F("pk")))
    return rows_round(_forget, rows, failure="audit_export_not_deleted")


def _forget(organization_id: UUID, export_id: UUID, stored_as: str) -> int:
    """The file goes first: while the store keeps it, the row stays and names it for the next time."""
    if stored_as:
        storages["files"].delete(stored_as)
    with tenant_tx(organization_id):
        return AuditExport.objects.filter(pk=export_id).delete()[0]


def _batch(organization_id: UUID, filters: AuditFilters, form: str, cursor: str, end: datetime) -> Batch:
    events = AuditEvent.objects.filter(created_at__lte=end)
    return _lines(audit_rows(events, filters, people=members(organization_id), now=end), form, cursor)


def _platform_batch(filters: AuditFilters, form: str, cursor: str, end: datetime) -> Batch:
    events = PlatformEvent.objects.using("system").filter(created_at__lte=end)
    return _lines(audit_rows(events, filters, people=User.objects.using("system"), now=end), form, cursor)


def _lines(rows: QuerySet[Any], form: str, cursor: str) -> Batch:
    """Return the lines after the cursor, how many they are, and the next cursor; an empty one at the end."""
    batch = list(after_cursor(rows, cursor)[:BATCH])
    lines = (csv_lines if form == "csv" else jsonl_lines)(batch, people_of(batch))
    return lines, len(batch), time_cursor(batch[-1].created_at, batch[-1].pk) if len(batch) == BATCH else ""


def _enqueue(organization_id: UUID, export_id: UUID) -> None:
    """Tell a worker. While the broker is away, the next sweep finds the export."""
    try:
        current_app.send_task("security.tasks.audit_export_make", (str(organization_id), str(export_id)), expires=TASK_S, retry=False)
    except OperationalError as error:
        log.warning("audit_export_not_queued", export_id=str(export_id), reason=type(error).__name__)
