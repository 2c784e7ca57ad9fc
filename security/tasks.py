"""Celery tasks of security. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from security.audit.event_count_rows import counted_events_write
from security.audit.exports import export_make, exports_overdue
from security.audit.retention import audit_retain
from security.audit.webhooks import webhook_deliver, webhooks_due
from security.secrets.member_keys import session_key_expire, session_keys_overdue
from tenants.context import tenant_tx
from tenants.rounds import rows_round


@shared_task(name="security.tasks.session_keys_expire", expires=60)
def session_keys_expire() -> int:
    """Remove keys that were entered for sessions that are over; return how many."""
    overdue = [{"organization_id": organization_id, "key_id": key_id} for organization_id, key_id in session_keys_overdue()]
    return rows_round(_session_key_expire, overdue, failure="session_key_not_removed")


def _session_key_expire(organization_id: UUID, key_id: UUID) -> int:
    with tenant_tx(organization_id):
        return session_key_expire(key_id=key_id)


@shared_task(name="security.tasks.audit_counts_write", expires=60)
def audit_counts_write() -> int:
    """Write the counted audit events of minutes that are over; return how many rows."""
    return counted_events_write()


@shared_task(name="security.tasks.audit_export_make")
def audit_export_make(organization_id: str, export_id: str) -> int:
    """Make the file of an export; return its rows."""
    return export_make(organization_id=UUID(organization_id), export_id=UUID(export_id))


@shared_task(name="security.tasks.audit_webhooks_deliver", expires=60)
def audit_webhooks_deliver() -> int:
    """Begin to send to each webhook that has something to get; return how many there are."""
    due = webhooks_due()
    for organization_id, webhook_id in due:
        audit_webhook_deliver.apply_async((str(organization_id), str(webhook_id)), expires=300)
    return len(due)


@shared_task(name="security.tasks.audit_webhook_deliver", expires=300)
def audit_webhook_deliver(organization_id: str, webhook_id: str) -> int:
    """Send the events that wait for one webhook; return how many were sent."""
    return webhook_deliver(organization_id=UUID(organization_id), webhook_id=UUID(webhook_id))


@shared_task(name="security.tasks.audit_retain", expires=3600)
def audit_events_retain() -> int:
    """Delete events that are older than the policies say; return how many."""
    return audit_retain()


@shared_task(name="security.tasks.audit_exports_overdue", expires=600)
def audit_exports_overdue() -> int:
    """Make exports whose task was lost; return how many."""
    return exports_overdue()
