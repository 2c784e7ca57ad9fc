"""Signing in by a passkey alone. Nothing is stored for a challenge until it has been answered.

The sign-in page asks for one at each visit, so a row or a key for each would be a stranger's to fill. The challenge is a signed time and a
random part, which no two browsers get alike: its signature depends on a cookie. Tabs share the cookie, and each has its own challenge.
"""

from __future__ import annotations

import secrets
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from allauth.core import context
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import LoginWebAuthnForm
from allauth.mfa.webauthn.internal import auth
from allauth.mfa.webauthn.internal.flows import perform_passwordless_login
from allauth.mfa.webauthn.views import LoginWebAuthnView
from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, TimestampSigner
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from fido2.webauthn import UserVerificationRequirement

LIFE_S = 15 * 60  # of a challenge; the page asks for another after ten minutes (static/accounts/accounts.js)


class PasskeyForm(LoginWebAuthnForm):  # type: ignore[misc]  # the library has no types
    """The answer to a challenge."""

    def clean_credential(self) -> Authenticator:
        answer = auth.parse_authentication_response(self.cleaned_data["credential"])
        challenge: bytes = answer.response.client_data.challenge
        if not challenge_use(context.request, challenge):
            raise ValidationError(gettext("That took too long. Use your passkey once more."))
        _, state = _ask(challenge)
        auth.set_state(state)  # for the library, which looks for it in the session
        try:
            return super().clean_credential()
        except ValidationError as error:
            raise ValidationError(gettext("The passkey was not used. Try again, or choose another way.")) from error
        finally:
            auth.clear_state()


class PasskeySignInView(LoginWebAuthnView):  # type: ignore[misc]
    """Offers a challenge (GET), and signs in whoever answers it (POST). Goes on to the page that was asked for."""

    form_class = PasskeyForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not get_adapter().is_ajax(request):
            return HttpResponseRedirect(reverse("login"))
        browser = request.COOKIES.get(_cookie_name()) or secrets.token_urlsafe(16)
        options, _ = _ask(_signer(browser).sign(secrets.token_urlsafe(16)).encode())
        response = JsonResponse({"request_options": dict(options)})
        response.set_cookie(_cookie_name(), browser, max_age=LIFE_S, secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax")
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        authenticator = form.cleaned_data["credential"]
        login = Login(user=authenticator.user, redirect_url=get_next_redirect_url(self.request))
        response: HttpResponse = perform_passwordless_login(self.request, authenticator, login)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        for error in form.errors.get("credential", []):
            messages.error(self.request, error)
        aim = get_next_redirect_url(self.request)
        return HttpResponseRedirect(reverse("login") + (f"?{urlencode({'next': aim})}" if aim else ""))


def challenge_use(request: HttpRequest, challenge: bytes) -> bool:
    """Use a challenge up. Return whether it was made for this browser in the last LIFE_S and is used for the first time.

    Raises redis.RedisError when that is not known.
    """
    browser = request.COOKIES.get(_cookie_name(), "")
    try:
        part = _signer(browser).unsign(challenge.decode(errors="replace"), max_age=LIFE_S)
    except BadSignature:
        return False
    return bool(browser) and cache.add(f"passkey:challenge:{part}", 1, LIFE_S)


def _ask(challenge: bytes) -> tuple[Any, Any]:
    """Return what a browser is asked, and what the library checks the answer against."""
    options_and_state: tuple[Any, Any] = auth.get_server().authenticate_begin([], UserVerificationRequirement.REQUIRED, challenge)
    return options_and_state


def _signer(browser: str) -> TimestampSigner:
    return TimestampSigner(salt=f"accounts.passkey:{browser}")


def _cookie_name() -> str:
    return settings.SESSION_COOKIE_NAME.replace("parley_session", "parley_passkey")


passkey_sign_in = PasskeySignInView.as_view()
