"""Deletes what removed members still own, after as many days as their organization's policy says."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from accounts.members.membership_transactions import content_tx, membership_tx
from accounts.members.ownership import owned_delete
from accounts.organizations.member_policy import MemberPolicy
from security.audit import audit
from tenants.models import Membership, Organization
from tenants.rounds import organizations_round


def removed_members_purge() -> int:
    """Delete what is overdue, in one transaction for each organization. Return the number of members whose content was deleted."""
    waiting = Membership.objects.using("system").filter(removed_at__isnull=False, cleared_at=None)
    organizations = Organization.objects.using("system").filter(pk__in=waiting.values("organization_id"))
    return organizations_round(_clear, failure="removed_members_not_cleared", organizations=organizations)


def _clear(organization_id: UUID) -> int:
    policy = Organization.objects.using("system").values_list("policy", flat=True).get(pk=organization_id)
    days = MemberPolicy.model_validate(policy or {}).removed_days
    with membership_tx(organization_id, by_user_id=None):
        overdue = Membership.objects.filter(
            organization_id=organization_id, is_active=False, cleared_at=None, removed_at__lte=timezone.now() - timedelta(days=days)
        )
        members = list(overdue.select_for_update(no_key=True))
        for member in members:
            with content_tx(organization_id):
                owned_delete(member.pk)
            member.cleared_at = timezone.now()
            member.save(update_fields=["cleared_at"])
            audit(
                organization_id=organization_id,
                actor_user_id=None,
                action="membership.clear",
                object_kind="membership",
                object_id=member.pk,
                detail={"days": days},
            )
    return len(members)
