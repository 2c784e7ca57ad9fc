"""Which addresses a user has proven to own."""

from __future__ import annotations

from allauth.account.models import EmailAddress

from tenants.models import User


def verified_addresses(user: User) -> set[str]:
    """Return the user's confirmed addresses, in lower case. Of an account that was made for somebody, its maker vouches for the address."""
    rows = list(EmailAddress.objects.filter(user=user))
    return {row.email.lower() for row in rows if row.verified} if rows else {user.email}
