"""Forms of the sign-on's page."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, cast
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from accounts.models import SignOn
from accounts.sso.claim_rules import MAX_RULES, Rule, rules_of
from accounts.sso.services import ways_in
from tenants.models import MemberGroup, Membership

ROLES = [choice for choice in Membership.Role.choices if choice[0] not in {Membership.Role.OWNER, Membership.Role.VISITOR}]


class ProviderForm(forms.Form):
    """How the provider is reached."""

    provider = forms.ChoiceField(label=gettext_lazy("Provider"), choices=SignOn.Provider.choices, widget=forms.RadioSelect)
    issuer = forms.CharField(max_length=300, label=gettext_lazy("Discovery address"), widget=UnfoldAdminTextInputWidget)
    client_id = forms.CharField(max_length=200, label=gettext_lazy("Client ID"), widget=UnfoldAdminTextInputWidget)
    secret = forms.CharField(max_length=4000, required=False, label=gettext_lazy("Client secret"), widget=UnfoldAdminPasswordWidget)
    secret_expires_on = forms.DateField(
        required=False,
        label=gettext_lazy("Secret expires on"),
        help_text=gettext_lazy("As the provider says. Owners are reminded by mail 30 days, 7 days and 1 day before. Blank: never."),
        widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}),
    )
    needs_verified_email = forms.BooleanField(
        required=False, label=gettext_lazy("Only addresses that the provider has verified"), widget=UnfoldBooleanSwitchWidget
    )
    signs_out_at_provider = forms.BooleanField(
        required=False, label=gettext_lazy("Signing out of Parley also signs out at the provider"), widget=UnfoldBooleanSwitchWidget
    )
    is_enabled = forms.BooleanField(required=False, label=gettext_lazy("People can sign in with it"), widget=UnfoldBooleanSwitchWidget)

    def __init__(self, *args: Any, row: SignOn | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["issuer"].widget.attrs["autocomplete"] = "off"
        self.fields["secret"].widget.attrs["autocomplete"] = "new-password"
        if row and row.secret:
            self.fields["secret"].widget.attrs["placeholder"] = f"•••••••• {row.secret.last_four}"
            self.fields["secret"].help_text = gettext("Stored encrypted. Leave blank to keep it.")
        else:
            self.fields["secret"].help_text = gettext("Stored encrypted, and sent to this provider only.")


class PeopleForm(forms.Form):
    """What becomes of people. The rules are rows of three inputs each, in their order."""

    groups_claim = forms.CharField(max_length=100, label=gettext_lazy("Claim with groups"), widget=UnfoldAdminTextInputWidget)
    default_role = forms.ChoiceField(choices=ROLES, label=gettext_lazy("Role of anybody else"), widget=UnfoldAdminSelectWidget)
    creates_members = forms.BooleanField(
        required=False, label=gettext_lazy("Create the account at first sign-in"), widget=UnfoldBooleanSwitchWidget
    )

    def __init__(self, *args: Any, row: SignOn, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.groups = [(str(group.pk), group.name) for group in MemberGroup.objects.order_by("name")]
        self.roles = ROLES
        self.rows = submitted_rule_rows(cast(QueryDict, self.data)) if self.is_bound else stored_rule_rows(row)

    empty_row = MappingProxyType({"value": "", "role": Membership.Role.MEMBER.value, "group": ""})

    def clean(self) -> dict[str, Any]:
        group_ids = {pk for pk, _ in self.groups}
        rules = []
        for number, row in enumerate(self.rows, start=1):
            if row["group"] and row["group"] not in group_ids:
                raise forms.ValidationError(gettext("The group of rule %(number)s is gone. Choose another one.") % {"number": number})
            try:
                rules.append(Rule(value=row["value"], role=row["role"], group_id=row["group"] or None))
            except ValidationError:
                raise forms.ValidationError(
                    gettext("Rule %(number)s needs a value of at most 200 letters and a role.") % {"number": number}
                ) from None
        if len(rules) > MAX_RULES:
            raise forms.ValidationError(gettext("There can be at most %(max_rules)s rules.") % {"max_rules": MAX_RULES})
        return {**self.cleaned_data, "rules": tuple(rules)}


class RequireForm(forms.Form):
    """Only by sign-on, and who comes in when it is down."""

    is_required = forms.ChoiceField(
        label=gettext_lazy("Is required"), choices=[("", gettext_lazy("Optional")), ("on", gettext_lazy("Required"))], required=False
    )
    way_in = forms.ChoiceField(required=False, label=gettext_lazy("Way in when sign-on is down"), widget=UnfoldAdminSelectWidget)

    def __init__(self, *args: Any, organization_id: UUID, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        owners = [(str(row.pk), gettext("%(user)s (owner, passkey)") % {"user": row.user}) for row in ways_in(organization_id)]
        self.fields["way_in"].choices = [("", gettext("Nobody")), *owners]  # type: ignore[attr-defined]


def stored_rule_rows(row: SignOn) -> list[dict[str, str]]:
    return [{"value": rule.value, "role": rule.role, "group": str(rule.group_id or "")} for rule in rules_of(row.rules)]


def submitted_rule_rows(form_data: QueryDict) -> list[dict[str, str]]:
    """Return the rows of the form, without those that are empty."""
    columns = zip(form_data.getlist("rule_value"), form_data.getlist("rule_role"), form_data.getlist("rule_group"), strict=False)
    return [{"value": value.strip(), "role": role, "group": group} for value, role, group in columns if value.strip()]
