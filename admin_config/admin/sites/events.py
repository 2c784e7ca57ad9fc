"""Audit events of the admin sites: what a row is called there, and which organizations it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable
from uuid import UUID

from django.db.models import Model
from django.http import HttpRequest

from security.audit import audit
from tenants.form_changes import Changes
from tenants.models import Membership, Organization, User


@runtime_checkable
class OrganizationMatter(Protocol):
    """A row of the platform that is the matter of organizations, which their logs tell when the operator reads it."""

    def organizations_of(self, rows: Sequence[Any]) -> set[UUID]: ...


def audit_row(request: HttpRequest, organization_id: UUID, row: Model, action: str, fields: list[str], changes: Changes) -> None:
    kind = type(row).__name__.lower()
    audit(
        organization_id=organization_id,
        actor_user_id=request.user.pk,
        action=f"{kind}.{action}",
        object_kind=kind,
        object_id=row.pk,
        object_label=object_label(row),
        detail={"fields": fields},
        before=changes[0],
        after=changes[1],
    )


def object_label(row: Model) -> str:
    """Return the name by which readers of the log know the row."""
    return str(row.user) if isinstance(row, Membership) else str(row)


def affected_organizations(row: Model) -> list[UUID]:
    match row:
        case Organization():
            return [row.id]
        case Membership():
            return [row.organization_id]
        case User():
            return list(row.memberships.values_list("organization_id", flat=True))
        case OrganizationMatter():
            return sorted(row.organizations_of([row]))
        case _:
            return []


def organizations_of_list(rows: Sequence[Model]) -> set[UUID]:
    """Return whose members these memberships or users are, or whom other rows concern. At most one query."""
    if isinstance(rows[0], Membership):
        return {row.organization_id for row in rows if isinstance(row, Membership)}
    if isinstance(rows[0], OrganizationMatter):
        return rows[0].organizations_of(rows)
    return {*Membership.objects.filter(user__in=[row.pk for row in rows]).values_list("organization_id", flat=True)}
