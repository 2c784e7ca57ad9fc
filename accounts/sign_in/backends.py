"""How a password is checked. Every page and API that takes a password asks this backend."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend


class SignInBackend(AuthenticationBackend):  # type: ignore[misc]  # the library has no types
    """The library's backend under our name, which sessions carry: tenants.authentication.session_auth knows it."""
