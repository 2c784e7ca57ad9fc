"""The owners of an organization, to whom mails about it go."""

from __future__ import annotations

from uuid import UUID

from tenants.models import Membership, User


def owners_of(organization_id: UUID) -> list[User]:
    """Return the active owners. In a transaction of the organization; one query."""
    rows = Membership.objects.filter(organization_id=organization_id, role=Membership.Role.OWNER, is_active=True, user__is_active=True)
    return [row.user for row in rows.filter(user__is_service_account=False).select_related("user").order_by("created_at")]
