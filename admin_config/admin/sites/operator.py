"""The site of the platform's operators: who may open it, and the audit events of what they look at and change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import HttpRequest
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.sites.base import ParleySite, SidebarLink
from admin_config.admin.sites.events import affected_organizations, audit_row, object_label, organizations_of_list
from security.audit import audit, count_event, platform_audit
from tenants.authentication.session_proof import has_second_factor
from tenants.context import database_alias
from tenants.form_changes import Changes
from tenants.models import Membership, Organization, User

LISTS = {
    "membership": _("the list of members"),
    "user": _("the list of users"),
    "outgoingmail": _("the mail box"),
}


class OperatorSite(ParleySite):
    """The platform operator's site, for superusers."""

    index_template = "admin/overview/operator_index.html"
    index_title = gettext_lazy("Overview")
    groups = (
        (
            gettext_lazy("Platform"),
            (
                SidebarLink(gettext_lazy("Overview"), "space_dashboard", "index"),
                SidebarLink(gettext_lazy("Operations"), "vital_signs", "chat_run_changelist"),
                SidebarLink(gettext_lazy("Organizations"), "corporate_fare", "tenants_organization_changelist"),
                SidebarLink(gettext_lazy("Platform defaults"), "tune", "admin_config_platformdraft_changelist"),
                SidebarLink(gettext_lazy("Plans"), "layers", "limits_plan_changelist"),
                SidebarLink(gettext_lazy("Users"), "person", "tenants_user_changelist"),
                SidebarLink(gettext_lazy("Memberships"), "badge", "tenants_membership_changelist"),
                SidebarLink(gettext_lazy("Audit log"), "receipt_long", "security_platformevent_changelist"),
                SidebarLink(gettext_lazy("Mail box"), "mail", "accounts_outgoingmail_changelist"),
            ),
        ),
    )

    # Each returns a part of the overview's context. Apps above add their own.
    overview_parts: ClassVar[list[Callable[[HttpRequest], dict[str, Any]]]] = []

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        counts = {
            "organizations": Organization.objects.count(),
            "users": User.objects.exclude(memberships__role=Membership.Role.VISITOR).count(),
            "memberships": Membership.objects.of_members().count(),
        }
        parts = {name: value for part in self.overview_parts for name, value in part(request).items()}
        response: TemplateResponse = super().index(request, {"counts": counts, **parts, **(extra_context or {})})
        return response

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Wrap a view: an operator whose session lacks the second factor is sent to where it can be set up.

        The view works as the auth role, its page included: the app role can't see users and organizations at large.
        """
        inner = super().admin_view(view, cacheable)

        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if _is_operator(request) and not self.has_permission(request):
                return redirect_to_login(request.get_full_path(), settings.SECOND_FACTOR_URL)
            with database_alias("auth"):
                response = inner(request, *args, **kwargs)
                return response.render() if isinstance(response, SimpleTemplateResponse) else response

        return update_wrapper(guarded, view)

    def has_permission(self, request: HttpRequest) -> bool:
        return _is_operator(request) and (not settings.OPERATOR_SECOND_FACTOR or has_second_factor(request.session))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        own = {
            "site_title": gettext("Platform operator"),
            "site_header": "Parley",
            "site_subheader": gettext("Platform operator"),
            "site_symbol": "shield_person",
            "account_links": [{"title": gettext("Back to the chat"), "link": "/"}],
            "environment": ("Operator", "danger"),
        }
        return {**super().each_context(request), **own}

    def record(self, request: HttpRequest, row: Model, action: str, fields: list[str], changes: Changes = ({}, {})) -> None:
        """Write an audit event for every organization that the row concerns, and for the operator."""
        organization_ids = affected_organizations(row)
        for organization_id in organization_ids:
            audit_row(request, organization_id, row, f"operator.{action}", fields, changes)
        kind = type(row).__name__.lower()
        platform_audit(
            actor_user_id=request.user.pk,
            action=f"{kind}.operator.{action}",
            object_kind=kind,
            object_id=row.pk,
            object_label=object_label(row),
            organization_id=organization_ids[0] if len(organization_ids) == 1 else None,
            before=changes[0],
            after=changes[1],
        )

    def record_look(self, request: HttpRequest, row: Model) -> None:
        """Write into the log of every organization that the row concerns, and into the operator's, that its page was opened."""
        kind = type(row).__name__.lower()
        look: dict[str, Any] = {"actor_user_id": request.user.pk, "action": "operator.look", "object_kind": kind, "object_id": row.pk}
        organization_ids = affected_organizations(row)
        for organization_id in organization_ids:
            audit(organization_id=organization_id, object_label=object_label(row), **look)
        platform_audit(organization_id=organization_ids[0] if len(organization_ids) == 1 else None, object_label=object_label(row), **look)

    def record_list(self, request: HttpRequest, rows: Sequence[Model]) -> None:
        """Count in the log of each organization whose members a list showed, and in the operator's, that it was opened."""
        kind = type(rows[0]).__name__.lower() if rows else ""
        if kind not in LISTS:
            return
        for organization_id in (None, *organizations_of_list(rows)):
            count_event(
                organization_id=organization_id,
                actor_user_id=request.user.pk,
                action="operator.look",
                object_kind=kind,
                object_id="list",
                object_label=LISTS[kind],
            )


def _is_operator(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


operator_site = OperatorSite(name="operator_site")
