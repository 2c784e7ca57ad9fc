"""What the accounts library asks us: limits on guessing, who may sign up, words on screen, where people go."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse

from accounts.sign_in.addresses import address_ensure
from accounts.sign_in.devices import attempt_of, remember_device
from accounts.sign_in.throttle import attempt_record, attempt_succeeded
from security.audit.sign_ins import sign_in_count
from tenants.models import User

log = structlog.get_logger(__name__)

TOO_MANY = "Too many attempts. Try again in %(minutes)d min, or use a device that you have signed in with before."


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Our answers to the library's questions."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": "The e-mail address and the password do not match. Check both and try again.",
        "incorrect_password": "This is not your password. Check it and try again.",
        "incorrect_code": "This code is not right. Check it and try again.",
        "account_inactive": "This account is deactivated. Ask an admin of your organization.",
        "rate_limited": "That was too often. Wait a minute and try again.",
        "too_many_login_attempts": "That was too often. Wait a minute and try again.",
        "email_taken": "This address belongs to another account.",
        "duplicate_email": "You have added this address already.",
        "enter_current_password": "This is not your current password. Check it and try again.",
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        try:
            return str(super().get_client_ip(request))
        except PermissionDenied:  # a Unix socket has no address
            return ""

    def proof_begins(self, request: HttpRequest, email: str) -> None:
        """Count an attempt to prove that the account is theirs. Raises ValidationError while it has to wait."""
        attempt = attempt_of(request, email, self.get_client_ip(request))
        wait_s = attempt_record(attempt)
        if wait_s:
            log.warning("sign_in_refused", account=attempt.account, wait_s=wait_s)
            sign_in_count(email, action="user.sign_in_refused", outcome="refused")
            raise ValidationError(TOO_MANY, code="too_many", params={"minutes": math.ceil(wait_s / 60)})

    def proof_succeeds(self, request: HttpRequest, email: str) -> None:
        attempt_succeeded(attempt_of(request, email, self.get_client_ip(request)))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        self.proof_begins(request, credentials["email"])

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            self.proof_succeeds(request, credentials["email"])
        return user

    def reauthenticate(self, user: User, password: str) -> bool:
        found = self.authenticate(self.request, email=user.email, password=password)
        return found is not None and found.pk == user.pk

    def _rollback_login_failed_rl_usage(self) -> None:
        """Nothing to take back: the library's own limit is off."""

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        address_ensure(user)
        response: HttpResponse | None = super().pre_login(request, user, **details)
        return response

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        response: HttpResponse = super().post_login(request, user, **details)
        remember_device(request, response, user.email)
        return response
