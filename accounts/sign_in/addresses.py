"""E-mail addresses: the library's rows and `User.email` say the same."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db import transaction

from tenants.models import User


def address_ensure(user: User) -> None:
    """Give a user who was made without the front door a verified primary address: whoever made the account vouches for it."""
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
