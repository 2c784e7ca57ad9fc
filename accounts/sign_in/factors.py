"""Second factors: which ones somebody has, how their secrets are kept, and how guesses at their codes are counted."""

from __future__ import annotations

import ipaddress
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_bytes
from typing import Any

import structlog
from allauth.account.adapter import get_adapter as account_adapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from accounts.sign_in.factor_secrets import factor_open, factor_seal
from security.secrets.vault import VaultError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Factors:
    """Somebody's second factors. `codes_left`: None without recovery codes."""

    authenticator_app: Authenticator | None
    passkeys: Sequence[Authenticator]
    codes_left: int | None


def factors_of(user_id: int) -> Factors:
    """Return the person's factors, the oldest passkey first. One query."""
    rows = list(Authenticator.objects.filter(user_id=user_id).order_by("created_at"))
    codes = next((row.wrap() for row in rows if row.type == Authenticator.Type.RECOVERY_CODES), None)
    return Factors(
        next((row for row in rows if row.type == Authenticator.Type.TOTP), None),
        [row for row in rows if row.type == Authenticator.Type.WEBAUTHN],
        len(codes.get_unused_codes()) if codes else None,
    )


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # the library has no types
    """Our answers to the library's questions about factors."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This code is not right. Check it and try again."),
        "unverified_email": gettext_lazy("Confirm your e-mail addresses first, or remove those that you can't confirm."),
        "add_email_blocked": gettext_lazy("Confirm this address before you add another."),
    }

    def encrypt(self, text: str) -> str:
        return factor_seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; one that no code fits when it can't be opened, since its owner has other ways to sign in."""
        try:
            return factor_open(encrypted_text)
        except VaultError as exc:
            log.error("second_factor_unreadable", reason=str(exc))  # the traceback says no more
            return b32encode(token_bytes(20)).decode()

    def _get_site_name(self) -> str:
        return "Parley"

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002  # the library's name
        return "Passkey"


class CountedFactor:
    """Counts each try of a code against the account, with the tries of its password."""

    user: Any

    def clean_code(self) -> str:
        account_adapter().proof_begins(context.request, self.user.email)
        with transaction.atomic(using="auth"):  # the library locks recovery codes, and would begin a transaction of another role
            code: str = super().clean_code()  # type: ignore[misc]  # its form
        account_adapter().proof_succeeds(context.request, self.user.email)
        return code


class SecondStepForm(CountedFactor, AuthenticateForm):  # type: ignore[misc]
    """The code of an authenticator app, or a recovery code, after the password."""


class ConfirmForm(CountedFactor, ReauthenticateForm):  # type: ignore[misc]
    """The same before something dangerous."""


def passkeys_work(request: HttpRequest) -> bool:
    """Return whether browsers offer passkeys here: they need a name (no IP address), and https except on this machine."""
    host = request.get_host().rpartition(":")[0] or request.get_host()
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return request.is_secure() or host == "localhost" or host.endswith(".localhost")
    return False
