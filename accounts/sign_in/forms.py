"""The forms of signing in and up. Passwords are typed once: the page can show them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from allauth.account.forms import (
    ChangePasswordForm,
    LoginForm,
    RequestLoginCodeForm,
    ResetPasswordKeyForm,
    SetPasswordForm,
    SignupForm,
)
from allauth.account.models import EmailAddress
from allauth.account.utils import has_verified_email
from allauth.core import context
from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from accounts.sign_in.addresses import address_ensure
from accounts.sign_in.sign_up_policy import may_sign_up
from tenants.models import User

WHOLE_ADDRESS = gettext_lazy("Enter a whole e-mail address, such as name@company.com.")


class AddressForm(forms.Form):
    """The first step: who signs in."""

    username = forms.EmailField(
        max_length=254, error_messages={"required": gettext_lazy("Enter your e-mail address."), "invalid": WHOLE_ADDRESS}
    )


class SignInForm(LoginForm):  # type: ignore[misc]  # the library has no types
    """The second step: the password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].error_messages["required"] = gettext("Enter your password.")

    def add_prefix(self, field_name: str) -> str:
        """Name the field as password managers know it."""
        return "username" if field_name == "login" else field_name


class CodeRequestForm(RequestLoginCodeForm):  # type: ignore[misc]
    """Asks for a code by mail; the address comes from the sign-in page."""

    def add_prefix(self, field_name: str) -> str:
        return "username" if field_name == "email" else field_name


class SignUpForm(SignupForm):  # type: ignore[misc]
    """A new account, for an address that may have one."""

    field_order = ("name", "email", "password1")

    def clean_email(self) -> str:
        email = str(super().clean_email())
        if not may_sign_up(context.request, email):
            raise ValidationError(gettext("This address can't have an account here. Ask for an invitation, or use your work address."))
        return email

    def try_save(self, request: HttpRequest) -> Any:
        """Make the account; for an address that has one, take as long as that, so that the time tells nobody."""
        if self.account_already_exists:
            with transaction.atomic(using="auth"):
                self._save_for_another_address(request)
                transaction.set_rollback(True, using="auth")
        return super().try_save(request)

    def _save_for_another_address(self, request: HttpRequest) -> None:
        email, self.account_already_exists = self.cleaned_data["email"], False
        self.cleaned_data["email"] = f"{uuid4().hex}@sign-up.invalid"  # RFC 2606: nobody's
        _read_as_for_first_mail(self.save(request))
        self.cleaned_data["email"], self.account_already_exists = email, True


def _read_as_for_first_mail(user: User) -> None:
    """Make the five selects that come before a new account's first mail. A test holds both ways to the same statements."""
    address_ensure(user)
    has_verified_email(user)
    for address in EmailAddress.objects.filter(user_id=user.pk).order_by("-primary", "-verified")[:1]:
        EmailAddress.objects.get_for_user(address.user, address.email)


class _WithoutRepetition:
    """Drops the field in which the library asks for the new password once more."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["password2"]


class PasswordChangeForm(_WithoutRepetition, ChangePasswordForm):  # type: ignore[misc]
    """The old password and a new one."""


class PasswordSetForm(_WithoutRepetition, SetPasswordForm):  # type: ignore[misc]
    """A first password, for an account that had none."""


class PasswordResetForm(_WithoutRepetition, ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password after the code that came by mail."""
