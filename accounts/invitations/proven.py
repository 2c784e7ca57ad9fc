"""Which addresses a user has proven to own."""

from __future__ import annotations

from django.apps import apps

from tenants.models import User


def proven_addresses(user: User) -> set[str]:
    """Return the user's addresses that were confirmed, in lower case: those of the accounts library where it is installed."""
    if not apps.is_installed("allauth.account"):
        return {user.email}
    rows = apps.get_model("account", "EmailAddress").objects.filter(user=user, verified=True)
    return {str(email).lower() for email in rows.values_list("email", flat=True)}
