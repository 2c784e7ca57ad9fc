"""What the member pages on an organization's admin site share: tabs, forms in the site's look, errors beside the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from accounts.members.roles import ROLE_TEXTS, grantable_roles
from admin_config.admin.base import TenantModelAdmin
from tenants.access import Actor
from tenants.errors import ParleyError
from tenants.models import MemberGroup, Membership

TABS = (
    (gettext_lazy("Members"), "tenants_membership_changelist"),
    (gettext_lazy("Invitations"), "accounts_invitation_changelist"),
    (gettext_lazy("Groups"), "tenants_membergroup_changelist"),
    (gettext_lazy("API tokens"), "tenants_apitoken_changelist"),
)


class MemberPage(TenantModelAdmin):
    """Base of the pages: their services write the audit log, so Django's notes of changes are left out."""

    list_before_template = "admin/member_tabs.html"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        shown = {"tabs": [(title, f"admin:{page}") for title, page in TABS], **(extra_context or {})}
        response: HttpResponse = super().changelist_view(request, shown)
        return response

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:
        """Do nothing: the service has written the event."""

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:
        """Do nothing: the service has written the event."""

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:
        """Do nothing: the service has written the event."""

    def render_page(self, request: HttpRequest, template: str, title: str, **context: Any) -> TemplateResponse:
        shown = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **context}
        return TemplateResponse(request, template, shown)

    def for_each(self, request: HttpRequest, rows: Any, done: str, work: Callable[[Any], object]) -> None:
        """Do the work for each row, and say how many it was done for and what kept it from the others."""
        count = 0
        for row in rows:
            try:
                with transaction.atomic():
                    work(row)
                count += 1
            except ParleyError as error:
                messages.error(request, f"{row}: {error.message}")
        if count:
            messages.success(request, f"{done}: {count}.")


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
