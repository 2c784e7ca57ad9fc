"""What the audit log has, with what was only counted so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from security.audit.event_count_rows import counted_events_write
from security.audit.event_counts import MINUTES, counts_push, minute_key
from security.models import AuditEvent, PlatformEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tenants.redis.clients import key, sync_client


def counted_to_rows() -> int:
    """Write what was counted up to now, as the task does two minutes later."""
    counts_push()
    return counted_events_write(now=time.time() + 180)


def events(organization: Organization, action: str = "") -> list[AuditEvent]:
    """The organization's events, oldest first; of one action only if there is one."""
    with tenant_tx(organization.pk):
        rows = AuditEvent.objects.order_by("created_at", "id")
        return list(rows.filter(action=action) if action else rows)


@contextmanager
def clean_counts() -> Iterator[None]:
    """Begin without counts of earlier tests."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    counts_push()
    client = sync_client()
    minutes: Any = client.smembers(key(MINUTES))
    client.delete(key(MINUTES), *(minute_key(int(minute)) for minute in minutes))


def platform_events(action: str = "") -> list[dict[str, Any]]:
    """The operator's events as the owner reads them, oldest first."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            f'select action, object_kind, object_id, count, outcome, actor_kind from "{PlatformEvent._meta.db_table}" order by created_at'
        )
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [row for row in rows if not action or row["action"] == action]
