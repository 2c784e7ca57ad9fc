"""The forms of the front door."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm
from django import forms


class AddressForm(forms.Form):
    """The first step: who signs in."""

    username = forms.EmailField(
        max_length=254,
        error_messages={"required": "Enter your e-mail address.", "invalid": "Enter a whole e-mail address, such as name@company.com."},
    )


class SignInForm(LoginForm):  # type: ignore[misc]  # the library has no types
    """The second step: the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].error_messages["required"] = "Enter your password."

    def add_prefix(self, field_name: str) -> str:
        """Name the field as password managers know it."""
        return "username" if field_name == "login" else field_name
