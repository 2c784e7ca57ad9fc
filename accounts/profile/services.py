"""Services of a person's own profile and account."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.invitations.mails import mail_after_commit
from accounts.members.errors import LastOwner
from accounts.members.services import member_locked, membership_end, owner_keep
from accounts.models import UserPicture
from accounts.pictures import Picture
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.models import Membership, Organization, User

DELETION_DAYS = 14
MAX_NAME = 120

Purge = Callable[[int], None]  # deletes all that a user has, and the user
_purges: list[Purge] = []


def user_purge_register(purge: Purge) -> None:
    """Register what deletes a user for good. A higher layer does so at start."""
    _purges[:] = [purge]


def profile_change(*, user_id: int, name: str | None = None, time_zone: str | None = None, language: str | None = None) -> User:
    """Change what is given, and return the user. Raises BadRequest."""
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    if name is not None:
        user.name = " ".join(name.replace("\x00", "").split())
        if not user.name or len(user.name) > MAX_NAME:
            raise BadRequest(f"Your name has 1 to {MAX_NAME} characters.")
    if time_zone is not None:
        if time_zone and time_zone not in zoneinfo.available_timezones():
            raise BadRequest("Choose a time zone such as Europe/Berlin.")
        user.time_zone = time_zone
    if language is not None:
        if language and language not in dict(settings.LANGUAGES):
            raise BadRequest("Choose one of the languages.")
        user.language = language
    user.save(update_fields=["name", "time_zone", "language"])
    return user


@transaction.atomic
def picture_set(*, user_id: int, picture: Picture | None) -> None:
    """Set or remove the user's picture."""
    if picture is None:
        UserPicture.objects.filter(user_id=user_id).delete()
    else:
        UserPicture.objects.update_or_create(user_id=user_id, defaults={"content": picture.content})
    User.objects.filter(pk=user_id).update(picture_version=picture.version if picture else "")


def account_deletion_request(*, user_id: int, typed_email: str) -> datetime:
    """Have the account deleted after DELETION_DAYS and return when. Raises BadRequest, LastOwner.

    `typed_email`: the user's address, typed to say that they mean it.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    if typed_email.strip().lower() != user.email:
        raise BadRequest(f"Type your address, {user.email}, to delete your account.")
    if owned := _owned_alone(user):
        raise LastOwner(f"You are the only owner of {', '.join(owned)}. Hand it over, or delete it first.")
    user.deletion_due_at = timezone.now() + timedelta(days=DELETION_DAYS)
    user.save(update_fields=["deletion_due_at"])
    text = (
        f"Your account on Parley will be deleted on {user.deletion_due_at:%-d %B %Y}, as you asked.\n\n"
        f"Until then you can sign in and keep it:\n\n{settings.PUBLIC_URL}/\n\n"
        "If this was not you, sign in, keep the account and change your password.\n"
    )
    mail_after_commit(user.email, "Your account will be deleted", text)
    return user.deletion_due_at


def account_deletion_cancel(*, user_id: int) -> None:
    User.objects.filter(pk=user_id).update(deletion_due_at=None)


def users_delete_due() -> int:
    """End the accounts whose days are over, and delete them where something is registered that can; return how many.

    An account that has become the only owner of an organization stays until somebody else owns it.
    """
    ended = 0
    for user in User.objects.filter(deletion_due_at__lte=timezone.now()):
        if _owned_alone(user):
            continue
        if user.is_active:
            _end_memberships(user)
            User.objects.filter(pk=user.pk).update(is_active=False)
        for purge in _purges:
            purge(user.pk)
        ended += 1
    return ended


def _owned_alone(user: User) -> list[str]:
    names = []
    owned = Organization.objects.filter(memberships__user=user, memberships__role=Membership.Role.OWNER, memberships__is_active=True)
    for organization in owned.filter(deletion_due_at=None).order_by("name"):  # few: each needs its own transaction
        with tenant_tx(organization.pk):
            try:
                owner_keep(Membership.objects.get(organization=organization, user=user))
            except LastOwner:
                names.append(organization.name)
    return names


def _end_memberships(user: User) -> None:
    for membership in Membership.objects.filter(user=user, is_active=True):
        with tenant_tx(membership.organization_id):
            member = member_locked(organization_id=membership.organization_id, membership_id=membership.pk)
            membership_end(member=member, by_user_id=None, action="membership.account_deleted", removed_at=timezone.now())
