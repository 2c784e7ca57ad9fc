"""Pages of the platform's defaults on the operator's site: the draft by kind, what it changes, publishing, and earlier releases."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext

from admin_config.defaults.platform import KINDS
from admin_config.forms.platform import platform_fieldsets, platform_form
from admin_config.models import PlatformDraft, PlatformRelease
from admin_config.services.platform.releases import (
    content_changes,
    draft_content,
    live_content,
    platform_publish,
    platform_restore,
    review_hash,
)
from admin_config.services.platform.rollout import rollout_of
from tenants.admin import AuditedAdmin
from tenants.errors import ParleyError

LIST_PAGE = "admin:admin_config_platformdraft_changelist"
SHOWN_RELEASES = 50


class PlatformDraftAdmin(AuditedAdmin):
    """The defaults of each kind of agents, as the operator edits them. Nobody gets them before they are published."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.publish_view)
        return [path("publish/", view, name="admin_config_platformdraft_publish"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the kinds with how much is set, what is not published yet, and the releases."""
        draft, live = draft_content(), live_content()
        releases = list(PlatformRelease.objects.select_related("author").defer("content")[:SHOWN_RELEASES])
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Platform defaults"),
            "kinds": [(kind, gettext(of.label), len(draft.get(kind, {}))) for kind, of in KINDS.items()],
            "groups": content_changes(live, draft),
            "releases": releases,
            "rollout": rollout_of(releases[0].number) if releases else None,
        }
        return TemplateResponse(request, "admin/releases/platform_defaults.html", context)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a kind's form."""
        if object_id not in KINDS:
            raise Http404
        own = {"title": gettext("Platform defaults: %(kind)s") % {"kind": gettext(KINDS[object_id].label)}, **(extra_context or {})}
        response: HttpResponse = super().changeform_view(request, object_id, form_url, own)
        return response

    def find_object(self, request: HttpRequest, object_id: str, from_field: str | None) -> Model:
        """Return the kind's row. A kind that nothing was set for has none before its form is saved."""
        return super().find_object(request, object_id, from_field) or PlatformDraft(kind=object_id)

    def get_form(self, request: HttpRequest, obj: PlatformDraft | None = None, change: bool = False, **kwargs: Any) -> Any:
        assert obj is not None
        return platform_form(obj.kind)

    def get_fieldsets(self, request: HttpRequest, obj: PlatformDraft | None = None) -> Any:
        assert obj is not None
        return platform_fieldsets(obj.kind)

    def response_change(self, request: HttpRequest, obj: PlatformDraft) -> HttpResponse:
        messages.success(request, gettext("Saved to the draft. Organizations get it when you publish it."))
        return redirect(request.path if "_continue" in request.POST else reverse(LIST_PAGE))

    def publish_view(self, request: HttpRequest) -> HttpResponse:
        """Show what publishing would change for organizations; a POST publishes."""
        if request.method == "POST" and (release := self._publish(request)):
            _tell(request, release)
            return redirect(LIST_PAGE)
        draft, live = draft_content(), live_content()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Publish platform defaults"),
            "groups": content_changes(live, draft),
            "seen": review_hash(live, draft),
            "note": request.POST.get("note", ""),
        }
        return TemplateResponse(request, "admin/releases/platform_publish.html", context)

    def _publish(self, request: HttpRequest) -> PlatformRelease | None:
        """Publish; None, and a message that says why, when it is refused."""
        assert request.user.pk is not None
        try:
            return platform_publish(
                operator_id=request.user.pk, note=request.POST.get("note", "")[:200], expected_hash=request.POST.get("seen", "")
            )
        except ParleyError as error:
            messages.error(request, gettext("Not published. %(error)s") % {"error": error})
            return None


class PlatformReleaseAdmin(AuditedAdmin):
    """Read-only pages: releases of the platform come from publishing the draft, or from going back to an earlier one."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.restore_view)
        return [path("<int:number>/restore/", view, name="admin_config_platformrelease_restore"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return redirect(LIST_PAGE)

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the release and what it changed."""
        release = self.get_object(request, object_id or "")
        if release is None or request.method != "GET":
            raise Http404
        before = PlatformRelease.objects.filter(number__lt=release.number).first()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(release),
            "release": release,
            "before": before,
            "is_live": not PlatformRelease.objects.filter(number__gt=release.number).exists(),
            "groups": content_changes(before.content if before else {}, release.content),
        }
        return TemplateResponse(request, "admin/releases/platform_release.html", context)

    def restore_view(self, request: HttpRequest, number: int) -> HttpResponse:
        if request.method != "POST" or request.user.pk is None or not PlatformRelease.objects.filter(number=number).exists():
            raise Http404
        try:
            _tell(request, platform_restore(number=number, operator_id=request.user.pk))
        except ParleyError as error:
            messages.error(request, gettext("Not restored. %(error)s") % {"error": error})
        return redirect(LIST_PAGE)


def _tell(request: HttpRequest, release: PlatformRelease) -> None:
    count = rollout_of(release.number).all
    words = ngettext(
        "%(release)s is published. %(count)d organization gets it in a moment.",
        "%(release)s is published. %(count)d organizations get it in a moment.",
        count,
    )
    messages.success(request, words % {"release": release, "count": count})
