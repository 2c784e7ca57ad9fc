"""Choices and organizations of a member."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

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


def choices_of(*, actor: Actor) -> MemberChoices:
    with tenant_tx(actor.organization_id):
        return _choices(_own(actor).get())


def choices_save(
    *, actor: Actor, preferences: str | None = None, default_assistant: str | None = None, comment_mails: bool | None = None
) -> MemberChoices:
    """Store what is given, and return all of the member's choices.

    Null characters, which PostgreSQL refuses, and surrounding whitespace are removed from `preferences`.
    """
    changed: dict[str, str | bool] = {}
    if preferences is not None:
        changed["preferences"] = preferences.replace("\x00", "").strip()
    if default_assistant is not None:
        changed["default_assistant"] = default_assistant
    if comment_mails is not None:
        changed["comment_mails"] = comment_mails
    with tenant_tx(actor.organization_id):
        if changed:
            _own(actor).update(**changed)
        return _choices(_own(actor).get())


def _own(actor: Actor) -> QuerySet[Membership]:
    return Membership.objects.filter(id=actor.membership_id, organization_id=actor.organization_id)


def _choices(member: Membership) -> MemberChoices:
    return MemberChoices(member.preferences, member.default_assistant, member.comment_mails)


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
