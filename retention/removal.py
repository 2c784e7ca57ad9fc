"""Deletes what an organization's rule says, in small transactions. A call that was broken off is finished by the next one."""

from __future__ import annotations

import time
from functools import partial
from uuid import UUID

import structlog
from django.utils import timezone

from chat.conversations.purging import conversations_take, files_take, taken_purge
from chat.models import Conversation, ModelCall
from files.models import File
from retention.expired_rows import expired_calls, expired_conversations, expired_files
from retention.models import RetentionRule
from retention.rules import Days, days_now
from security.audit import audit
from tenants.context import tenant_tx
from tenants.deletion.graph import BATCH
from tenants.deletion.services import DeletionReport, unreferenced_delete

log = structlog.get_logger(__name__)


def retention_apply(*, organization_id: UUID, until: float) -> DeletionReport:
    """Delete what is older than the rule allows; return what went. Begins nothing more after `until` (time.monotonic).

    Sums of usage stay. Writes one audit event, if something went. Opens its own transactions.
    """
    row = RetentionRule.unscoped.using("system").filter(organization_id=organization_id).first()
    report, days, is_whole = DeletionReport(), days_now(row), False
    try:
        _remove(organization_id, days, until, report)
        is_whole = time.monotonic() < until and days == Days.of(row).in_effect and not report.left
    finally:
        report.log_left(organization_id)
        _note(organization_id, row, report, is_whole=is_whole)
    return report


def _remove(organization_id: UUID, days: Days, until: float, report: DeletionReport) -> None:
    purge = partial(taken_purge, organization_id=organization_id, until=until, report=report)
    if days.conversations is not None:
        chats = expired_conversations(organization_id, days.conversations, using="system").order_by("updated_at")
        purge(Conversation, partial(conversations_take, chats, organization_id=organization_id))
    if days.files is not None:
        files = expired_files(organization_id, days.files, using="system").order_by("created_at")
        purge(File, partial(files_take, files, organization_id=organization_id))
    if days.calls is not None:
        due = expired_calls(organization_id, days.calls, using="system")
        while time.monotonic() < until and (ids := list(due.values_list("pk", flat=True)[:BATCH])):
            _empty_calls(organization_id, ids, report)
    if report.counts:
        unreferenced_delete(organization_id, report)


def _empty_calls(organization_id: UUID, ids: list[UUID], report: DeletionReport) -> None:
    """Take the content out of calls, and leave tokens, times and cost."""
    calls = ModelCall.unscoped.using("system").filter(organization_id=organization_id, pk__in=ids)
    report.add({"contents of model calls": calls.update(prompt_hash="", own_entries=[], settings={})})


def _note(organization_id: UUID, row: RetentionRule | None, report: DeletionReport, *, is_whole: bool) -> None:
    if not report.counts and (row is None or not is_whole):
        return
    with tenant_tx(organization_id):
        if row is not None and is_whole:
            RetentionRule.objects.filter(pk=row.pk).update(applied_at=timezone.now())
        if not report.counts:
            return
        audit(
            organization_id=organization_id,
            actor_user_id=None,
            action="retention.apply",
            object_kind="retention",
            object_id=organization_id,
            detail={"counts": report.as_dict()},
        )
    log.info("retention_applied", organization_id=str(organization_id), counts=report.as_dict())
