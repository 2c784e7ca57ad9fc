"""Preferences and organizations of a member."""

from __future__ import annotations

from django.db.models import QuerySet

from tenants.access import Actor
from tenants.models import Membership, Organization


def preferences_save(*, actor: Actor, text: str) -> str:
    """Store what the member wants of answers in this organization, and return the stored text.

    Null characters, which PostgreSQL refuses, and surrounding whitespace are removed.
    """
    kept = text.replace("\x00", "").strip()
    Membership.objects.filter(id=actor.membership_id, organization_id=actor.organization_id).update(preferences=kept)
    return kept


def organizations_of_user(*, user_id: int) -> QuerySet[Organization]:
    """Return the active organizations that the user is a member of, ordered by name."""
    return Organization.objects.filter(is_active=True, memberships__user_id=user_id, memberships__is_active=True).order_by("name", "id")
