"""Forms of the organization's own page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminFileFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from accounts.organizations.member_policy import MemberPolicy
from accounts.organizations.second_factor import CHOICES, MAX_GRACE_DAYS
from tenants.errors import BadRequest
from tenants.input.pictures import Picture, picture_read
from tenants.models import Membership, Organization


class OrganizationForm(forms.Form):
    """Name, address and looks."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=120, widget=UnfoldAdminTextInputWidget)
    slug = forms.CharField(
        max_length=60,
        label=gettext_lazy("Address"),
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("The part after /o/. The old address leads to the new one."),
    )
    accent_color = forms.CharField(
        label=gettext_lazy("Accent color"),
        max_length=7,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy("Such as #0b6e4f. Blank: Parley's own."),
    )
    logo = forms.FileField(
        label=gettext_lazy("Logo"),
        required=False,
        widget=UnfoldAdminFileFieldWidget,
        help_text=gettext_lazy("A square picture, at most 2 MB."),
    )
    remove_logo = forms.BooleanField(label=gettext_lazy("Remove logo"), required=False)

    def clean_logo(self) -> Picture | None:
        upload = self.cleaned_data.get("logo")
        if upload is None:
            return None
        try:
            return picture_read(upload.read())
        except BadRequest as error:
            raise forms.ValidationError(error.message) from None


class PolicyForm(forms.Form):
    """What the organization decides about its members."""

    email_domains = forms.CharField(
        required=False,
        label=gettext_lazy("Who may be invited"),
        help_text=gettext_lazy("Domains with spaces between them, such as example.org. Blank: every address."),
        widget=UnfoldAdminTextInputWidget,
    )
    sign_up_domains = forms.MultipleChoiceField(
        required=False, label=gettext_lazy("Who joins by signing up"), widget=UnfoldAdminCheckboxSelectMultipleWidget
    )
    invitation_days = forms.IntegerField(
        label=gettext_lazy("Days until an invitation expires"), min_value=1, max_value=90, widget=UnfoldAdminIntegerFieldWidget
    )
    removed_days = forms.IntegerField(
        label=gettext_lazy("Days until what a removed member owned is deleted"),
        min_value=0,
        max_value=3650,
        widget=UnfoldAdminIntegerFieldWidget,
    )
    token_max_days = forms.IntegerField(
        required=False,
        label=gettext_lazy("Longest life of an API token, in days"),
        help_text=gettext_lazy("Blank: any. Tokens that exist keep theirs."),
        min_value=1,
        max_value=3660,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    session_hours = forms.IntegerField(
        required=False,
        label=gettext_lazy("Hours until members sign in again"),
        help_text=gettext_lazy("Blank: two weeks."),
        min_value=1,
        max_value=336,
        widget=UnfoldAdminIntegerFieldWidget,
    )
    session_idle_minutes = forms.IntegerField(
        required=False,
        label=gettext_lazy("Minutes without use until a device is signed out"),
        help_text=gettext_lazy("At least 10. Blank: any time. If somebody is in several organizations, the strictest counts."),
        min_value=10,
        max_value=20_160,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    def __init__(self, *args: Any, proven_domains: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast(forms.MultipleChoiceField, self.fields["sign_up_domains"])
        field.choices = [(domain, domain) for domain in proven_domains]
        field.help_text = sign_up_help(proven_domains)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        domains = tuple(part.lower().removeprefix("@") for part in cleaned.get("email_domains", "").replace(",", " ").split())
        try:
            self.policy = MemberPolicy.model_validate_json(json.dumps({**cleaned, "email_domains": domains}))
        except ValidationError:
            self.add_error("email_domains", gettext("Write domains such as example.org, with spaces between them."))
        return cleaned


def sign_up_help(proven_domains: Sequence[str]) -> str:
    if not proven_domains:
        return gettext("An owner first proves a domain of yours under Single sign-on.")
    if settings.SIGN_UP not in {"domain", "open"}:
        return gettext("Without effect now: on this platform nobody signs up without an invitation.")
    return gettext("Whoever signs up with an address of these domains joins as a member.")


class SecondFactorForm(forms.Form):
    """Of whom a second factor is asked."""

    asked_of = forms.ChoiceField(
        label=gettext_lazy("Who needs a second factor"),
        choices=list(CHOICES.items()),
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy("An authenticator app or a passkey. Who has none is led to the page where it is set up."),
    )
    grace_days = forms.IntegerField(
        label=gettext_lazy("Days to set it up"),
        help_text=gettext_lazy("From now, and for new members from joining."),
        min_value=0,
        max_value=MAX_GRACE_DAYS,
        widget=UnfoldAdminIntegerFieldWidget,
    )


class TransferForm(forms.Form):
    """To whom an owner hands the organization over."""

    def __init__(self, *args: Any, organization: Organization, own_id: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = Membership.objects.filter(organization=organization, is_active=True, user__is_active=True, user__is_service_account=False)
        choices = [(str(row.pk), str(row.user)) for row in people.exclude(pk=own_id).select_related("user").order_by("user__name")]
        self.fields["member"] = forms.ChoiceField(
            label=gettext("new owner"), choices=choices, widget=UnfoldAdminSelectWidget, help_text=gettext("You become an admin.")
        )
