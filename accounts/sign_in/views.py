"""The pages of signing in and up that the library does not have, or has otherwise."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import redis
import structlog
from allauth.account.views import LoginView
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext

from accounts.sign_in.demo_logins import demo_logins
from accounts.sign_in.factors import passkeys_work
from accounts.sign_in.forms import AddressForm
from accounts.sign_in.sign_up_policy import is_sign_up_open
from accounts.social.views import social_entry_points
from accounts.sso.entry_points import entry_point_of_address
from tenants.errors import Unavailable

log = structlog.get_logger(__name__)


class SignInView(LoginView):  # type: ignore[misc]  # the library has no types
    """First the address, then what proves that it is theirs. The second step is the same whether or not the account exists."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "password" in request.POST:
            response: HttpResponse = super().post(request, *args, **kwargs)
            return response
        return self.form_invalid(None)

    def form_invalid(self, form: Any) -> HttpResponse:
        address = AddressForm(self.request.POST)
        step = {"email": address.cleaned_data["username"]} if address.is_valid() else {}
        response: HttpResponse = self.render_to_response(self.get_context_data(address=address, form=form, **step))
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """`email` is there in the second step only."""
        context: dict[str, Any] = {"form": None, "address": AddressForm(), "demo_logins": demo_logins(), **kwargs}
        passwords = {login.email: login.password for login in context["demo_logins"]}
        context["passkeys_work"] = passkeys_work(self.request)
        context["is_sign_up_open"] = is_sign_up_open(self.request)
        context["entry_point"] = entry_point_of_address(kwargs["email"]) if "email" in kwargs else None
        context["social_entry_points"] = social_entry_points()
        context["published_password"] = passwords.get(kwargs.get("email", ""), "")
        return {**super().get_context_data(**kwargs), **context}


def needs_redis(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a view that counts mails or remembers used codes in Redis: without it nothing is sent or accepted, and the page says so.

    Passwords can be used meanwhile (accounts.sign_in.throttle).
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
            if isinstance(response, TemplateResponse):
                response.render()
            return response
        except redis.RedisError as error:
            log.warning("door_closed", path=request.path, error=type(error).__name__)
            raise Unavailable(gettext("This doesn't work right now. Try again in a moment, or sign in with your password.")) from error

    return guarded


def all_or_nothing(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wrap a view of the library that locks rows or changes several: it would begin a transaction of the app role, which has none of them."""
    return transaction.atomic(using="auth")(view)


sign_in = SignInView.as_view()
