"""What the accounts library asks us about other providers' accounts: which there are, whose they are, and who may come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import structlog
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.internal.flows.login import record_authentication
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthError, AuthProcess
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from accounts.sign_in.adapter import AccountAdapter
from accounts.sign_in.addresses import unverified_take_over
from accounts.sign_in.sign_up_policy import is_sign_up_open, may_sign_up
from accounts.social.transport import Session, checked_session
from tenants.models import User

log = structlog.get_logger(__name__)

NAMES = {"google": "Google", "microsoft": "Microsoft", "github": "GitHub"}


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # the library has no types
    """Our answers to the library's questions."""

    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> list[SocialApp]:
        """Return what the operator has set. The library's own table stays empty."""
        logins: Mapping[str, Mapping[str, Any]] = settings.SOCIAL_LOGINS
        return [
            SocialApp(provider=name, name=NAMES[name], client_id=app["client_id"], secret=app["secret"], settings=app["settings"])
            for name, app in logins.items()
            if provider in (None, name) and client_id in (None, app["client_id"])
        ]

    def get_requests_session(self) -> Session:
        return checked_session()

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: Mapping[str, Any]) -> User:
        """Take name and address, and drop all else that the provider said. Runs before anything is looked up or stored."""
        profile, user = sociallogin.account.extra_data, sociallogin.user
        sociallogin.email_addresses = [address_of(sociallogin)] if address_of(sociallogin) else []
        user.email = sociallogin.email_addresses[0].email if sociallogin.email_addresses else ""
        name = profile.get("name") or profile.get("displayName") or ""
        user.name = "".join(letter for letter in str(name) if letter.isprintable()).strip()[:120]
        sociallogin.account.extra_data = {"email": user.email, **({"hd": profile["hd"]} if isinstance(profile.get("hd"), str) else {})}
        return user  # type: ignore[no-any-return]

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Return the account of an address that the provider itself runs; others are linked by their owner, while signed in."""
        if not is_own_mailbox(sociallogin):
            return None
        email = sociallogin.email_addresses[0].email
        user = User.objects.filter(email=email).first()
        if user is None:
            return None
        unverified_take_over(user)
        return user, email

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        if sociallogin.is_existing:
            if sociallogin.user.is_superuser or sociallogin.user.is_service_account:
                refuse(request, sociallogin, "not_by_provider", gettext("This account can't be used this way. Sign in directly."))
            if request.user == sociallogin.user and sociallogin.state.get("process") == AuthProcess.LOGIN:  # asked for a proof
                record_authentication(request, sociallogin)
                raise ImmediateHttpResponse(redirect(sociallogin.get_redirect_url(request) or reverse("account_security")))
        elif sociallogin.state.get("process") != AuthProcess.CONNECT:
            _check_newcomer(request, sociallogin)

    @transaction.atomic(using="auth")
    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        user: User = super().save_user(request, sociallogin, form)
        return user

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return is_sign_up_open(request) and may_sign_up(request, sociallogin.user.email)

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        log.info("social_login_failed", provider=provider.id, error=str(error), exception=type(exception).__name__)
        if error == AuthError.CANCELLED:
            _refuse(request, provider.name, "cancelled", gettext("The sign-in was cancelled."))
        _refuse(request, provider.name, "failed", gettext("The sign-in did not work, or it took too long. Try again."))

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: Any) -> str:
        return reverse("account_security")

    def send_notification_mail(self, template: str, user: User, context: dict[str, Any] | None = None, **kwargs: Any) -> None:
        provider = NAMES.get(context["account"].provider, "") if context else ""
        AccountAdapter(self.request).send_notification_mail(template, user, {"provider_name": provider})


def address_of(sociallogin: SocialLogin) -> EmailAddress | None:
    """Return the address that counts: the provider's primary one, in lower case. Microsoft's tenants write anything, so it is not verified."""
    rows = sorted(sociallogin.email_addresses, key=lambda row: (not row.primary, not row.verified))
    if not rows:
        return None
    is_verified = rows[0].verified and sociallogin.account.provider != "microsoft"
    return EmailAddress(email=rows[0].email.lower(), verified=is_verified, primary=True)


def is_own_mailbox(sociallogin: SocialLogin) -> bool:
    """Return whether the provider runs the mailbox, so that nobody else can have the address.

    Google's rule: addresses at gmail.com, and those of the Workspace that the claim `hd` names. At other providers an address may have been
    verified long ago, and belong to somebody else since.
    """
    if sociallogin.account.provider != "google" or not sociallogin.email_addresses or not sociallogin.email_addresses[0].verified:
        return False
    domain = sociallogin.email_addresses[0].email.rpartition("@")[2]
    return domain in {"gmail.com", str(sociallogin.account.extra_data.get("hd", "")).lower()}


def refuse(request: HttpRequest, sociallogin: SocialLogin, code: str, message: str) -> NoReturn:
    _refuse(request, NAMES[sociallogin.account.provider], code, message)


def _check_newcomer(request: HttpRequest, sociallogin: SocialLogin) -> None:
    """Refuse who brings no address, or one whose account they have to open themselves before it is linked.

    That there is an account is said only to somebody who has shown that the address is theirs. For others the library goes on as at an
    ordinary sign-up: a code, or a word to the account's owner, goes to the mailbox.
    """
    name = NAMES[sociallogin.account.provider]
    if not sociallogin.email_addresses:
        refuse(
            request,
            sociallogin,
            "no_address",
            gettext("%(name)s sent no e-mail address. Add one there, or sign up with an address here.") % {"name": name},
        )
    [address] = sociallogin.email_addresses
    address_filter = Q(email=address.email) | Q(emailaddress__email__iexact=address.email, emailaddress__verified=True)
    if address.verified and User.objects.filter(address_filter).exists():
        refuse(
            request,
            sociallogin,
            "known_address",
            gettext("You have an account with %(email)s. Sign in, then connect %(name)s under Sign-in.")
            % {"email": address.email, "name": name},
        )


def _refuse(request: HttpRequest, name: str, code: str, message: str) -> NoReturn:
    response = render(request, "accounts/social_failed.html", {"name": name, "code": code, "message": message}, status=403)
    response._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001  Django would log the address with the provider's code
    raise ImmediateHttpResponse(response)
