"""What a member chose, when they were last here, their organizations, and the paths of their picture and of an organization's logo."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TypedDict, Unpack

from django.db.models import QuerySet
from django.utils import timezone

from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User

USE_INTERVAL = timedelta(hours=1)


def member_use_note(member: Membership) -> None:
    """Note that the member is here, at most once an hour: it is shown to admins only."""
    now = timezone.now()
    if member.last_used_at is None or now - member.last_used_at > USE_INTERVAL:
        with tenant_tx(member.organization_id):
            Membership.objects.filter(pk=member.pk).update(last_used_at=now)


@dataclass(frozen=True, slots=True)
class MemberChoices:
    """What a member chose in this organization. `preferences`: what they want of answers. The others: see Membership."""

    preferences: str
    default_assistant: str
    comment_mails: bool
    shows_cost: bool
    code_ligatures: bool


def choices_of(*, actor: Actor) -> MemberChoices:
    with tenant_tx(actor.organization_id):
        return _choices(_own_membership(actor).get())


class ChangedChoices(TypedDict, total=False):
    """Choices to store; one that is missing or None stays as it is."""

    preferences: str | None
    default_assistant: str | None
    comment_mails: bool | None
    shows_cost: bool | None
    code_ligatures: bool | None


def choices_save(*, actor: Actor, **choices: Unpack[ChangedChoices]) -> MemberChoices:
    """Store what is given, and return all of the member's choices.

    Null characters, which PostgreSQL refuses, and surrounding whitespace are removed from `preferences`.
    """
    changed = {name: value for name, value in choices.items() if value is not None}
    if preferences := choices.get("preferences"):
        changed["preferences"] = preferences.replace("\x00", "").strip()
    with tenant_tx(actor.organization_id):
        if changed:
            _own_membership(actor).update(**changed)
        return _choices(_own_membership(actor).get())


def _own_membership(actor: Actor) -> QuerySet[Membership]:
    return Membership.objects.filter(id=actor.membership_id, organization_id=actor.organization_id)


def _choices(member: Membership) -> MemberChoices:
    return MemberChoices(
        preferences=member.preferences,
        default_assistant=member.default_assistant,
        comment_mails=member.comment_mails,
        shows_cost=member.shows_cost,
        code_ligatures=member.code_ligatures,
    )


def organizations_of_user(*, user_id: int) -> QuerySet[Organization]:
    """Return the active organizations that the user is a member of, ordered by name."""
    return _organizations(user_id).filter(is_active=True)


def suspended_of_user(*, user_id: int) -> QuerySet[Organization]:
    """Return the suspended organizations that the user is a member of, ordered by name."""
    return _organizations(user_id).filter(is_active=False)


def _organizations(user_id: int) -> QuerySet[Organization]:
    """As the auth role: whose organizations these are is asked before one is chosen."""
    return Organization.objects.using("auth").filter(memberships__user_id=user_id, memberships__is_active=True).order_by("name", "id")


def logo_path(organization: Organization) -> str | None:
    """Return where members find the organization's logo; None without one."""
    return f"/o/{organization.slug}/api/organization/logo/?v={organization.logo_version}" if organization.logo_version else None


def picture_path(user: User, slug: str) -> str | None:
    """Return where a person finds their own picture; None without one."""
    return f"/o/{slug}/api/profile/picture/?v={user.picture_version}" if user.picture_version else None
