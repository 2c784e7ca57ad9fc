"""Pages that take a code from a mail: each try counts like a password's (accounts.sign_in.throttle)."""

from __future__ import annotations

import time
from typing import Any

from allauth.account import app_settings
from allauth.account.adapter import get_adapter
from allauth.account.views import ConfirmLoginCodeView, ConfirmPasswordResetCodeView, RequestLoginCodeView
from allauth.core.ratelimit import consume
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from accounts.sign_in.views import needs_redis


class CountedCode:
    """Counts each try of a code against the account that the mail went to."""

    request: HttpRequest
    _process: Any  # the library's: whose code is expected, and which one

    @property
    def can_resend(self) -> bool:
        """As many mails for a new password as for signing in, where the library counts them itself."""
        return not self._process.is_resend_quota_reached(app_settings.LOGIN_BY_CODE_MAX_RESEND_COUNT)

    @property
    def asks_for_mail(self) -> bool:
        """Whether it is no try. When no more mails are sent, the library takes any request for one."""
        return self.request.POST.get("action") == "resend" and self.can_resend

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not self.asks_for_mail:
            try:
                get_adapter().proof_begins(request, self._process.state["email"])
            except ValidationError as error:
                messages.error(request, error.messages[0])
                return redirect(request.get_full_path())
        response: HttpResponse = super().post(request, *args, **kwargs)  # type: ignore[misc]  # FormView's
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        if not self.asks_for_mail:
            get_adapter().proof_succeeds(self.request, self._process.state["email"])
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        return response


class SignInCodeView(CountedCode, ConfirmLoginCodeView):  # type: ignore[misc]  # the library has no types
    """Takes the code that signs in."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "email": self._process.state["email"], "action_url": self.request.path}


class ResetCodeView(CountedCode, ConfirmPasswordResetCodeView):  # type: ignore[misc]
    """Takes the code for a new password, and sends another one to the same address."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._resend() if self.asks_for_mail else super().post(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "can_resend": self.can_resend}

    def _resend(self) -> HttpResponse:
        """Send the mail again, also to an address without an account, so that the answer is the same. The older code ends."""
        state = self._process.state
        if consume(self.request, action="reset_password", key=state["email"].lower()):
            self._process.record_resend()
            state["at"] = time.time()
            self._process.send()
            self._process.persist()
            messages.success(self.request, gettext("The mail is on its way again."))
        else:
            messages.error(self.request, get_adapter().error_messages["rate_limited"])
        return redirect(self.passthrough_next_url(self.request.path))


class CodeRequestView(RequestLoginCodeView):  # type: ignore[misc]
    """Sends a code to the address that was typed on the sign-in page."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(self.passthrough_next_url(reverse("login")))

    def form_invalid(self, form: Any) -> HttpResponse:
        for errors in form.errors.values():
            messages.error(self.request, errors[0])
        return redirect(self.passthrough_next_url(reverse("login")))


confirm_sign_in_code = SignInCodeView.as_view()
confirm_reset_code = needs_redis(ResetCodeView.as_view())
request_code = CodeRequestView.as_view()
