"""The two admin sites (SPEC 1.4): an organization's own, and the platform operator's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, ClassVar, Protocol, runtime_checkable
from uuid import UUID

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.urls import URLPattern, URLResolver, get_script_prefix, reverse
from unfold.sites import UnfoldAdminSite

from admin_config.admin.theme import favicons, stylesheet_urls, theme_colors
from admin_config.models import AppSettings
from admin_config.services.overview import overview_load
from security.audit import audit, count_event, platform_audit
from tenants.admin import actor_of
from tenants.context import database_alias
from tenants.form_changes import Changes
from tenants.models import Membership, Organization, User
from tenants.session_proof import has_second_factor

# Passwords and sign-in have their own pages; "view on site" resolves any object by id; search caches across organizations.
LISTS = {"membership": "the list of members", "user": "the list of users", "outgoingmail": "the mail box"}
EXCLUDED_URLS = frozenset({"login", "password_change", "password_change_done", "view_on_site", "search"})


@dataclass(frozen=True)
class SidebarLink:
    """An entry of the sidebar."""

    title: str
    icon: str
    page: str  # a URL name of the site


@runtime_checkable
class ConcernsOrganizations(Protocol):
    """A row of the platform that is the matter of organizations, which their logs tell when the operator reads it."""

    def organizations_of(self, rows: Sequence[Any]) -> set[UUID]: ...


class ParleySite(UnfoldAdminSite):  # type: ignore[misc]  # the theme has no types
    """Base of both sites: look, sidebar and sign-out, without Django's own log of changes."""

    enable_nav_sidebar = True
    groups: tuple[tuple[str, tuple[SidebarLink, ...]], ...] = ()

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [url for url in super().get_urls() if getattr(url, "name", None) not in EXCLUDED_URLS]

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Wrap a view: signed-out users get the sign-in page, and signed-in users without permission a 404."""
        inner = super().admin_view(view, cacheable)

        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if self.has_permission(request):
                return inner(request, *args, **kwargs)
            if request.user.is_authenticated:
                raise Http404
            return redirect_to_login(request.get_full_path())

        return update_wrapper(guarded, view)

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Sign out by POST only: a link on a foreign page could send a GET with the session's cookie."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        logout(request)
        return redirect("/")

    def app_index(self, request: HttpRequest, app_label: str, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the overview: the sidebar has its own groups, so apps have no lists."""
        return redirect(reverse(f"{self.name}:index"))

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        return [{"title": title, "items": [self._item(request, link) for link in links]} for title, links in self.groups]

    def _item(self, request: HttpRequest, link: SidebarLink) -> dict[str, Any]:
        url = reverse(f"{self.name}:{link.page}")
        is_active = request.path == url if link.page == "index" else request.path.startswith(url)
        return {"title": link.title, "icon": link.icon, "link": url, "active": is_active, "has_permission": True}

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        look = {
            "colors": theme_colors(),
            "styles": stylesheet_urls(),
            "site_favicons": favicons(),
            "site_url": None,
            "show_history": False,
            "show_back_button": True,
        }
        return {**super().each_context(request), **look}


class OrganizationAdminSite(ParleySite):
    """The site of one organization's owners and admins.

    admin_config.admin.organization_mount runs it inside the organization's transaction.
    """

    index_template = "admin/organization_index.html"
    index_title = "Overview"
    # What apps above this one add: to the overview's context, and a number beside an entry of the sidebar, by its page.
    overview_parts: ClassVar[list[Callable[[HttpRequest], dict[str, Any]]]] = []
    badges: ClassVar[dict[str, Callable[[HttpRequest], int]]] = {}
    groups = (
        (
            "Agents",
            (
                SidebarLink("Overview", "space_dashboard", "index"),
                SidebarLink("Agents", "smart_toy", "admin_config_agentconfig_changelist"),
                SidebarLink("Assistants", "support_agent", "admin_config_assistant_changelist"),
                SidebarLink("Tools", "handyman", "admin_config_toolsource_changelist"),
                SidebarLink("Knowledge files", "folder_open", "files_knowledgefile_changelist"),
                SidebarLink("Prompts", "format_quote", "chat_savedprompt_changelist"),
                SidebarLink("Evaluations", "checklist", "evaluations_dataset_changelist"),
            ),
        ),
        (
            "Activity",
            (
                SidebarLink("Runs", "monitoring", "chat_run_changelist"),
                SidebarLink("Feedback", "thumbs_up_down", "chat_messagefeedback_changelist"),
                SidebarLink("Usage", "bar_chart", "usage_usagesum_changelist"),
                SidebarLink("Limits", "speed", "limits_messagelimit_changelist"),
                SidebarLink("Budgets", "payments", "limits_budget_changelist"),
                SidebarLink("Shared links", "link", "sharing_share_changelist"),
            ),
        ),
        (
            "Providers",
            (
                SidebarLink("Endpoints", "cloud", "admin_config_providerendpoint_changelist"),
                SidebarLink("Models", "neurology", "admin_config_modelconfig_changelist"),
            ),
        ),
        (
            "Organization",
            (
                SidebarLink("Releases", "history", "admin_config_release_changelist"),
                SidebarLink("Settings", "tune", "admin_config_appsettings_changelist"),
                SidebarLink("Secrets", "key", "security_registeredsecret_changelist"),
                SidebarLink("Members", "group", "tenants_membership_changelist"),
                SidebarLink("Single sign-on", "fingerprint", "accounts_signon_changelist"),
                SidebarLink("Organization", "corporate_fare", "tenants_organization_changelist"),
                SidebarLink("Audit log", "receipt_long", "security_auditevent_changelist"),
            ),
        ),
    )

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        if not actor_of(request).can_administer:
            self_context = {**self.each_context(request), "title": self.index_title}
            return TemplateResponse(request, "admin/auditor_index.html", self_context)
        context = {"title": self.index_title, "overview": overview_load(_settings_of(request))}
        for part in self.overview_parts:
            context |= part(request)
        return TemplateResponse(request, self.index_template, {**self.each_context(request), **context, **(extra_context or {})})

    def _item(self, request: HttpRequest, link: SidebarLink) -> dict[str, Any]:
        count = self.badges[link.page](request) if link.page in self.badges else 0
        return {**super()._item(request, link), **({"badge": str(count), "badge_variant": "primary"} if count else {})}

    def has_permission(self, request: HttpRequest) -> bool:
        """Let auditors in, too: organization_mount opens to them nothing but the pages that are theirs."""
        return hasattr(request, "actor") and actor_of(request).can_audit

    def auditor_pages(self) -> set[str]:
        """Return the URL names that auditors may read: the overview, and lists and rows whose admin class says `auditors_may_view`."""
        models = [model._meta for model, page in self._registry.items() if getattr(page, "auditors_may_view", False)]
        return {"index"} | {f"{meta.app_label}_{meta.model_name}_{view}" for meta in models for view in ("changelist", "change")}

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        if actor_of(request).can_administer:
            return super().get_sidebar_list(request)
        pages = self.auditor_pages()
        shown = [(title, [self._item(request, link) for link in links if link.page in pages]) for title, links in self.groups]
        return [{"title": title, "items": items} for title, items in shown if items]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        actor = actor_of(request)
        organization = Organization.objects.get(id=actor.organization_id)
        own = {
            "site_title": f"{organization.name} admin",
            "site_header": organization.name,
            "site_subheader": "Administration",
            "site_symbol": "forum",
            "account_links": [{"title": "Back to the chat", "link": get_script_prefix()}],
            "environment": _live_label(_settings_of(request)),
        }
        return {**super().each_context(request), **own}

    def record(self, request: HttpRequest, row: Model, action: str, fields: list[str], changes: Changes = ({}, {})) -> None:
        """Write an audit event for the organization."""
        _audit(request, actor_of(request).organization_id, row, action, fields, changes)

    def record_list(self, request: HttpRequest, rows: Sequence[Model]) -> None:
        """Write nothing: these are the organization's own lists."""

    def record_look(self, request: HttpRequest, row: Model) -> None:
        """Do nothing: an admin may look at the organization's configuration."""


class OperatorSite(ParleySite):
    """The platform operator's site, for superusers."""

    index_template = "admin/operator_index.html"
    index_title = "Platform"
    groups = (
        (
            "Platform",
            (
                SidebarLink("Overview", "space_dashboard", "index"),
                SidebarLink("Organizations", "corporate_fare", "tenants_organization_changelist"),
                SidebarLink("Users", "person", "tenants_user_changelist"),
                SidebarLink("Memberships", "badge", "tenants_membership_changelist"),
                SidebarLink("Audit log", "receipt_long", "security_platformevent_changelist"),
                SidebarLink("Mail box", "mail", "accounts_outgoingmail_changelist"),
            ),
        ),
    )

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        counts = {
            "organizations": Organization.objects.count(),
            "users": User.objects.count(),
            "memberships": Membership.objects.count(),
        }
        response: TemplateResponse = super().index(request, {"counts": counts, **(extra_context or {})})
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
            "site_title": "Platform operator",
            "site_header": "Parley",
            "site_subheader": "Platform operator",
            "site_symbol": "shield_person",
            "account_links": [{"title": "Back to the chat", "link": "/"}],
            "environment": ("Operator", "danger"),
        }
        return {**super().each_context(request), **own}

    def record(self, request: HttpRequest, row: Model, action: str, fields: list[str], changes: Changes = ({}, {})) -> None:
        """Write an audit event for every organization that the row concerns, and for the operator."""
        organization_ids = _affected_organizations(row)
        for organization_id in organization_ids:
            _audit(request, organization_id, row, f"operator.{action}", fields, changes)
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
        organization_ids = _affected_organizations(row)
        for organization_id in organization_ids:
            audit(organization_id=organization_id, object_label=object_label(row), **look)
        platform_audit(organization_id=organization_ids[0] if len(organization_ids) == 1 else None, object_label=object_label(row), **look)

    def record_list(self, request: HttpRequest, rows: Sequence[Model]) -> None:
        """Count in the log of each organization whose members a list showed, and in the operator's, that it was opened."""
        kind = type(rows[0]).__name__.lower() if rows else ""
        if kind not in LISTS:
            return
        for organization_id in (None, *_organizations_of_list(rows)):
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


def _settings_of(request: HttpRequest) -> AppSettings | None:
    """Return the organization's settings with the live release and its author, read once per request; None before it was seeded."""
    kept = request.__dict__
    if "app_settings" not in kept:
        kept["app_settings"] = AppSettings.objects.select_related("live_release__author").first()
    current: AppSettings | None = kept["app_settings"]
    return current


def _live_label(current: AppSettings | None) -> tuple[str, str]:
    if current is None or current.live_release is None:
        return "Nothing published", "warning"
    return f"Live: release {current.live_release.number}", "success"


def _audit(request: HttpRequest, organization_id: UUID, row: Model, action: str, fields: list[str], changes: Changes) -> None:
    kind = type(row).__name__.lower()
    audit(
        organization_id=organization_id,
        actor_user_id=request.user.pk,
        action=f"{kind}.{action}",
        object_kind=kind,
        object_id=row.pk,
        object_label=object_label(row),
        detail={"fields": fields},
        before=changes[0],
        after=changes[1],
    )


def object_label(row: Model) -> str:
    """Return the name by which readers of the log know the row."""
    return str(row.user) if isinstance(row, Membership) else str(row)


def _affected_organizations(row: Model) -> list[UUID]:
    match row:
        case Organization():
            return [row.id]
        case Membership():
            return [row.organization_id]
        case User():
            return list(row.memberships.values_list("organization_id", flat=True))
        case ConcernsOrganizations():
            return sorted(row.organizations_of([row]))
        case _:
            return []


def _organizations_of_list(rows: Sequence[Model]) -> set[UUID]:
    """Return whose members these memberships or users are, or whom other rows concern. At most one query."""
    if isinstance(rows[0], Membership):
        return {row.organization_id for row in rows if isinstance(row, Membership)}
    if isinstance(rows[0], ConcernsOrganizations):
        return rows[0].organizations_of(rows)
    return {*Membership.objects.filter(user__in=[row.pk for row in rows]).values_list("organization_id", flat=True)}


organization_site = OrganizationAdminSite(name="organization_site")
operator_site = OperatorSite(name="operator_site")
