"""A secret in the form of something that an admin sets up: it only ever travels from the browser to the server."""

from __future__ import annotations

from typing import Protocol

from django import forms
from unfold.widgets import UnfoldAdminPasswordWidget

from security.models import Secret
from security.services import secret_check
from tenants.errors import ParleyError

NEW_SECRET = "new_secret"  # noqa: S105 a field's name


class HasSecret(Protocol):
    @property
    def secret(self) -> Secret | None: ...

    def has_secret_for(self, url: str) -> bool: ...


def secret_field(label: str = "Secret") -> forms.Field:
    widget = UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"})
    return forms.CharField(label=label, required=False, max_length=4096, widget=widget)


def secret_note(secret: Secret | None) -> str:
    """What stands below the field."""
    return f"The secret is {secret}. A new one replaces it." if secret else "No secret is set."


def secret_problem(row: HasSecret, *, value: str, url: str) -> str:
    """Why `value` (empty: none was entered) can't be the row's secret for `url`; empty: it can (SECURITY 11)."""
    if not value:
        return "" if row.has_secret_for(url) else "Enter the secret for this address."
    try:
        secret_check(value=value, url=url)
    except ParleyError as error:
        return str(error)
    return ""
