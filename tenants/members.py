"""Preferences and organizations of a member."""

from __future__ import annotations

from django.db.models import QuerySet

from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.models import Membership, Organization


def preferences_of(*, actor: Actor) -> str:
    """Return what the member wants of answers in this organization."""
    with tenant_tx(actor.organization_id):
        return Membership.objects.get(id=actor.membership_id, organization_id=actor.organization_id).preferences


def preferences_save(*, actor: Actor, text: str) -> str:
    """Store what the member wants of answers in this organization, and return the stored text.

    Null characters, which PostgreSQL refuses, and surrounding whitespace are removed.
    """
    kept = text.replace("\x00", "").strip()
    with tenant_tx(actor.organization_id):
        Membership.objects.filter(id=actor.membership_id, organization_id=actor.organization_id).update(preferences=kept)
    return kept


def organizations_of_user(*, user_id: int) -> QuerySet[Organization]:
    """Return the active organizations that the user is a member of, ordered by name."""
    return Organization.objects.using("auth").filter(is_active=True, memberships__user_id=user_id).order_by("name", "id")
