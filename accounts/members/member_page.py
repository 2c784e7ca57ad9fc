"""What the member pages on an organization's admin site share: their tabs, and the fields for roles and groups."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from accounts.members.roles import ROLE_TEXTS, grantable_roles
from admin_config.admin.base import ServicePage
from tenants.access import Actor
from tenants.models import MemberGroup, Membership

TABS = (
    (gettext_lazy("Members"), "tenants_membership_changelist"),
    (gettext_lazy("Invitations"), "accounts_invitation_changelist"),
    (gettext_lazy("Groups"), "tenants_membergroup_changelist"),
    (gettext_lazy("API tokens"), "tenants_apitoken_changelist"),
)


class MemberPage(ServicePage):
    """Base of the pages, with a tab for each."""

    list_before_template = "admin/people/member_tabs.html"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        context = {"tabs": [(title, f"admin:{page}") for title, page in TABS], **(extra_context or {})}
        response: HttpResponse = super().changelist_view(request, context)
        return response


def role_field(actor: Actor, *, without: tuple[str, ...] = ()) -> forms.ChoiceField:
    """Return the choice of a role that the actor may give."""
    labels = dict(Membership.Role.choices)
    choices = [
        (role, f"{labels[Membership.Role(role)]}: {ROLE_TEXTS[role]}") for role in grantable_roles(actor.role) if role not in without
    ]
    return forms.ChoiceField(choices=choices, initial=Membership.Role.MEMBER, widget=UnfoldAdminSelectWidget)


def groups_field() -> forms.ModelMultipleChoiceField[MemberGroup]:
    """Return the choice of the organization's groups."""
    return forms.ModelMultipleChoiceField(
        MemberGroup.objects.order_by("name"),
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=gettext("Groups are made under Members, Groups."),
    )
