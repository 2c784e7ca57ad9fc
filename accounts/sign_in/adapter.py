"""What the accounts library asks us: limits on guessing, who may sign up, words on screen, where people go."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.mail.languages import reader_language
from accounts.mail.outbox import mail_write
from accounts.sessions.device_names import device_label
from accounts.sessions.session_list import session_note
from accounts.sign_in.addresses import address_ensure
from accounts.sign_in.devices import attempt_of, device_of, remember_device
from accounts.sign_in.mails import mail_for
from accounts.sign_in.sign_up_policy import is_sign_up_open, join_by_domain
from accounts.sign_in.throttle import account_hash, attempt_record, attempt_take_back, attempts_forget
from accounts.sso.direct_sign_ins import direct_sign_in_notify
from security.audit.sign_ins import sign_in_count
from tenants.localization.language import browser_language
from tenants.models import User

log = structlog.get_logger(__name__)

TOO_MANY = gettext_lazy("Too many attempts. Try again in %(minutes)d min, or use a device that you have signed in with before.")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Our answers to the library's questions."""

    error_messages: ClassVar[dict[str, Any]] = {
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": gettext_lazy("The e-mail address and the password do not match. Check both and try again."),
        "incorrect_password": gettext_lazy("This is not your password. Check it and try again."),
        "incorrect_code": gettext_lazy("This code is not right. Check it and try again."),
        "account_inactive": gettext_lazy("This account is deactivated. Ask an admin of your organization."),
        "rate_limited": gettext_lazy("Too many attempts. Wait a minute and try again."),
        "too_many_login_attempts": gettext_lazy("Too many attempts. Wait a minute and try again."),
        "email_taken": gettext_lazy("This address belongs to another account."),
        "duplicate_email": gettext_lazy("You have added this address already."),
        "enter_current_password": gettext_lazy("This is not your current password. Check it and try again."),
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        try:
            return str(super().get_client_ip(request))
        except PermissionDenied:  # a Unix socket has no address
            return ""

    def get_http_user_agent(self, request: HttpRequest) -> str:
        """Return what notices call the device."""
        return device_label(request.headers.get("User-Agent", ""))

    def proof_begins(self, request: HttpRequest, email: str) -> None:
        """Count an attempt to prove that the account is theirs. Raises ValidationError while it has to wait."""
        attempt = attempt_of(request, email, self.get_client_ip(request))
        wait_s = attempt_record(attempt)
        if wait_s:
            log.warning("sign_in_refused", account=attempt.account, wait_s=wait_s)
            sign_in_count(email, action="user.sign_in_refused", outcome="refused")
            raise ValidationError(TOO_MANY, code="too_many", params={"minutes": math.ceil(wait_s / 60)})

    def proof_succeeds(self, request: HttpRequest, email: str) -> None:
        """Take the attempt back. The others are forgotten once somebody is signed in: a second step may follow this one."""
        attempt_take_back(attempt_of(request, email, self.get_client_ip(request)))

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        self.proof_begins(request, credentials["email"])

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            self.proof_succeeds(request, credentials["email"])
        return user

    def reauthenticate(self, user: User, password: str) -> bool:
        owner = self.authenticate(self.request, email=user.email, password=password)
        return owner is not None and owner.pk == user.pk

    def _rollback_login_failed_rl_usage(self) -> None:
        """Nothing to take back: the library's own limit is off."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return is_sign_up_open(request)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the mail in its reader's language. Before people have chosen one it is their browser's: they ask for these mails themselves."""
        language = getattr(context.get("user"), "language", "")  # for an address that is not their primary one
        with reader_language(email, fallback=language or browser_language(self.request)):
            device = {"user_agent": self.get_http_user_agent(self.request)} if context.get("user_agent") else {}  # its name has a language
            mail_write(to=email, mail=mail_for(template_prefix, {"request": self.request, **context, **device}))

    def add_message(self, request: HttpRequest, level: int, *args: Any, **kwargs: Any) -> None:
        """Keep the library's errors and drop its small talk ("Successfully signed in as ..."), which pages here show by what they are."""
        if level >= messages.ERROR or kwargs.get("message"):
            super().add_message(request, level, *args, **kwargs)

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        address_ensure(user)
        response: HttpResponse | None = super().pre_login(request, user, **details)
        return response

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Runs once somebody is signed in: all steps are done and the address is verified."""
        session_note(request, self.get_client_ip(request))
        attempts_forget(attempt_of(request, user.email, self.get_client_ip(request)))
        if details["signup"]:
            join_by_domain(user)
        direct_sign_in_notify(request, user, address=self.get_client_ip(request), device=self.get_http_user_agent(request))
        response: HttpResponse = super().post_login(request, user, **details)
        if not details["signup"] and not device_of(request).knows(account_hash(user.email)):
            self.send_notification_mail("accounts/new_device", user)
        remember_device(request, response, user.email)
        return response

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account_security")
