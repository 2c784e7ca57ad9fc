"""The pages of operations: an organization's own, and the operator's of all organizations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.base import ReadOnly
from admin_config.admin.breakers import REDIS_UNAVAILABLE
from admin_config.admin.sites.mount import DeferredResponse
from admin_config.services.breakers import breaker_reset
from chat.explorer.admin import RunAdmin
from chat.models import Approval, Part, Run
from chat.operations.endpoints import endpoint_states
from chat.operations.lanes import lanes_with_workers, own_jobs
from chat.operations.open_breakers import endpoint_of_any, open_breakers
from chat.operations.open_runs import runs_to_look_at
from chat.operations.run_errors import error_classes
from chat.operations.tool_sources import source_states
from chat.runs.commands import end_run, move_run
from security.audit import audit, platform_audit
from tenants.admin import AuditedAdmin, actor_of
from tenants.redis.clients import REDIS_ERRORS

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ENDS = gettext_lazy("It ends within seconds; what was written is kept.")
MOVES = gettext_lazy("The next free worker takes it over.")
ALREADY_ENDED = gettext_lazy("It has ended already.")
WAITS = gettext_lazy("No process has to work on this run: it waits. End it instead.")


class OperationsAdmin(RunAdmin):
    """The run explorer, with the board of the organization's operations."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("operations/", view(self.board_view), name="chat_run_operations"),
            path("<uuid:object_id>/end/", view(self.end_view), name="chat_run_end"),
            path("<uuid:object_id>/take-over/", view(self.take_over_view), name="chat_run_take_over"),
            *super().get_urls(),
        ]

    def board_view(self, request: HttpRequest) -> HttpResponse:
        organization_id = actor_of(request).organization_id
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Operations"),
            "now": timezone.now(),
            "endpoints": endpoint_states(organization_id),
            "runs": runs_to_look_at(Run.objects.all(), Approval.objects.all()),
            "errors": error_classes(Run.objects.filter(conversation__is_trial=False), Part.objects.all()),
            "sources": source_states(organization_id),
            "own_jobs": own_jobs(organization_id),
        }
        return _response(request, context)

    def end_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        run, actor = _own_run(request, object_id), actor_of(request)
        work = partial(async_to_sync(end_run), organization_id=actor.organization_id, run_id=run.pk, actor_user_id=actor.user_id)
        return DeferredResponse(partial(_answer, request, work, done=ENDS, refusal=ALREADY_ENDED, to=reverse("admin:chat_run_operations")))

    def take_over_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        run, actor = _own_run(request, object_id), actor_of(request)
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="run.take_over",
            object_kind="run",
            object_id=run.pk,
        )
        work = partial(async_to_sync(move_run), run.pk)
        return DeferredResponse(partial(_answer, request, work, done=MOVES, refusal=WAITS, to=reverse("admin:chat_run_operations")))


class PlatformOperationsAdmin(ReadOnly, AuditedAdmin):
    """The board of all organizations: figures and states, no texts of anybody."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.board_view), name="chat_run_changelist"),
            path("<uuid:object_id>/end/", view(self.end_view), name="chat_run_end"),
            path("<uuid:object_id>/take-over/", view(self.take_over_view), name="chat_run_take_over"),
            path("endpoint/<uuid:object_id>/reset-breaker/", view(self.reset_view), name="chat_run_reset_breaker"),
        ]

    def board_view(self, request: HttpRequest) -> HttpResponse:
        runs = Run.unscoped.using("system")
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Operations"),
            "now": timezone.now(),
            "is_platform": True,
            "breakers": open_breakers(),
            "runs": runs_to_look_at(runs.all(), Approval.unscoped.using("system")),
            "errors": error_classes(runs.filter(conversation__is_trial=False), None),
            "lanes": lanes_with_workers(),
        }
        return _response(request, context)

    def reset_view(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        endpoint, action = endpoint_of_any(object_id), "providerendpoint.operator.reset_breaker"
        if endpoint is None or request.method != "POST":
            raise Http404
        place: dict[str, Any] = {"organization_id": endpoint.organization_id, "actor_user_id": request.user.pk, "action": action}
        try:
            breaker_reset(endpoint_id=endpoint.pk, **place)
        except REDIS_ERRORS:
            messages.error(request, REDIS_UNAVAILABLE)
        else:
            platform_audit(object_kind="providerendpoint", object_id=endpoint.pk, **place)
            messages.success(request, gettext("%(endpoint)s is in use again: the next call goes there.") % {"endpoint": endpoint})
        return redirect("admin:chat_run_changelist")

    def end_view(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        run, action = _any_run(request, object_id), "run.operator.end"
        _platform_note(request, run, action)
        work = partial(
            async_to_sync(end_run), organization_id=run.organization_id, run_id=run.pk, actor_user_id=request.user.pk, action=action
        )
        return _answer(request, work, done=ENDS, refusal=ALREADY_ENDED, to=reverse("admin:chat_run_changelist"))

    def take_over_view(self, request: HttpRequest, object_id: UUID) -> HttpResponseBase:
        run, action = _any_run(request, object_id), "run.operator.take_over"
        _platform_note(request, run, action)
        audit(organization_id=run.organization_id, **_note(request, run, action))
        work = partial(async_to_sync(move_run), run.pk)
        return _answer(request, work, done=MOVES, refusal=WAITS, to=reverse("admin:chat_run_changelist"))


def _response(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Return the page, or of a page that is open the part that changes (live-page.js)."""
    template = "admin/runs/operations_board.html" if "part" in request.GET else "admin/runs/operations.html"
    return TemplateResponse(request, template, context)


def _own_run(request: HttpRequest, run_id: UUID) -> Run:
    run = Run.objects.filter(pk=run_id).first()
    if run is None or request.method != "POST" or not actor_of(request).can_administer:
        raise Http404
    return run


def _any_run(request: HttpRequest, run_id: UUID) -> Run:
    run = Run.unscoped.using("system").filter(pk=run_id).first()
    if run is None or request.method != "POST":
        raise Http404
    return run


def _platform_note(request: HttpRequest, run: Run, action: str) -> None:
    platform_audit(organization_id=run.organization_id, **_note(request, run, action))


def _note(request: HttpRequest, run: Run, action: str) -> dict[str, Any]:
    return {"actor_user_id": request.user.pk, "action": action, "object_kind": "run", "object_id": run.pk}


def _answer(request: HttpRequest, work: Any, *, done: StrOrPromise, refusal: StrOrPromise, to: str) -> HttpResponseBase:
    """Do the work outside any transaction, and go back to the board."""
    if work():
        messages.success(request, done)
    else:
        messages.warning(request, refusal)
    return redirect(to)
