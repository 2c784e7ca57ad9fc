"""Deletion of organizations and users, with its audit event. Pages and jobs call these; tenants.deletion does the work."""

from __future__ import annotations

from uuid import UUID

from security.audit import audit
from tenants.deletion.services import DeletionReport, organization_delete as organization_data_delete, user_delete as user_data_delete
from tenants.models import Membership


def organization_delete(*, organization_id: UUID, actor_user_id: int | None) -> DeletionReport:
    """Delete everything that the organization has; return what went. It takes minutes for a large one: call it in a job.

    The caller must have checked that the actor may. Opens its own transactions. Repeating it finishes an interrupted deletion.
    """
    report = organization_data_delete(organization_id)
    _audit(organization_id, actor_user_id, "organization.delete", "organization", organization_id, report)
    return report


def user_delete(*, user_id: int, actor_user_id: int | None) -> DeletionReport:
    """Delete everything that the user has, in all organizations; return what went. Raises LastOwner. See `organization_delete`."""
    organizations = list(Membership.objects.using("system").filter(user_id=user_id).values_list("organization_id", flat=True))
    report = user_data_delete(user_id)
    for organization_id in organizations:
        _audit(organization_id, actor_user_id, "user.delete", "user", user_id, report)
    return report


def _audit(organization_id: UUID, actor_user_id: int | None, action: str, kind: str, object_id: object, report: DeletionReport) -> None:
    """Write the event. Its detail: counts by table."""
    audit(
        organization_id=organization_id,
        actor_user_id=actor_user_id,
        action=action,
        object_kind=kind,
        object_id=object_id,
        detail={"counts": report.as_dict()} if kind == "organization" else {},
    )
