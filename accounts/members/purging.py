"""Deletes what removed members still own, after as many days as their organization's policy says."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from accounts.members.ownership import owned_delete
from accounts.members.transactions import content_tx, membership_tx
from accounts.organizations.member_policy import MemberPolicy
from security.audit import audit
from tenants.models import Membership, Organization


def removed_members_purge() -> int:
    """Delete what is overdue, in one transaction for each organization. Return the number of members whose content was deleted."""
    cleared = 0
    waiting = Organization.objects.using("system").filter(memberships__removed_at__isnull=False, memberships__cleared_at=None)
    for organization in waiting.distinct():
        days = MemberPolicy.model_validate(organization.policy or {}).removed_days
        with membership_tx(organization.pk, by_user_id=None):
            overdue = Membership.objects.filter(
                organization=organization, is_active=False, cleared_at=None, removed_at__lte=timezone.now() - timedelta(days=days)
            )
            for member in overdue.select_for_update(no_key=True):
                with content_tx(organization.pk):
                    owned_delete(member.pk)
                member.cleared_at = timezone.now()
                member.save(update_fields=["cleared_at"])
                audit(
                    organization_id=organization.pk,
                    actor_user_id=None,
                    action="membership.clear",
                    object_kind="membership",
                    object_id=member.pk,
                    detail={"days": days},
                )
                cleared += 1
    return cleared
