"""Suspension of an organization by the platform's operator: its members keep their rows, and get no further than a page that says why.

Open sockets and streams end by the notice of tenants.access_signals. An answer under way ends at its next look at who may write
(chat.storage.run_access), with its text kept. Programs get 403 `organization_suspended`.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from security.audit import audit, platform_audit
from tenants.context import current_alias
from tenants.models import MAX_SUSPENSION_CHARS, Organization

MAX_REASON_CHARS = 300


def organization_suspend(*, organization_id: UUID, operator_id: int, reason: str, message: str) -> Organization:
    """Suspend it, and return it. `reason`: for the audit logs; `message`: for its members.

    One that is suspended already gets the new message.
    """
    return _set(organization_id, operator_id, "suspend", reason, is_active=False, message=message.strip()[:MAX_SUSPENSION_CHARS])


def organization_resume(*, organization_id: UUID, operator_id: int, reason: str) -> Organization:
    """Let its members in again, and return it."""
    return _set(organization_id, operator_id, "resume", reason, is_active=True, message="")


def _set(organization_id: UUID, operator_id: int, action: str, reason: str, *, is_active: bool, message: str) -> Organization:
    with transaction.atomic(using=current_alias()):
        row = Organization.objects.select_for_update().get(pk=organization_id)
        before = {"is_active": row.is_active, "suspension_message": row.suspension_message}
        row.is_active, row.suspension_message = is_active, message
        row.save(update_fields=["is_active", "suspension_message"])  # tells sockets, too
        event: dict[str, Any] = {
            "organization_id": organization_id,
            "actor_user_id": operator_id,
            "action": f"organization.operator.{action}",
            "object_kind": "organization",
            "object_id": row.pk,
            "object_label": row.name,
            "detail": {"reason": reason.strip()[:MAX_REASON_CHARS]},
            "before": before,
            "after": {"is_active": is_active, "suspension_message": message},
        }
        audit(**event)
        platform_audit(**event)
    return row
