"""Forms of the page that invites people."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from accounts.invitations.addresses import MAX_CSV_BYTES, Invitee, Reader, addresses_read, csv_read
from accounts.invitations.services import MAX_USES, InvitationTerms
from accounts.members.member_page import groups_field, role_field
from tenants.access import Actor

DAYS = ((1, gettext_lazy("1 day")), (7, gettext_lazy("7 days")), (30, gettext_lazy("30 days")), (90, gettext_lazy("90 days")))
MAX_TEXT_CHARS = 100_000


class TermsForm(forms.Form):
    """What all invitations of one page have in common."""

    def __init__(self, *args: Any, actor: Actor, days: int = 7, without: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"] = role_field(actor, without=without)
        self.fields["groups"] = groups_field()
        day_choices = dict(DAYS) | {days: gettext("%(days)s days") % {"days": days} if days != 1 else gettext("1 day")}
        self.fields["days"] = forms.TypedChoiceField(
            label=gettext("valid for"), coerce=int, choices=sorted(day_choices.items()), initial=days, widget=UnfoldAdminSelectWidget
        )

    def terms(self) -> InvitationTerms:
        data = self.cleaned_data
        return InvitationTerms(data["role"], tuple(group.pk for group in data["groups"]), data["days"])


class AddressesForm(TermsForm):
    """A list of addresses."""

    addresses = forms.CharField(
        max_length=MAX_TEXT_CHARS,
        label=gettext_lazy("E-mail addresses"),
        help_text=gettext_lazy("Separated by spaces, commas or lines; Ann Lee <ann@example.org> is fine, too."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4, "spellcheck": "false", "autocomplete": "off"}),
    )
    field_order = ("addresses",)

    def __init__(self, *args: Any, reader: Reader, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.reader = reader

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        try:
            self.invitees = self.read()
        except ValueError as error:
            raise ValidationError(str(error)) from None
        return cleaned

    def read(self) -> list[Invitee]:
        return addresses_read(self.cleaned_data.get("addresses", ""), self.reader)


class CsvForm(AddressesForm):
    """A CSV file. After the preview its text comes back in `content`, so that nobody chooses the file twice."""

    addresses = None  # type: ignore[assignment]  # Django's way to drop an inherited field
    file = forms.FileField(
        required=False,
        label=gettext_lazy("CSV file"),
        widget=UnfoldAdminFileFieldWidget,
        help_text=gettext_lazy("Columns: email, role, groups (with ; between them). Role and groups may be left out."),
    )
    content = forms.CharField(required=False, widget=forms.HiddenInput, max_length=MAX_CSV_BYTES)
    field_order = ("file",)

    def read(self) -> list[Invitee]:
        upload = self.cleaned_data.get("file")
        if upload is not None and upload.size > MAX_CSV_BYTES:
            raise ValueError(gettext("The file is larger than %(value)s kB.") % {"value": MAX_CSV_BYTES // 1024})
        content: bytes = upload.read() if upload is not None else self.cleaned_data.get("content", "").encode()
        if not content:
            raise ValueError(gettext("Choose a CSV file."))
        invitees = csv_read(content, self.reader)
        form_data = cast(QueryDict, self.data).copy()
        form_data["content"] = content.decode("utf-8-sig")
        self.data = form_data
        return invitees


class LinkForm(TermsForm):
    """A link that several people may use."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=60,
        required=False,
        help_text=gettext_lazy("For your list, such as Summer school."),
        widget=UnfoldAdminTextInputWidget,
    )
    max_uses = forms.IntegerField(
        label=gettext_lazy("For how many people"), initial=10, min_value=1, max_value=MAX_USES, widget=UnfoldAdminIntegerFieldWidget
    )
    email_domain = forms.CharField(
        max_length=120,
        required=False,
        label=gettext_lazy("Only addresses of this domain"),
        help_text=gettext_lazy("Such as example.org. Blank: everybody who has the link."),
        widget=UnfoldAdminTextInputWidget,
    )
    field_order = ("name", "max_uses", "email_domain")

    def __init__(self, *args: Any, allowed_domains: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if allowed_domains:
            words = gettext("Blank: all that your organization allows, which are %(domains)s.")
            self.fields["email_domain"].help_text = words % {"domains": ", ".join(sorted(allowed_domains))}
