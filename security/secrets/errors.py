"""Errors of secrets."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from tenants.errors import ParleyError


class SecretUnusable(ParleyError):
    """The key is missing, was entered for another address, or can't be decrypted. The user must enter it again."""

    code = "secret_unusable"
    status = 409
    message = gettext_lazy("There is no usable key for this address. Please enter the key again.")
    action = "settings"
