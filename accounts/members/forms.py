"""Forms of the member pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.forms import ValidationError
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminIntegerFieldWidget, UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from accounts.members.member_page import groups_field, role_field
from accounts.members.ownership import Handover, OwnedCount
from accounts.members.service_accounts import ServiceAccountTerms
from tenants.access import Actor
from tenants.input.networks import networks_read
from tenants.models import GroupMember, MemberGroup, Membership


class MembershipForm(forms.ModelForm[Membership]):
    """A member's role and groups. The page sets `actor`."""

    actor: ClassVar[Actor]
    groups = groups_field()

    class Meta:
        model = Membership
        fields = ("role",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "role" in self.fields:
            without = ("owner",) if self.instance.user.is_service_account else ()
            self.fields["role"] = role_field(self.actor, without=without)
        self.fields["groups"].initial = [place.group_id for place in self.instance.group_places.all()]


class RemovalForm(forms.Form):
    """What becomes of each kind that the member owns."""

    def __init__(self, *args: Any, owned: Sequence[OwnedCount], member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owned = owned
        receivers = Membership.objects.of_members().filter(organization_id=member.organization_id, is_active=True, user__is_active=True)
        people = [
            (f"to:{row.pk}", gettext("To %(user)s") % {"user": row.user})
            for row in receivers.exclude(pk=member.pk).select_related("user").order_by("user__name")
        ]
        for one in owned:
            choices = [("delete", gettext("Delete after the days of the policy"))]
            choices += [("archive", gettext("Archive: keep it, and nobody opens it"))] if one.kind.archive else []
            choices += people if one.kind.hand_over else []
            self.fields[one.kind.key] = forms.ChoiceField(label=one.says, choices=choices, widget=UnfoldAdminSelectWidget)

    def handovers(self) -> list[Handover]:
        return [_handover(one.kind.key, self.cleaned_data[one.kind.key]) for one in self.owned]


class ServiceAccountForm(forms.Form):
    """A new service account with its first token."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=60, widget=UnfoldAdminTextInputWidget, help_text=gettext_lazy("Such as nightly-report.")
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Its token may"),
        choices=[("read", gettext_lazy("Read")), ("write", gettext_lazy("Change")), ("chat", gettext_lazy("Chat"))],
        initial=["chat"],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days until the token expires"), initial=90, min_value=1, max_value=3660, widget=UnfoldAdminIntegerFieldWidget
    )
    networks = forms.CharField(
        required=False,
        label=gettext_lazy("Allowed networks"),
        help_text=gettext_lazy("One per line, such as 203.0.113.0/24. Blank: from everywhere."),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, actor: Actor, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields = {
            "name": self.fields["name"],
            "role": role_field(actor, without=("owner",)),
            "groups": groups_field(),
            **{name: self.fields[name] for name in ("scopes", "days", "networks")},
        }

    def clean_networks(self) -> list[str]:
        try:
            return networks_read(self.cleaned_data["networks"].split())
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def terms(self) -> ServiceAccountTerms:
        data = self.cleaned_data
        groups = tuple(group.pk for group in data["groups"])
        return ServiceAccountTerms(data["name"], data["role"], groups, tuple(data["scopes"]), data["days"], tuple(data["networks"]))


class GroupForm(forms.ModelForm[MemberGroup]):
    """A group and its members."""

    members = forms.ModelMultipleChoiceField(
        Membership.objects.none(), label=gettext_lazy("Members"), required=False, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = MemberGroup
        fields = ("name", "description")

    actor: ClassVar[Actor]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members: Any = self.fields["members"]
        people = Membership.objects.of_members().filter(organization_id=self.actor.organization_id, removed_at=None).select_related("user")
        members.queryset = people.order_by("user__name", "user__email")
        members.label_from_instance = lambda member: str(member.user)
        if self.instance.created_at is not None:
            members.initial = list(GroupMember.objects.filter(group=self.instance).values_list("membership_id", flat=True))

    def _get_validation_exclusions(self) -> set[str]:
        exclusions: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return exclusions - {"organization"}


def _handover(kind: str, choice: str) -> Handover:
    if choice.startswith("to:"):
        return Handover(kind, "hand_over", UUID(choice.removeprefix("to:")))
    return Handover(kind, "archive" if choice == "archive" else "delete")
