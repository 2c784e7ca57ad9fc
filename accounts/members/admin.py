"""Admin page of members: list, role, groups, deactivation, removal."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import SimpleListFilter, action, display
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from accounts.members.forms import MembershipForm, RemovalForm, ServiceAccountForm
from accounts.members.member_page import MemberPage
from accounts.members.membership_transactions import membership_tx
from accounts.members.ownership import owned_by
from accounts.members.roles import grantable_roles
from accounts.members.service_accounts import service_account_create
from accounts.members.services import (
    groups_set,
    member_activate,
    member_deactivate,
    member_remove,
    member_role_set,
    removed_things_settle,
)
from accounts.organizations.member_policy import member_policy
from admin_config.admin.base import badge
from tenants.admin import actor_of
from tenants.errors import ParleyError
from tenants.models import GroupMember, MemberGroup, Membership

ROLE_COLORS = {Membership.Role.OWNER.value: "info", Membership.Role.ADMIN.value: "info", Membership.Role.AUDITOR.value: "warning"}
STATE_COLORS = {"Deactivated": "warning", "Removed": "danger", "Service account": "info"}
MAX_GROUP_ACTIONS = 20


class StateFilter(SimpleListFilter):
    """Hides removed members unless the reader asks for them."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("active", gettext("Active")),
            ("deactivated", gettext("Deactivated")),
            ("removed", gettext("Removed")),
            ("service", gettext("Service accounts")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> QuerySet[Membership]:
        match self.value():
            case "active":
                return queryset.filter(is_active=True)
            case "deactivated":
                return queryset.filter(is_active=False, removed_at=None)
            case "removed":
                return queryset.filter(removed_at__isnull=False)
            case "service":
                return queryset.filter(user__is_service_account=True, removed_at=None)
            case _:
                return queryset


class GroupFilter(SimpleListFilter):
    title = "group"
    parameter_name = "group"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(group.pk), group.name) for group in MemberGroup.objects.all()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> QuerySet[Membership]:
        group_id = self.value()
        if group_id is None or group_id not in {str(value) for value, _ in self.lookup_choices}:
            return queryset
        return queryset.filter(pk__in=GroupMember.objects.filter(group_id=UUID(group_id)).values("membership_id"))


class MemberAdmin(MemberPage):
    """The members of one organization."""

    form = MembershipForm
    actions = ("deactivate", "activate")
    list_display = ("person", "email", "role_label", "group_names", "state", "last_used")
    list_display_links = ("person",)
    list_filter = ("role", StateFilter, GroupFilter)
    list_filter_submit = False
    search_fields = ("user__name", "user__email")
    list_select_related = ("user",)
    list_per_page = 50
    ordering = ("user__name", "user__email")
    sortable_by = ()
    readonly_fields = ("person", "email", "state", "last_used", "created_at")
    fields = ("person", "email", "role", "groups", "state", "last_used", "created_at")
    change_form_outer_before_template = "admin/people/member_links.html"

    def get_urls(self) -> list[URLPattern]:
        guard = self.admin_site.admin_view
        own = [
            path("service-account/", guard(self.service_account_view), name="tenants_membership_service"),
            path("<uuid:object_id>/remove/", guard(self.remove_view), name="tenants_membership_remove"),
        ]
        return [*own, *super().get_urls()]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in {StateFilter.parameter_name, GroupFilter.parameter_name} or super().lookup_allowed(lookup, value, request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        members: QuerySet[Membership] = super().get_queryset(request)
        members = members.of_members().filter(organization_id=actor_of(request).organization_id)  # type: ignore[attr-defined]
        if request.resolver_match and request.resolver_match.url_name == "tenants_membership_changelist" and request.method == "GET":
            members = members if request.GET.get("state") == "removed" else members.filter(removed_at=None)
        return members.prefetch_related(Prefetch("group_places", GroupMember.objects.select_related("group").order_by("group__name")))

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        return type("ActorMembershipForm", (form,), {"actor": actor_of(request)})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse to change oneself, those with more rights, and those who were removed."""
        actor = actor_of(request)
        if obj is None or not actor.can_administer:
            return actor.can_administer
        return obj.user_id != actor.user_id and obj.role in grantable_roles(actor.role) and obj.removed_at is None

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        """Save role and groups as the actor may now; two admins could change each other's roles at the same time."""
        actor = actor_of(request)
        with membership_tx(actor.organization_id, by_user_id=actor.user_id):
            member_role_set(actor=actor, membership_id=obj.pk, role=form.cleaned_data["role"])
            groups_set(actor=actor, membership_id=obj.pk, group_ids=[group.pk for group in form.cleaned_data["groups"]])

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                response: HttpResponse = super().changeform_view(request, object_id, *args, **kwargs)
                return response
        except ParleyError as error:
            messages.error(request, error.message)
            return redirect(request.get_full_path())

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        member = kwargs.get("obj")
        context["member_may_change"] = member is not None and self.has_change_permission(request, member)
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Add one action for each role that the actor may give, and two for each group."""
        actions: dict[str, Any] = super().get_actions(request)
        labels = dict(Membership.Role.choices)
        for role in grantable_roles(actor_of(request).role):
            title = gettext("Role: %(role)s") % {"role": labels[Membership.Role(role)]}
            actions[f"role_{role}"] = (partial(_set_role, role=role), f"role_{role}", title)
        for group in MemberGroup.objects.all()[:MAX_GROUP_ACTIONS]:
            for words, adds in ((gettext("Into the group %(name)s"), True), (gettext("Out of the group %(name)s"), False)):
                name = f"group_{group.pk}_{int(adds)}"
                actions[name] = (
                    partial(_set_group, group_id=group.pk, adds=adds),
                    name,
                    words % {"name": group.name},
                )
        return actions

    @action(description=gettext_lazy("Deactivate"))
    def deactivate(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        actor = actor_of(request)
        self.for_each(request, queryset, gettext("Deactivated"), lambda row: member_deactivate(actor=actor, membership_id=row.pk))

    @action(description=gettext_lazy("Activate again"))
    def activate(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        actor = actor_of(request)
        self.for_each(request, queryset, gettext("Activated"), lambda row: member_activate(actor=actor, membership_id=row.pk))

    def remove_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show what the member owns and where it goes; a POST removes, deactivates or activates."""
        member = self.get_object(request, str(object_id))
        if member is None or not self.has_view_permission(request):
            raise Http404
        owned = owned_by(member.pk)
        form = RemovalForm(request.POST or None, owned=owned, member=member)
        if request.method == "POST" and (request.POST.get("action") not in {"remove", "settle"} or form.is_valid()):
            try:
                with transaction.atomic():
                    _end_access(request, member, form)
                return redirect(reverse("admin:tenants_membership_changelist"))
            except ParleyError as error:
                messages.error(request, error.message)
        days = member_policy(member.organization_id).removed_days
        return self.render_page(
            request,
            "admin/people/member_remove.html",
            gettext("%(user)s was removed") % {"user": member.user}
            if member.removed_at
            else gettext("Remove %(user)s?") % {"user": member.user},
            member=member,
            form=form,
            owned=owned,
            days=days,
        )

    def service_account_view(self, request: HttpRequest) -> HttpResponse:
        """Make a service account and its first token, which is shown once."""
        actor = actor_of(request)
        form = ServiceAccountForm(request.POST or None, actor=actor)
        context: dict[str, Any] = {}
        if request.method == "POST" and form.is_valid():
            try:
                with transaction.atomic():
                    member, text = service_account_create(actor=actor, terms=form.terms())
                context = {"made": member, "token": text}
            except ParleyError as error:
                form.add_error(None, error.message)
        return self.render_page(request, "admin/people/service_account.html", gettext("New service account"), form=form, **context)

    @display(description=gettext_lazy("member"))
    def person(self, member: Membership) -> str:
        return str(member.user)

    @display(description=gettext_lazy("e-mail"))
    def email(self, member: Membership) -> str:
        return "" if member.user.is_service_account else member.user.email

    @badge(gettext_lazy("role"), ROLE_COLORS)
    def role_label(self, member: Membership) -> tuple[str, str]:
        return member.role, str(member.get_role_display())

    @display(description=gettext_lazy("groups"))
    def group_names(self, member: Membership) -> str:
        return ", ".join(place.group.name for place in member.group_places.all())

    @badge(gettext_lazy("state"), STATE_COLORS)
    def state(self, member: Membership) -> str:
        if member.removed_at:
            return _("Removed")
        if not member.is_active or not member.user.is_active:
            return _("Deactivated")
        return _("Service account") if member.user.is_service_account else _("Active")

    @display(description=gettext_lazy("last use"))
    def last_used(self, member: Membership) -> str | None:
        return date_format(localtime(member.last_used_at), "DATETIME_FORMAT") if member.last_used_at else None


def _set_role(page: MemberAdmin, request: HttpRequest, queryset: QuerySet[Membership], *, role: str) -> None:
    actor = actor_of(request)
    done = gettext("Now %(label)s") % {"label": Membership.Role(role).label}
    page.for_each(request, queryset, done, lambda row: member_role_set(actor=actor, membership_id=row.pk, role=role))


def _set_group(page: MemberAdmin, request: HttpRequest, queryset: QuerySet[Membership], *, group_id: UUID, adds: bool) -> None:
    actor = actor_of(request)

    def write(row: Membership) -> None:
        others = {place.group_id for place in row.group_places.all()} - {group_id}
        groups_set(actor=actor, membership_id=row.pk, group_ids=others | {group_id} if adds else others)

    page.for_each(request, queryset, gettext("Changed"), write)


def _end_access(request: HttpRequest, member: Membership, form: RemovalForm) -> None:
    actor = actor_of(request)
    match request.POST.get("action"):
        case "remove":
            member_remove(actor=actor, membership_id=member.pk, handovers=form.handovers())
            messages.success(request, gettext("%(user)s was removed.") % {"user": member.user})
        case "settle":
            removed_things_settle(actor=actor, membership_id=member.pk, handovers=form.handovers())
            messages.success(request, gettext("What %(user)s left is settled.") % {"user": member.user})
        case "activate":
            member_activate(actor=actor, membership_id=member.pk)
            messages.success(request, gettext("%(user)s has access again.") % {"user": member.user})
        case _:
            member_deactivate(actor=actor, membership_id=member.pk)
            messages.success(request, gettext("%(user)s is deactivated. What they own stays.") % {"user": member.user})
