"""Deletion of an organization by the platform's operator, after the same days as an owner's. Its owners can't undo it.

Nothing else changes until then: an organization that nobody may use meanwhile is suspended as well (suspension.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from accounts.organizations.services import DELETION_DAYS, check_deletion_not_begun, check_typed_name, deletion_tell
from accounts.organizations.suspension import MAX_REASON_CHARS
from security.audit import audit, platform_audit
from tenants.context import identity_tx
from tenants.models import Organization

STATE = ("deletion_due_at", "deletion_by_operator")


def operator_deletion_request(*, organization_id: UUID, operator_id: int, typed_name: str, reason: str) -> Organization:
    """Have it deleted after DELETION_DAYS, tell its owners, and return it. Raises BadRequest unless its name was typed.

    One that an owner has deleted keeps its day, and its owners can't undo it any more. One that an operator has deleted stays as it is.
    `reason`: for the audit logs.
    """
    with identity_tx(organization_id, acting_user_id=operator_id):
        row = Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
        if row.deletion_by_operator:  # a second click, or another operator
            return row
        check_typed_name(row, typed_name)
        before = _state(row)
        row.deletion_due_at = row.deletion_due_at or timezone.now() + timedelta(days=DELETION_DAYS)
        row.deletion_by_operator = True
        row.save(update_fields=STATE)
        deletion_tell(row)
        _record(row, operator_id, "organization.operator.deletion_request", reason, before)
    return row


def operator_deletion_cancel(*, organization_id: UUID, operator_id: int, reason: str) -> Organization:
    """Keep it, whoever asked for its deletion, and return it. Raises Conflict from its day on."""
    with identity_tx(organization_id, acting_user_id=operator_id):
        row = Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
        check_deletion_not_begun(row)
        before = _state(row)
        row.deletion_due_at, row.deletion_by_operator = None, False
        row.save(update_fields=STATE)
        _record(row, operator_id, "organization.operator.deletion_cancel", reason, before)
    return row


def _state(row: Organization) -> dict[str, Any]:
    due_at = row.deletion_due_at
    return {"deletion_due_at": due_at.isoformat() if due_at else None, "deletion_by_operator": row.deletion_by_operator}


def _record(row: Organization, operator_id: int, action: str, reason: str, before: Mapping[str, Any]) -> None:
    event: dict[str, Any] = {
        "organization_id": row.pk,
        "actor_user_id": operator_id,
        "action": action,
        "object_kind": "organization",
        "object_id": row.pk,
        "object_label": row.name,
        "detail": {"reason": reason.strip()[:MAX_REASON_CHARS]},
        "before": before,
        "after": _state(row),
    }
    audit(**event)
    platform_audit(**event)
