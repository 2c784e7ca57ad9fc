"""Services of a person's own profile and account."""

from __future__ import annotations

import zoneinfo
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from accounts.mail.languages import day, reader_language
from accounts.mail.message import Mail
from accounts.mail.outbox import mail_write
from accounts.members.errors import LastOwner
from accounts.members.services import owner_keep
from accounts.models import UserPicture
from security.deletion import user_delete
from tenants.context import tenant_tx
from tenants.errors import BadRequest
from tenants.input.pictures import Picture
from tenants.models import Membership, Organization, User
from tenants.rounds import rows_round

DELETION_DAYS = 14
MAX_NAME_CHARS = 120


def profile_change(*, user_id: int, name: str | None = None, time_zone: str | None = None, language: str | None = None) -> User:
    """Change the given fields, and return the user. Raises BadRequest."""
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    if name is not None:
        user.name = " ".join(name.replace("\x00", "").split())
        if not user.name or len(user.name) > MAX_NAME_CHARS:
            raise BadRequest(gettext("Your name has 1 to %(max_name)s characters.") % {"max_name": MAX_NAME_CHARS})
    if time_zone is not None:
        if time_zone and time_zone not in zoneinfo.available_timezones():
            raise BadRequest(gettext("Choose a time zone such as Europe/Berlin."))
        user.time_zone = time_zone
    if language is not None:
        if language and language not in dict(settings.LANGUAGES):
            raise BadRequest(gettext("Choose one of the languages."))
        user.language = language
    user.save(update_fields=["name", "time_zone", "language"])
    return user


@transaction.atomic(using="auth")
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
        raise BadRequest(gettext("Type your address, %(email)s, to delete your account.") % {"email": user.email})
    if names := _organizations_owned_alone(user, are_staying=True):
        raise LastOwner(gettext("You are the only owner of %(owned)s. Hand it over, or delete it first.") % {"owned": ", ".join(names)})
    due_at = timezone.now() + timedelta(days=DELETION_DAYS)
    user.deletion_due_at = due_at
    user.save(update_fields=["deletion_due_at"])
    with reader_language(user.email):
        mail_write(to=user.email, mail=_deletion_mail(due_at))
    return due_at


def _deletion_mail(due_at: datetime) -> Mail:
    return Mail(
        kind="account_deletion",
        subject=gettext("Your account will be deleted"),
        paragraphs=[
            gettext("Your account on Parley will be deleted on %(day)s, as you asked.") % {"day": day(due_at)},
            gettext("Until then you can sign in and keep it."),
        ],
        button=(gettext("Keep my account"), f"{settings.PUBLIC_URL}/"),
        closing=[gettext("If this was not you, sign in, keep the account and change your password.")],
    )


def account_deletion_cancel(*, user_id: int) -> None:
    User.objects.filter(pk=user_id).update(deletion_due_at=None)


def users_delete_due() -> int:
    """Delete the accounts whose waiting time is over; return how many. An interrupted deletion goes on with the next call.

    An account that has become the only owner of an organization stays until somebody else owns it.
    """
    due = [{"user_id": user_id} for user_id in _users_due().values_list("pk", flat=True)]
    return rows_round(_delete_if_due, due, failure="user_not_deleted")


def _users_due() -> QuerySet[User]:
    return User.objects.filter(deletion_due_at__lte=timezone.now())


def _delete_if_due(user_id: int) -> bool:
    """Delete the account unless it was kept meanwhile, or owns an organization alone; return whether it was deleted."""
    due = _users_due().filter(pk=user_id)
    user = due.first()
    if user is None or (user.is_active and _organizations_owned_alone(user)):
        return False
    if not due.update(is_active=False):  # from here on nobody is signed in who could keep it
        return False
    user_delete(user_id=user_id, actor_user_id=user_id)
    User.objects.filter(pk=user_id).update(deletion_due_at=None, time_zone="", language="", picture_version="")
    return True


def _organizations_owned_alone(user: User, *, are_staying: bool = False) -> list[str]:
    """Return the names of organizations that have no other owner; `are_staying`: and are not to be deleted."""
    names = []
    owner = {"memberships__user": user, "memberships__role": Membership.Role.OWNER, "memberships__is_active": True}
    organizations = Organization.objects.using("auth").filter(**owner)
    if are_staying:
        organizations = organizations.filter(deletion_due_at=None)
    for organization in organizations.order_by("name"):  # few: each needs its own transaction
        with tenant_tx(organization.pk, using="auth"):
            try:
                owner_keep(Membership.objects.get(organization=organization, user=user))
            except LastOwner:
                names.append(organization.name)
    return names
