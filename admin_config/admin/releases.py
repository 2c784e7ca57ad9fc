"""Admin pages of releases: who published what and when, what changed, comparing and restoring."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Exists, Model, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy, gettext_noop as _

from admin_config.admin.base import badge
from admin_config.admin.draft_pages import DraftPages, release_snapshot
from admin_config.admin.publish_changes import waiting_changes
from admin_config.admin.publish_page import LIST_PAGE
from admin_config.models import AppSettings, Canary, Release, ScheduledRelease
from admin_config.release import ReleaseSnapshot
from admin_config.services.canary.lifecycle import open_canary
from admin_config.services.changes.change_groups import change_groups
from admin_config.services.changes.diff import release_diff
from admin_config.services.discarding.discard import unpublished_draft
from admin_config.services.discarding.loading import release_roll_back
from admin_config.services.drafts.draft import draft_compose, draft_load
from admin_config.services.scheduling import open_schedule
from admin_config.services.selectors import draft_state
from tenants.admin import actor_of
from tenants.errors import ParleyError

STATE_BADGES = {
    "live": "success",
    "canary": "info",
    "scheduled": "info",
    "cancelled": "warning",
    "not published": "danger",
    "taken back": "danger",
    "taken back by itself": "danger",
}
SCHEDULE_STATES = {
    "": _("scheduled"),
    ScheduledRelease.Outcome.CANCELLED: _("cancelled"),
    ScheduledRelease.Outcome.REFUSED: gettext_lazy("not published"),
}
MAX_COMPARED = 200  # newest releases that can be chosen


class ReleaseAdmin(DraftPages):
    """Read-only pages: releases are only created by publishing or restoring."""

    list_display = ("title", "state", "canary", "note", "person", "created_at", "short_hash")
    list_display_links = ("title",)
    list_select_related = ("author",)
    ordering = ("-number",)
    sortable_by = ()
    list_per_page = 50
    list_before_template = "admin/releases/releases_draft.html"
    change_form_template = "admin/releases/release.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        releases: QuerySet[Release] = super().get_queryset(request)
        live = AppSettings.objects.filter(live_release=OuterRef("pk"))
        canary = Canary.objects.filter(release=OuterRef("pk"))
        schedule = ScheduledRelease.objects.filter(release=OuterRef("pk"))
        return (
            releases.filter(is_trial=False)
            .defer("content")
            .annotate(
                is_live=Exists(live),
                canary_id=Subquery(canary.values("pk")[:1]),
                canary_outcome=Subquery(canary.values("outcome")[:1]),
                schedule_state=Subquery(schedule.values("outcome")[:1]),
                canary_by_itself=Subquery(canary.values("by_itself")[:1]),
            )
        )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("publish/", view(self.publish_view), name="admin_config_release_publish"),
            path("scheduled/<uuid:object_id>/publish/", view(self.schedule_publish_view), name="admin_config_release_schedule_publish"),
            path("scheduled/<uuid:object_id>/cancel/", view(self.schedule_cancel_view), name="admin_config_release_schedule_cancel"),
            path("discard/", view(self.discard_view), name="admin_config_release_discard"),
            path("compare/", view(self.compare_view), name="admin_config_release_compare"),
            path("<uuid:object_id>/load/", view(self.load_view), name="admin_config_release_load"),
            path("<uuid:object_id>/restore/", view(self.restore_view), name="admin_config_release_restore"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        draft = draft_load()
        own = {
            "draft": draft_state(draft),
            "canary": open_canary(),
            "schedule": open_schedule(),
            "numbers": _numbers(),
            **waiting_changes(unpublished_draft(draft)),
            **(extra_context or {}),
        }
        response: HttpResponse = super().changelist_view(request, own)
        return response

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the release and its differences from the previous one."""
        release = self.get_object(request, object_id or "")
        if release is None or request.method != "GET":
            raise Http404
        before = Release.objects.filter(number__lt=release.number, is_trial=False).order_by("-number").first()
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(release),
            "original": release,
            "object": release,
            "subtitle": None,
            "release": release,
            "before": before,
            "is_in_draft": draft_compose(draft_load()).content_hash() == release.content_hash,
            "live_id": AppSettings.objects.values_list("live_release_id", flat=True).get(),
            "groups": change_groups(release_diff(release_snapshot(before) if before else None, release_snapshot(release))),
        }
        return TemplateResponse(request, self.change_form_template, context)

    def compare_view(self, request: HttpRequest) -> HttpResponse:
        """Show what differs between two releases, or a release and the draft."""
        before, after = (self._snapshot_by_name(request.GET.get(name, "")) for name in ("from", "to"))
        groups = change_groups(release_diff(before, after)) if before and after else []
        context = {
            "opts": self.opts,
            "title": gettext("Compare releases"),
            "numbers": [str(number) for number in _numbers()],
            "first": request.GET.get("from", ""),
            "second": request.GET.get("to", ""),
            "is_compared": before is not None and after is not None,
            "groups": groups,
        }
        return TemplateResponse(request, "admin/releases/release_compare.html", {**self.admin_site.each_context(request), **context})

    def _snapshot_by_name(self, name: str) -> ReleaseSnapshot | None:
        """Return the draft, or the release with this number; None when there is no such one."""
        if name == "draft":
            return draft_compose(draft_load())
        release = Release.objects.filter(number=int(name), is_trial=False).first() if name.isdecimal() and len(name) < 9 else None
        return release_snapshot(release) if release else None

    def restore_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        old = Release.objects.filter(id=object_id, is_trial=False).first()
        if old is None or request.method != "POST":
            raise Http404
        actor, live_id = actor_of(request), request.POST.get("live", "")
        try:
            release = release_roll_back(
                organization_id=actor.organization_id, release_id=old.id, expected_live_id=live_id, author_id=actor.user_id
            )
        except ParleyError as error:
            messages.error(request, gettext("Not restored. %(error)s") % {"error": error})
            return redirect(reverse(LIST_PAGE))
        messages.success(
            request,
            gettext("The content of release %(number)s is live again, as release %(new_number)s. Going back is not held up by checks.")
            % {"number": old.number, "new_number": release.number},
        )
        if unpublished_draft() is not None:
            messages.info(
                request,
                gettext("The draft keeps its unpublished changes. Discard or publish them below; until then, saves stay in the draft."),
            )
        return redirect(reverse(LIST_PAGE))

    @display(description=gettext_lazy("release"))
    def title(self, release: Release) -> str:
        return str(release)

    @badge(gettext_lazy("state"), STATE_BADGES)
    def state(self, release: Any) -> str:
        if release.is_live:
            return _("live")
        if release.schedule_state in SCHEDULE_STATES:
            return str(SCHEDULE_STATES[release.schedule_state])
        match release.canary_outcome:
            case "":
                return _("canary")
            case Canary.Outcome.TAKEN_BACK:
                return _("taken back by itself") if release.canary_by_itself else _("taken back")
        return ""

    @display(description=gettext_lazy("canary"))
    def canary(self, release: Any) -> str:
        if release.canary_id is None:
            return ""
        return format_html(
            '<a class="parley-link" href="{}">{}</a>',
            reverse("admin:admin_config_canary_change", args=[release.canary_id]),
            gettext("How it did"),
        )

    @display(description=gettext_lazy("published by"))
    def person(self, release: Release) -> str:
        return str(release.author) if release.author else "Parley"

    @display(description=gettext_lazy("fingerprint"))
    def short_hash(self, release: Release) -> str:
        return release.content_hash[:10]


def _numbers() -> list[int]:
    """Return the numbers of the releases that can be compared, the newest first."""
    return list(Release.objects.filter(is_trial=False).order_by("-number").values_list("number", flat=True)[:MAX_COMPARED])
