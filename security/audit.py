"""The one way to write an audit row."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from security.models import AuditEvent
from tenants.context import tenant_tx


def audit(
    *,
    organization_id: UUID,
    actor_user_id: int | None,
    action: str,
    object_kind: str,
    object_id: object,
    detail: dict[str, Any] | None = None,
) -> AuditEvent:
    """Append one row to the organization's audit log, in the caller's transaction when there is one.

    `action` is a verb like "secret.create"; `detail` is JSON of ids and field names, no content and no secrets.
    """
    with tenant_tx(organization_id):
        return AuditEvent.objects.create(
            organization_id=organization_id,
            actor_user_id=actor_user_id,
            action=action,
            object_kind=object_kind,
            object_id=str(object_id),
            detail=detail or {},
        )
