"""Admin page of embedded chats, on an organization's site: the chat, its snippet and secret, a live preview, and its figures."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.base import TenantModelAdmin, badge
from admin_config.admin.sites.mount import DeferredRedirect
from admin_config.models import Assistant
from embed.admin.forms import CHAT_AGENT, NO_ASSISTANT, EmbedSiteForm
from embed.admin.limit_rows import EmbedLimitInline
from embed.admin.statistics import DAYS, site_figures
from embed.host.fetched_keys import KeysUnusable, cached_keys, keys_fetch
from embed.host.key_sets import key_names
from embed.host.tokens import host_token_new
from embed.keys import site_key
from embed.models import EmbedSite
from embed.services import site_delete, site_save, site_secret_renew
from security.secrets.errors import SecretUnusable
from security.secrets.services import secret_open
from tenants.admin import actor_of
from tenants.errors import NotFound, Unavailable


class EmbedSiteAdmin(TenantModelAdmin):
    """The embedded chats of an organization. A change holds from the next time that a page opens the chat."""

    form = EmbedSiteForm
    inlines = (EmbedLimitInline,)
    list_display = ("name", "answers", "pages", "visitor_count", "state")
    list_before_template = "admin/sharing/embeds_intro.html"
    change_form_outer_after_template = "admin/sharing/embed_site.html"
    ordering = ("name",)
    sortable_by = ()
    fieldsets = (
        (None, {"fields": (("name", "is_active"), "assistant", "origins")}),
        (
            gettext_lazy("Visitors"),
            {"fields": ("anonymous_allowed", "members_may_keep", "shows_switches", "keep_days", "public_keys", "key_set_url")},
        ),
        (
            gettext_lazy("Look and words"),
            {
                "fields": (
                    *("title", "subtitle", "greeting", "placeholder", "starter_lines"),
                    *(("accent_color", "language"), "shows_brand"),
                ),
                "description": gettext_lazy("A page can set accent, language and theme itself, by attributes of its tag."),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[EmbedSite]:
        title = Assistant.objects.filter(agent__key=OuterRef("assistant"), is_offered=True).values("title")[:1]
        sites: QuerySet[EmbedSite] = super().get_queryset(request)
        return sites.select_related("secret").annotate(visitor_total=Count("visitors"), assistant_title=Subquery(title))

    def get_urls(self) -> list[URLPattern]:
        guard = self.admin_site.admin_view
        own = [
            path("<uuid:object_id>/secret/", guard(self.secret_view), name="embed_embedsite_secret"),
            path("<uuid:object_id>/keys/", guard(self.keys_view), name="embed_embedsite_keys"),
            path("<uuid:object_id>/preview/", guard(self.preview_view), name="embed_embedsite_preview"),
        ]
        return [*own, *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: EmbedSite, form: Any, change: bool) -> None:
        site_save(obj, actor=actor_of(request))

    def delete_model(self, request: HttpRequest, obj: EmbedSite) -> None:
        site_delete(obj, actor=actor_of(request))

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        site: EmbedSite | None = kwargs.get("obj")
        if site is not None:
            context |= {"key": site_key(site), "public_url": settings.PUBLIC_URL, "figures": site_figures(site), "days": DAYS}
            context["cached_keys"] = _cached_keys_summary(site)
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def secret_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Make another secret and show it, this once."""
        if request.method != "POST":
            raise Http404
        try:
            site, value = site_secret_renew(actor=actor_of(request), site_id=object_id)
        except NotFound:
            raise Http404 from None
        response = self._page(
            request,
            "admin/sharing/embed_secret.html",
            gettext("The secret of %(site)s") % {"site": site},
            site=site,
            key=site_key(site),
            secret=value.reveal(),
        )
        response["Cache-Control"] = "no-store"
        return response

    def keys_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Fetch the keys at the host's address now, and say what was found."""
        site = self.get_object(request, str(object_id))
        if request.method != "POST" or site is None or not site.key_set_url:
            raise Http404
        return DeferredRedirect(reverse("admin:embed_embedsite_change", args=[site.pk]), partial(_fetch_keys, request, site))

    def preview_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show the chat as a page would, to a visitor who is this admin."""
        site = self.get_object(request, str(object_id))
        if site is None or not site.is_active:
            raise Http404
        actor = actor_of(request)
        try:
            subject = f"preview:{actor.membership_id}"
            token = host_token_new(secret=secret_open(site.secret), audience=site_key(site), subject=subject, name="Preview")
        except SecretUnusable:
            token = ""
        return self._page(
            request,
            "admin/sharing/embed_preview.html",
            gettext("Preview of %(site)s") % {"site": site},
            site=site,
            key=site_key(site),
            token=token,
        )

    def _page(self, request: HttpRequest, template: str, title: str, **context: Any) -> TemplateResponse:
        page_context = {**self.admin_site.each_context(request), "opts": self.opts, "title": title, **context}
        return TemplateResponse(request, template, page_context)

    @display(description=gettext_lazy("answers"))
    def answers(self, site: EmbedSite) -> str:
        return str(getattr(site, "assistant_title", None) or NO_ASSISTANT) if site.assistant else str(CHAT_AGENT)

    @display(description=gettext_lazy("pages"))
    def pages(self, site: EmbedSite) -> str:
        return ", ".join(site.allowed_origins) or gettext("None yet")

    @display(description=gettext_lazy("visitors"))
    def visitor_count(self, site: EmbedSite) -> int:
        return int(getattr(site, "visitor_total", 0))

    @badge(gettext_lazy("state"), {"On": "success", "Off": "danger"})
    def state(self, site: EmbedSite) -> str:
        return _("On") if site.is_active else _("Off")


def _fetch_keys(request: HttpRequest, site: EmbedSite) -> None:
    """Runs after the commit: the address is another server's."""
    try:
        key_set = keys_fetch(site)
    except KeysUnusable as error:
        messages.error(request, gettext("No keys: %(problem)s") % {"problem": error.message})
        return
    if key_set.keys:
        messages.success(request, gettext("Keys at the address: %(keys)s") % {"keys": key_names(key_set.keys)})
    else:
        messages.error(request, gettext("The address gives no key that can be used."))
    for problem in key_set.problems:
        messages.warning(request, problem)


def _cached_keys_summary(site: EmbedSite) -> dict[str, Any] | None:
    """Return what the page shows of the keys that count now; None when none are kept."""
    try:
        key_set = cached_keys(site) if site.key_set_url else None
    except Unavailable:
        return None
    return {"words": key_names(key_set.keys), "at": datetime.fromtimestamp(key_set.fetched_at, UTC)} if key_set and key_set.keys else None
