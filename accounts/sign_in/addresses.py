"""E-mail addresses: the library's rows and `User.email` say the same."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db import transaction

from accounts.sessions.session_list import sessions_end_others
from tenants.models import User


def address_ensure(user: User) -> None:
    """Give a user who was made by a command or an operator a verified primary address: whoever made the account vouches for it."""
    if user.email and not EmailAddress.objects.filter(user=user).exists():
        EmailAddress.objects.get_or_create(user=user, email=user.email, defaults={"primary": True, "verified": True})


@transaction.atomic(using="auth")
def address_follow(user: User) -> None:
    """Make `user.email` the primary address after it was changed elsewhere than by the person, who would verify it."""
    rows = EmailAddress.objects.select_for_update().filter(user=user)
    if not rows or any(row.email == user.email and row.primary for row in rows):
        return
    rows.filter(primary=True).delete()
    EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"primary": True, "verified": True})


def unverified_take_over(user: User) -> None:
    """Give the account to the owner of its address, who has just been vouched for. Not inside a transaction of an organization.

    Somebody else may have signed up with it and wait for its owner: what they know no longer opens the account.
    """
    if account_claim(user):
        sessions_end_others(user_id=user.pk, session_key=None)


@transaction.atomic(using="auth")
def account_claim(user: User) -> bool:
    """Verify the account's address. If it was not verified, take the password away, which anybody may have set. Return whether it was so.

    Its sessions end with the password. The keys that were entered for them are removed by `sessions_end_others`.
    """
    address_ensure(user)
    row = EmailAddress.objects.filter(user=user, email=user.email).first()
    if row is not None and row.verified:
        return False
    user.set_unusable_password()
    user.save(update_fields=["password"])
    EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})
    return True
