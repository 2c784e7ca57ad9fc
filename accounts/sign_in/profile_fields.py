"""What the sign-up form asks besides address and password. The library's forms extend this class, so it imports none of them."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from tenants.models import User


class ProfileFields(forms.Form):
    """The person's name."""

    name = forms.CharField(max_length=120, error_messages={"required": gettext_lazy("Enter your name.")})

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"].strip()
        user.save(update_fields=["name"])
