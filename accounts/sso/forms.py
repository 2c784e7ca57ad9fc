"""Forms of the sign-on's page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from pydantic import ValidationError
from unfold.widgets import (
    UnfoldAdminPasswordInput,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from accounts.models import SignOn
from accounts.sso.presets import PRESETS
from accounts.sso.rules import Rule, rules_of
from accounts.sso.services import ways_in
from tenants.models import MemberGroup, Membership

ROLES = [choice for choice in Membership.Role.choices if choice[0] != Membership.Role.OWNER]


class ProviderForm(forms.Form):
    """How the provider is reached."""

    provider = forms.ChoiceField(choices=SignOn.Provider.choices, widget=UnfoldAdminSelectWidget)
    issuer = forms.CharField(max_length=300, label="issuer or discovery address", widget=UnfoldAdminTextInputWidget)
    client_id = forms.CharField(max_length=200, label="client ID", widget=UnfoldAdminTextInputWidget)
    secret = forms.CharField(max_length=4000, required=False, label="client secret", widget=UnfoldAdminPasswordInput)
    needs_verified_email = forms.BooleanField(
        required=False,
        label="only verified addresses",
        widget=UnfoldBooleanWidget,
        help_text="Asks for the claim email_verified. Entra ID does not send it.",
    )
    signs_out_at_provider = forms.BooleanField(
        required=False,
        label="sign out there, too",
        widget=UnfoldBooleanWidget,
        help_text="Signing out of Parley also ends the provider's session.",
    )
    is_enabled = forms.BooleanField(required=False, label="in use", widget=UnfoldBooleanWidget)

    def __init__(self, *args: Any, row: SignOn | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        preset = PRESETS.get(str(self.data.get("provider") or (row.provider if row else "")), PRESETS[SignOn.Provider.OTHER])
        self.fields["issuer"].help_text = f"Such as {preset.issuer_hint}"
        kept = f"Stored encrypted, ends in {row.secret.last_four}. Blank keeps it." if row and row.secret else "Stored encrypted."
        self.fields["secret"].help_text = kept


class PeopleForm(forms.Form):
    """What becomes of people."""

    creates_members = forms.BooleanField(required=False, label="make members at their first sign-in", widget=UnfoldBooleanWidget)
    default_role = forms.ChoiceField(
        choices=ROLES,
        label="role of everybody else",
        widget=UnfoldAdminSelectWidget,
        help_text="Of new members, and of all whom no rule fits.",
    )
    groups_claim = forms.CharField(max_length=100, label="claim with groups", widget=UnfoldAdminTextInputWidget)
    rules = forms.CharField(
        required=False,
        widget=UnfoldAdminTextareaWidget,
        help_text="One per line: value, role, groups, such as: it-* | admin | IT, Support. The first that fits wins, at each sign-in. "
        "Owners are never made by a claim.",
    )

    def clean_rules(self) -> tuple[Rule, ...]:
        ids = {group.name.lower(): group.pk for group in MemberGroup.objects.all()}
        rules = []
        for number, line in enumerate(self.cleaned_data["rules"].splitlines(), start=1):
            if line.strip():
                rules.append(_rule(line, number, ids))
        return tuple(rules)


class RequireForm(forms.Form):
    """Only by sign-on, and who comes in when it is down."""

    is_required = forms.BooleanField(
        required=False,
        label="required for people with an address in a proven domain",
        widget=UnfoldBooleanWidget,
        help_text="Their passwords no longer open this organization. Guests with other addresses and API tokens are not asked.",
    )
    way_in = forms.ChoiceField(
        required=False, label="way in when it is down", widget=UnfoldAdminSelectWidget, help_text="An owner who has a passkey."
    )

    def __init__(self, *args: Any, organization_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        owners = [(str(row.pk), str(row.user)) for row in ways_in(organization_id)]
        self.fields["way_in"].choices = [("", "Nobody"), *owners]  # type: ignore[attr-defined]


def rules_text(row: SignOn) -> str:
    """Return the stored rules as they are typed. Groups that are gone are left out."""
    names = {group.pk: group.name for group in MemberGroup.objects.all()}
    lines = []
    for rule in rules_of(row.rules):
        groups = ", ".join(names[pk] for pk in rule.group_ids if pk in names)
        lines.append(" | ".join(filter(None, [rule.value, rule.role, groups])))
    return "\n".join(lines)


def _rule(line: str, number: int, ids: dict[str, UUID]) -> Rule:
    value, role, groups = (part.strip() for part in [*line.split("|"), "", ""][:3])
    names = [name.strip() for name in groups.split(",") if name.strip()]
    if unknown := [name for name in names if name.lower() not in ids]:
        raise forms.ValidationError(f"Line {number}: there is no group {unknown[0]}.")
    try:
        return Rule.model_validate({"value": value, "role": role.lower(), "group_ids": [ids[name.lower()] for name in names]})
    except ValidationError:
        roles = ", ".join(key for key, _ in ROLES)
        raise forms.ValidationError(f"Line {number}: write a value, | and one of the roles {roles}.") from None
