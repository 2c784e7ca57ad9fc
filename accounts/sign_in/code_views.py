"""Pages that take a code from a mail: each try counts like a password's (accounts.sign_in.throttle)."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.views import ConfirmLoginCodeView, ConfirmPasswordResetCodeView, RequestLoginCodeView
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse


class CountedCode:
    """Counts each try of a code against the account that the mail went to."""

    request: HttpRequest
    _process: Any  # the library's: whose code is expected, and which one

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.POST.get("action") != "resend":
            try:
                get_adapter().proof_begins(request, self._process.state["email"])
            except ValidationError as error:
                messages.error(request, error.messages[0])
                return redirect(request.get_full_path())
        response: HttpResponse = super().post(request, *args, **kwargs)  # type: ignore[misc]  # FormView's
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        if self.request.POST.get("action") != "resend":
            get_adapter().proof_succeeds(self.request, self._process.state["email"])
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        return response


class SignInCodeView(CountedCode, ConfirmLoginCodeView):  # type: ignore[misc]  # the library has no types
    """Takes the code that signs in."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "email": self._process.state["email"], "action_url": self.request.path}


class ResetCodeView(CountedCode, ConfirmPasswordResetCodeView):  # type: ignore[misc]
    """Takes the code for a new password."""


class CodeRequestView(RequestLoginCodeView):  # type: ignore[misc]
    """Sends a code to the address that was typed on the sign-in page."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return redirect(self.passthrough_next_url(reverse("login")))

    def form_invalid(self, form: Any) -> HttpResponse:
        for errors in form.errors.values():
            messages.error(self.request, errors[0])
        return redirect(self.passthrough_next_url(reverse("login")))


confirm_sign_in_code = SignInCodeView.as_view()
confirm_reset_code = ResetCodeView.as_view()
request_code = CodeRequestView.as_view()
