"""Deletes old events, and old exports with their files, in small batches."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connections

from security.audit.exports import exports_forget
from tenants.models import Organization
from tenants.rounds import organizations_round

BATCH: Final = 1000  # events in one transaction
MAX_BATCHES: Final = 200  # of one organization in one night


def audit_retain() -> int:
    """Delete the events that are older than each organization's policy says, and the operator's old ones; return how many.

    Only functions of the owner role can do that; they read the policy themselves (security.audit_sql).
    """
    organizations = Organization.objects.using("system").all()
    deleted = _expire("select security_platform_audit_expire(%s, %s)", [settings.PLATFORM_AUDIT_DAYS, BATCH])
    return deleted + organizations_round(_retain, failure="audit_not_retained", organizations=organizations)


def _retain(organization_id: UUID) -> int:
    deleted = _expire("select security_audit_expire(%s, %s)", [organization_id, BATCH])
    exports_forget(organization_id=organization_id)
    return deleted


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
