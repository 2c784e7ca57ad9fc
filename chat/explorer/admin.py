"""Admin pages of the run explorer: the list, one run, and the policy on reading members' texts."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext, pgettext

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from admin_config.admin.request_organization import organization_of
from chat.conversations.admin_reading import POLICIES, may_read_run, reading_policy, reading_policy_set
from chat.conversations.shapes import ReadingPolicy
from chat.explorer.exports import export_stream, require_exportable
from chat.explorer.filters import RunFilters
from chat.explorer.list_page import choices_of, counts_of_views, lines_of, list_page_context
from chat.explorer.run_page import run_page_context
from chat.explorer.saved_views import view_change, view_delete, view_save
from chat.models import Run
from security.audit import audit
from security.line_files import FORMATS, as_attachment
from tenants.access import Actor
from tenants.admin import actor_of
from tenants.errors import BadRequest, NotFound
from tenants.postgres.replica import read_from_replica

LIST_PAGE = "admin:chat_run_changelist"


class RunAdmin(ReadOnly, TenantModelAdmin):
    """Runs of the organization. Auditors see them, too."""

    auditors_may_view = True
    auditor_views = ("changelist", "change", "counts", "rows")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.list_view), name="chat_run_changelist"),
            path("counts/", view(self.counts_view), name="chat_run_counts"),
            path("rows/", view(self.rows_view), name="chat_run_rows"),
            path("policy/", view(self.policy_view), name="chat_run_policy"),
            path("export/", view(self.export_view), name="chat_run_export"),
            path("views/", view(self.view_save_view), name="chat_run_view_save"),
            path("views/<uuid:object_id>/", view(self.view_change_view), name="chat_run_view_change"),
            path("<uuid:object_id>/", view(self.run_view), name="chat_run_change"),
        ]

    def list_view(self, request: HttpRequest) -> HttpResponse:
        search_note(request, RunFilters.from_query(request.GET))
        actor = actor_of(request)
        choices = choices_of(actor)
        page_context = read_from_replica(actor.organization_id, partial(list_page_context, request, choices))
        context = {**self._context(request), **page_context, "title": gettext("Runs")}
        return TemplateResponse(request, "admin/runs/runs.html", context)

    def counts_view(self, request: HttpRequest) -> HttpResponse:
        """Return how many runs each view of the list has, by its link. The page's script asks for it (runs.js)."""
        actor, filters = actor_of(request), RunFilters.from_query(request.GET)
        choices = choices_of(actor)
        return JsonResponse(read_from_replica(actor.organization_id, partial(counts_of_views, filters, choices)))

    def rows_view(self, request: HttpRequest) -> HttpResponse:
        """Return the rows of runs that went on when the page asked last. Unknown and foreign ids have none."""
        try:
            run_ids = [UUID(run_id) for run_id in request.GET.getlist("run")]
        except ValueError as error:
            raise Http404 from error
        lines = read_from_replica(actor_of(request).organization_id, partial(lines_of, run_ids))
        return TemplateResponse(request, "admin/runs/runs_rows.html", {"lines": lines})

    def run_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Show a run. Texts are shown when they are asked for and may be read; each reading is an audit event, written first."""
        run = Run.objects.select_related("conversation__owner__user", "replay_of__conversation").filter(pk=object_id).first()
        if run is None:
            raise Http404
        policy, wants_texts = self._policy(request), request.GET.get("texts") == "1"
        if wants_texts and may_read_run(policy, run):
            actor = actor_of(request)
            audit(
                organization_id=actor.organization_id,
                actor_user_id=actor.user_id,
                action="run.read",
                object_kind="run",
                object_id=run.pk,
                detail={"conversation": str(run.conversation_id), "call": request.GET.get("call", "")[:40]},
            )
        page = run_page_context(run, policy=policy, open_call_id=request.GET.get("call", ""), wants_texts=wants_texts)
        return TemplateResponse(request, "admin/runs/run.html", {**self._context(request), **page, "title": pgettext("noun", "Run")})

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        """Stream the runs of the filters as a file. By POST, because the export is an event of the audit log."""
        actor, form = _administrator(request), request.POST.get("format", "")
        if form not in FORMATS:
            raise Http404
        filters = RunFilters.from_query(request.POST)
        search_note(request, filters)
        try:
            require_exportable(filters)
        except BadRequest as error:
            messages.error(request, error.message)
            return _to_list(filters)
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="run.export",
            object_kind="run",
            object_id="",
            detail={"format": form, "filters": filters.query()},
        )
        name = f"runs-{timezone.now():%Y-%m-%d}.{form}"
        return as_attachment(StreamingHttpResponse(export_stream(actor.organization_id, filters, form)), FORMATS[form], name)

    def view_save_view(self, request: HttpRequest) -> HttpResponse:
        """Keep the filters of the form under a name, and go back to the list."""
        actor, filters = _administrator(request), RunFilters.from_query(request.POST)
        try:
            view_save(actor=actor, name=request.POST.get("name", ""), filters=filters, is_shared="shared" in request.POST)
        except BadRequest as error:
            messages.error(request, error.message)
        else:
            messages.success(request, gettext("The view is saved."))
        return _to_list(filters)

    def view_change_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Give a view another name, share it, or delete it."""
        actor = _administrator(request)
        try:
            if "delete" in request.POST:
                view = view_delete(actor=actor, view_id=object_id)
                messages.success(request, gettext("The view %(name)s is deleted.") % {"name": view.name})
                return redirect(LIST_PAGE)
            view = view_change(actor=actor, view_id=object_id, name=request.POST.get("name", ""), is_shared="shared" in request.POST)
            messages.success(request, gettext("The view is saved."))
        except NotFound as error:
            raise Http404 from error
        except BadRequest as error:
            messages.error(request, error.message)
            return _to_list(RunFilters.from_query(request.POST))
        return redirect(f"{reverse(LIST_PAGE)}?{view.query}")

    def policy_view(self, request: HttpRequest) -> HttpResponse:
        if not actor_of(request).can_administer:
            raise Http404
        if request.method == "POST":
            try:
                reading_policy_set(actor=actor_of(request), policy=request.POST.get("policy", ""))
            except BadRequest as error:
                messages.error(request, str(error))
            else:
                messages.success(request, gettext("Saved. Members see the rule in their settings."))
            return redirect("admin:chat_run_policy")
        context = {**self._context(request), "title": gettext("Who may read chats"), "policies": POLICIES.items()}
        return TemplateResponse(request, "admin/runs/runs_policy.html", context)

    def _context(self, request: HttpRequest) -> dict[str, object]:
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "policy": self._policy(request),
            "can_change_policy": actor_of(request).can_administer,
        }

    def _policy(self, request: HttpRequest) -> ReadingPolicy:
        return reading_policy(organization_of(request))


def _administrator(request: HttpRequest) -> Actor:
    """Return who posts. Auditors only read."""
    actor = actor_of(request)
    if request.method != "POST" or not actor.can_administer:
        raise Http404
    return actor


def _to_list(filters: RunFilters) -> HttpResponse:
    return redirect(f"{reverse(LIST_PAGE)}?{filters.query()}")


def search_note(request: HttpRequest, filters: RunFilters) -> None:
    """Write into the audit log that the filters search members' texts, before it is done."""
    actor = actor_of(request)
    if filters.text:
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="run.search",
            object_kind="run",
            object_id="",
            detail={"text": filters.text},
        )
