"""The site of one organization's owners and admins, and of its auditors: sidebar, overview, and its audit events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from django.db.models import Model
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import get_script_prefix
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.request_organization import organization_of, settings_of
from admin_config.admin.sites.base import ParleySite, SidebarLink
from admin_config.admin.sites.events import audit_row
from admin_config.models import AppSettings
from admin_config.services.overview import overview_load
from tenants.admin import actor_of
from tenants.form_changes import Changes


class OrganizationAdminSite(ParleySite):
    """The site of one organization's owners and admins.

    admin_config.admin.sites.mount runs it inside the organization's transaction.
    """

    index_template = "admin/overview/organization_index.html"
    index_title = gettext_lazy("Overview")
    # What apps above this one add: to the overview's context, and a number beside an entry of the sidebar, by its page.
    overview_parts: ClassVar[list[Callable[[HttpRequest], dict[str, Any]]]] = []
    badges: ClassVar[dict[str, Callable[[HttpRequest], int]]] = {}
    groups = (
        (
            gettext_lazy("Agents"),
            (
                SidebarLink(gettext_lazy("Overview"), "space_dashboard", "index"),
                SidebarLink(gettext_lazy("Agents"), "smart_toy", "admin_config_agentconfig_changelist"),
                SidebarLink(gettext_lazy("Assistants"), "support_agent", "admin_config_assistant_changelist"),
                SidebarLink(gettext_lazy("Tools"), "handyman", "admin_config_toolsource_changelist"),
                SidebarLink(gettext_lazy("Knowledge files"), "folder_open", "files_knowledgefile_changelist"),
                SidebarLink(gettext_lazy("Templates"), "dashboard_customize", "gallery_template_changelist"),
                SidebarLink(gettext_lazy("Evaluations"), "checklist", "evaluations_dataset_changelist"),
            ),
        ),
        (
            gettext_lazy("Activity"),
            (
                SidebarLink(gettext_lazy("Runs"), "monitoring", "chat_run_changelist"),
                SidebarLink(gettext_lazy("Operations"), "vital_signs", "chat_run_operations"),
                SidebarLink(gettext_lazy("Feedback"), "thumbs_up_down", "chat_messagefeedback_changelist"),
                SidebarLink(gettext_lazy("Usage"), "bar_chart", "usage_usagesum_changelist"),
                SidebarLink(gettext_lazy("Limits"), "speed", "limits_ratelimit_changelist"),
                SidebarLink(gettext_lazy("Budgets"), "payments", "limits_budget_changelist"),
                SidebarLink(gettext_lazy("Shared links"), "link", "sharing_share_changelist"),
                SidebarLink(gettext_lazy("Embedded chats"), "web", "embed_embedsite_changelist"),
            ),
        ),
        (
            gettext_lazy("Providers"),
            (
                SidebarLink(gettext_lazy("Endpoints"), "cloud", "admin_config_providerendpoint_changelist"),
                SidebarLink(gettext_lazy("Models"), "neurology", "admin_config_modelconfig_changelist"),
            ),
        ),
        (
            gettext_lazy("Organization"),
            (
                SidebarLink(gettext_lazy("Releases"), "history", "admin_config_release_changelist"),
                SidebarLink(gettext_lazy("Settings"), "tune", "admin_config_appsettings_changelist"),
                SidebarLink(gettext_lazy("Secrets"), "key", "security_registeredsecret_changelist"),
                SidebarLink(gettext_lazy("Members"), "group", "tenants_membership_changelist"),
                SidebarLink(gettext_lazy("Single sign-on"), "fingerprint", "accounts_signon_changelist"),
                SidebarLink(gettext_lazy("Organization"), "corporate_fare", "tenants_organization_changelist"),
                SidebarLink(gettext_lazy("Retention"), "auto_delete", "retention_retentionrule_changelist"),
                SidebarLink(gettext_lazy("Audit log"), "receipt_long", "security_auditevent_changelist"),
            ),
        ),
    )

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        if not actor_of(request).can_administer:
            self_context = {**self.each_context(request), "title": self.index_title}
            return TemplateResponse(request, "admin/overview/auditor_index.html", self_context)
        context = {"title": self.index_title, "overview": overview_load(settings_of(request))}
        for part in self.overview_parts:
            context |= part(request)
        return TemplateResponse(request, self.index_template, {**self.each_context(request), **context, **(extra_context or {})})

    def _item(self, request: HttpRequest, link: SidebarLink, url: str, *, is_open: bool) -> dict[str, Any]:
        count = self.badges[link.page](request) if link.page in self.badges else 0
        return {
            **super()._item(request, link, url, is_open=is_open),
            **({"badge": str(count), "badge_variant": "primary"} if count else {}),
        }

    def has_permission(self, request: HttpRequest) -> bool:
        """Let auditors in, too: the mount opens to them nothing but the pages that are theirs."""
        return hasattr(request, "actor") and actor_of(request).can_audit

    def auditor_pages(self) -> set[str]:
        """Return the URL names that auditors may read: the overview, and the views of admin classes that say `auditors_may_view`."""
        pages = [(model._meta, page) for model, page in self._registry.items() if getattr(page, "auditors_may_view", False)]
        return {"index"} | {f"{meta.app_label}_{meta.model_name}_{view}" for meta, page in pages for view in page.auditor_views}

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        if actor_of(request).can_administer:
            return super().get_sidebar_list(request)
        return self._sidebar(request, self.auditor_pages())

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        organization = organization_of(request)
        own = {
            "site_title": gettext("%(organization)s admin") % {"organization": organization.name},
            "site_header": organization.name,
            "site_subheader": gettext("Administration"),
            "site_symbol": "forum",
            "account_links": [{"title": gettext("Back to the chat"), "link": get_script_prefix()}],
            "environment": _live_label(settings_of(request)),
        }
        return {**super().each_context(request), **own}

    def record(self, request: HttpRequest, row: Model, action: str, fields: list[str], changes: Changes = ({}, {})) -> None:
        """Write an audit event for the organization."""
        audit_row(request, actor_of(request).organization_id, row, action, fields, changes)

    def record_list(self, request: HttpRequest, rows: Sequence[Model]) -> None:
        """Write nothing: these are the organization's own lists."""

    def record_look(self, request: HttpRequest, row: Model) -> None:
        """Do nothing: an admin may look at the organization's configuration."""


def _live_label(current: AppSettings | None) -> tuple[str, str]:
    if current is None or current.live_release is None:
        return gettext("Nothing published"), "warning"
    return gettext("Live: release %(number)s") % {"number": current.live_release.number}, "success"


organization_site = OrganizationAdminSite(name="organization_site")
