"""Celery tasks of security. Each takes ids, calls one service and is idempotent (SECURITY 32)."""

from __future__ import annotations

from celery import shared_task

from security.member_keys import session_key_expire, session_keys_overdue
from tenants.context import tenant_tx


@shared_task(name="security.tasks.session_keys_expire", expires=60)
def session_keys_expire() -> int:
    """Remove keys that were entered for sessions that are over; return how many."""
    removed = 0
    for organization_id, key_id in session_keys_overdue():
        with tenant_tx(organization_id):
            removed += session_key_expire(key_id=key_id)
    return removed
