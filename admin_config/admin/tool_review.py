"""Admin page on which the tools that a source reports are reviewed and accepted (SECURITY 29)."""

from __future__ import annotations

from functools import partial
from typing import Any, cast
from uuid import UUID

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext

from admin_config.admin.base import PublishingAdmin, draft_lock_for, publish_after_save
from admin_config.admin.sites.mount import DeferredRedirect
from admin_config.extension_kinds import tool_kinds
from admin_config.models import ToolSource
from admin_config.services.tool_review import (
    ACCEPTED_KEY,
    SERVER_KEY,
    DiscoveredTools,
    ToolDiscovery,
    discovery_accept,
    discovery_hash,
    discovery_store,
    pending_changes,
    usable_tools,
)
from security.secrets.secret_text import SecretText
from security.secrets.services import secret_reveal
from tenants.admin import actor_of
from tenants.context import current_organization_id, tenant_tx
from tenants.errors import ParleyError

REVIEW = "admin_config_toolsource_review"
MAX_REFUSALS = 10  # sentences about tools that can't be taken


class ReviewedToolsAdmin(PublishingAdmin):
    """Base of the sources' admin class: adds the review page for kinds that discover their tools."""

    change_form_outer_before_template = "admin/tools/tool_source_review_link.html"

    def get_urls(self) -> list[URLPattern]:
        review = path("<uuid:object_id>/review/", self.admin_site.admin_view(self.review_view), name=REVIEW)
        return [review, *super().get_urls()]

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        source: ToolSource | None = kwargs.get("obj")
        if source is not None and is_reviewed(source):
            context["review_changes"] = len(pending_changes(source.pins))
            context["review_accepted"] = len(source.pins.get(ACCEPTED_KEY) or ())
            context["is_reviewed"] = True
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def response_add(self, request: HttpRequest, obj: ToolSource, post_url_continue: str | None = None) -> HttpResponse:
        """Continue on the review page: a new source has no tools until they are reviewed."""
        if discoverer(obj) is not None and "_continue" not in request.POST and "_addanother" not in request.POST:
            return redirect(_page(obj.pk))
        response: HttpResponse = super().response_add(request, obj, post_url_continue)
        return response

    def review_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        source = self.get_object(request, str(object_id))
        if source is None or not is_reviewed(source) or not self.has_change_permission(request, source):
            raise Http404
        if request.method == "POST":
            try:
                with transaction.atomic():
                    return self._handle_post(request, source)
            except ParleyError as error:
                messages.error(request, str(error))
            return redirect(_page(source.pk))
        return self._render_review(request, source)

    def _handle_post(self, request: HttpRequest, source: ToolSource) -> HttpResponse:
        if request.POST.get("action") == "discover" and discoverer(source) is not None:
            return DeferredRedirect(_page(source.pk), partial(_discover, request, source, _secret(source), current_organization_id()))
        draft_lock_for(request)
        is_all = request.POST.get("action") == "accept_all"
        names = [change.name for change in pending_changes(source.pins)] if is_all else request.POST.getlist("tool")
        count = discovery_accept(
            source_id=source.pk, expected_hash=request.POST.get("seen", ""), names=names, author_id=actor_of(request).user_id
        )
        if count:
            publish_after_save(request)
            messages.success(
                request,
                ngettext("%(number)s tool of %(name)s accepted.", "%(number)s tools of %(name)s accepted.", count)
                % {"number": count, "name": source.name},
            )
        else:
            messages.info(request, gettext("Nothing was chosen, so nothing has changed."))
        return redirect(_page(source.pk))

    def _render_review(self, request: HttpRequest, source: ToolSource) -> HttpResponse:
        is_first = not source.pins.get(ACCEPTED_KEY)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Tools of %(source)s") % {"source": source.name},
            "source": source,
            "can_be_asked": discoverer(source) is not None,
            "changes": pending_changes(source.pins),
            "seen": discovery_hash(source.pins),
            "in_use": usable_tools(source.pins),
            "is_first": is_first,
        }
        return TemplateResponse(request, "admin/tools/tool_source_review.html", context)


def is_reviewed(source: ToolSource) -> bool:
    """Return whether the source's tools come from a server, discovered here or seen by runs."""
    return discoverer(source) is not None or SERVER_KEY in source.pins


def discoverer(source: ToolSource) -> ToolDiscovery | None:
    """Return how the source's kind discovers its tools; None for kinds that know them."""
    kind = tool_kinds().get(source.kind)
    return cast(ToolDiscovery, kind) if hasattr(kind, "discover") else None


def _discover(request: HttpRequest, source: ToolSource, secret: SecretText | None, organization_id: UUID) -> None:
    """Ask the source for its tools and store them. Opens its own transaction. Errors are shown on the next page."""
    kind = discoverer(source)
    assert kind is not None
    try:
        discovery: DiscoveredTools = async_to_sync(kind.discover)(source.settings, secret)
        with tenant_tx(organization_id):
            discovery_store(source_id=source.pk, definitions=discovery.definitions)
    except ParleyError as error:
        messages.error(request, str(error))
        return
    for refusal in discovery.refusals[:MAX_REFUSALS]:
        messages.warning(request, refusal)
    if more := len(discovery.refusals[MAX_REFUSALS:]):
        messages.warning(
            request, ngettext("%(number)s more tool can't be taken.", "%(number)s more tools can't be taken.", more) % {"number": more}
        )


def _secret(source: ToolSource) -> SecretText | None:
    """Return the source's secret, or None if it has none. Raises SecretUnusable."""
    if not source.secret_address or source.secret is None:
        return None
    return secret_reveal(secret_id=source.secret.pk, url=source.secret_address)


def _page(source_id: UUID) -> str:
    return reverse(f"admin:{REVIEW}", args=[source_id])
