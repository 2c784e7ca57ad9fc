"""The only way to write an audit event."""

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
    """Append one event to the organization's audit log, in the caller's transaction if there is one.

    `action` is a verb such as "secret.create". `detail` is JSON of ids and field names, without content or secrets.
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
