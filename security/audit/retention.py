"""Deletes old events, exports and files in small batches, and makes exports that a lost broker forgot."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import connections
from django.utils import timezone

from security.audit.exports import export_make, exports_forget
from security.models import AuditExport
from tenants.models import Organization

BATCH: Final = 1000  # events in one transaction
MAX_BATCHES: Final = 200  # of one organization in one night
OVERDUE: Final = timedelta(minutes=10)


def audit_retain() -> int:
    """Delete the events that are older than each organization's policy says, and the operator's old ones; return how many.

    Only functions of the owner role can do that; they read the policy themselves (security.audit_sql).
    """
    organizations = list(Organization.objects.using("system").order_by("pk").values_list("pk", flat=True))
    deleted = sum(_expire("select security_audit_expire(%s, %s)", [organization_id, BATCH]) for organization_id in organizations)
    deleted += _expire("select security_platform_audit_expire(%s, %s)", [settings.PLATFORM_AUDIT_DAYS, BATCH])
    for organization_id in organizations:
        exports_forget(organization_id=organization_id)
    return deleted


def exports_overdue() -> int:
    """Make exports that wait for longer than OVERDUE; return how many. For a broker that lost their tasks."""
    waiting = AuditExport.unscoped.using("system").filter(status="waiting", created_at__lt=timezone.now() - OVERDUE)
    overdue = list(waiting.values_list("organization_id", "pk")[:20])
    for organization_id, export_id in overdue:
        export_make(organization_id=organization_id, export_id=export_id)
    return len(overdue)


def _expire(call: str, arguments: list[Any]) -> int:
    deleted = 0
    for _ in range(MAX_BATCHES):
        with connections["system"].cursor() as cursor:
            cursor.execute(call, arguments)
            [count] = cursor.fetchone() or [0]
        deleted += count
        if count < BATCH:
            break
    return deleted
