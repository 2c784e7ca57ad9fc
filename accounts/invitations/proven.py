"""Which addresses a user has proven to own."""

from __future__ import annotations

from tenants.models import User


def proven_addresses(user: User) -> set[str]:
    """Return the user's addresses that were confirmed, in lower case."""
    return {user.email}
