"""The pages of the front door that the library does not have, or has otherwise."""

from __future__ import annotations

from typing import Any

from allauth.account.views import LoginView
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse

from accounts.sign_in.demo import demo_logins
from accounts.sign_in.forms import AddressForm


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
        published = {login.email: login.password for login in context["demo_logins"]}
        context["published_password"] = published.get(kwargs.get("email", ""), "")
        return {**super().get_context_data(**kwargs), **context}


sign_in = SignInView.as_view()
sign_out = LogoutView.as_view()
