"""Admin pages of replays: what to change, how far it is, and a replayed run beside its original (design 48)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from admin_config.errors import ReleaseInvalid, RunConfigError
from chat.conversations.admin_reading import may_read_run, reading_policy
from chat.explorer.admin import search_note
from chat.explorer.filters import RunFilters, runs_matching
from chat.explorer.run_page import REFUSALS
from chat.models import Run
from evaluations.admin.replay_forms import ReplayForm
from evaluations.models import Replay, ReplayedRun
from evaluations.replays.changes import own_prompt, recorded_tools, release_snapshot
from evaluations.replays.check import RunCheck, run_check
from evaluations.replays.comparison import compare_runs
from evaluations.replays.starting import ENDED_STATUSES, MAX_RUNS, replay_start, replay_stop
from evaluations.replays.summary import summary_of
from evaluations.replays.unrecorded_calls import call_settle
from security.audit import audit
from tenants.admin import actor_of
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.models import Organization

PAGE = "admin:evaluations_replay_change"
COMPARE = "admin:evaluations_replay_compare"
RUNS = "admin:chat_run_changelist"
MAX_EARLIER = 10


class ReplayAdmin(ReadOnly, TenantModelAdmin):
    """Replays: owners and admins make them, auditors read them."""

    empty_hint = gettext_lazy("A replay begins on the page of a run, or for several runs in the list of runs.")
    auditors_may_view = True
    auditor_views = ("changelist", "change", "compare")
    list_display = ("__str__", "status", "asked_by", "created_at")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("of-run/<uuid:run_id>/", view(self.one_view), name="evaluations_replay_one"),
            path("of-runs/", view(self.many_view), name="evaluations_replay_many"),
            path("<uuid:object_id>/stop/", view(self.stop_view), name="evaluations_replay_stop"),
            path("<uuid:object_id>/runs/<int:position>/", view(self.compare_view), name="evaluations_replay_compare"),
            path("<uuid:object_id>/runs/<int:position>/settle/", view(self.settle_view), name="evaluations_replay_settle"),
            *super().get_urls(),
        ]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return actor_of(request).can_administer

    def one_view(self, request: HttpRequest, run_id: UUID) -> HttpResponse:
        """Show what can be changed and whether unchanged requests are the same, or begin the replay."""
        run = get_object_or_404(_runs(), pk=run_id, replay_of=None)
        readable = may_read_run(self._policy(request), run)
        prompt = _recorded_prompt(run) if readable else None
        form = ReplayForm(request.POST or None, recorded_prompt=prompt, recorded_tools=recorded_tools(run) if readable else ())
        if request.method == "POST" and form.is_valid() and (replay := self._begin_replay(request, form, [run])):
            return redirect(COMPARE, replay.pk, 1)
        check = _check_run(request, run) if request.GET.get("check") == "1" else None
        context = {
            "title": gettext("Replay"),
            "run": run,
            "form": form,
            "readable": readable,
            "refusal": REFUSALS.get(self._policy(request), ""),
            "has_ended": run.status in ENDED_STATUSES,
            "check": check,
            "earlier": ReplayedRun.objects.filter(original=run).select_related("replay").order_by("-replay__created_at")[:MAX_EARLIER],
        }
        return self._page(request, "admin/evaluations/replay_begin.html", context)

    def many_view(self, request: HttpRequest) -> HttpResponse:
        """Ask what to change for the runs that the address's filters choose, newest first, or begin the replay."""
        filters = RunFilters.from_query(request.GET)
        search_note(request, filters)
        runs = _ended_runs(filters)
        form = ReplayForm(request.POST or None, is_for_many=True)
        if request.method == "POST" and form.is_valid():
            originals = list(runs.order_by("-created_at")[: form.cleaned_data["count"]])
            if not originals:
                messages.error(request, gettext("No run that has ended matches these filters."))
            elif replay := self._begin_replay(request, form, originals):
                return redirect(PAGE, replay.pk)
        context = {
            "title": gettext("Replay runs"),
            "form": form,
            "found": runs[:MAX_RUNS].count(),
            "most": MAX_RUNS,
            "runs_href": f"{reverse(RUNS)}?{filters.query()}",
        }
        return self._page(request, "admin/evaluations/replay_begin.html", context)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        replay = self.get_object(request, object_id)
        if request.method != "GET" or replay is None:
            raise Http404
        if replay.runs.count() == 1:
            return redirect(COMPARE, replay.pk, 1)
        template = "admin/evaluations/replay_body.html" if "part" in request.GET else "admin/evaluations/replay.html"
        context = {
            "title": gettext("Replay"),
            "replay": replay,
            "summary": summary_of(replay),
            "can_change": actor_of(request).can_administer,
        }
        return self._page(request, template, context)

    def stop_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        replay = self.get_object(request, str(object_id))
        if replay is None or request.method != "POST":
            raise Http404
        if replay_stop(actor=actor_of(request), replay=replay):
            messages.success(request, gettext("Stopped. What was replayed before is kept."))
        return redirect(PAGE, replay.pk)

    def compare_view(self, request: HttpRequest, object_id: UUID, position: int) -> HttpResponse:
        """Show a replayed run beside its original. Texts are shown when they are asked for; each reading is an event, written first."""
        row = _row(object_id, position)
        readable = may_read_run(self._policy(request), row.original)
        shows_texts = readable and request.GET.get("texts") == "1"
        if shows_texts:
            self._note_reading(request, row)
        context = {
            "title": gettext("Replay"),
            "replay": row.replay,
            "row": row,
            "is_alone": row.replay.runs.count() == 1,
            "readable": readable,
            "shows_texts": shows_texts,
            "refusal": REFUSALS.get(self._policy(request), gettext("This conversation was deleted. You see structure and figures.")),
            "can_change": actor_of(request).can_administer,
            "compared": compare_runs(row.original, row.run, with_texts=shows_texts),
        }
        return self._page(
            request,
            "admin/evaluations/replay_compare_body.html" if "part" in request.GET else "admin/evaluations/replay_compare.html",
            context,
        )

    def settle_view(self, request: HttpRequest, object_id: UUID, position: int) -> HttpResponse:
        """Enter the result of the call at which the replay stopped, or let it run; then the replay goes on."""
        if request.method != "POST":
            raise Http404
        row, is_live = _row(object_id, position), request.POST.get("how") == "live"
        try:
            call_settle(
                actor=actor_of(request),
                row=row,
                call_id=request.POST.get("call", ""),
                result=None if is_live else request.POST.get("result", ""),
            )
        except NotFound as error:
            raise Http404 from error
        except (BadRequest, NotAllowed) as error:
            messages.error(request, str(error))
            return redirect(f"{reverse(COMPARE, args=(row.replay_id, position))}?texts=1")
        return redirect(COMPARE, row.replay_id, position)

    def _begin_replay(self, request: HttpRequest, form: ReplayForm, runs: list[Run]) -> Replay | None:
        """Begin the replay, or say why not."""
        try:
            return replay_start(actor=actor_of(request), originals=runs, replay_request=form.replay_request)
        except (BadRequest, NotAllowed, ReleaseInvalid, RunConfigError) as error:
            form.add_error(None, str(error))
            return None

    def _note_reading(self, request: HttpRequest, row: ReplayedRun) -> None:
        actor = actor_of(request)
        audit(
            organization_id=actor.organization_id,
            actor_user_id=actor.user_id,
            action="run.read",
            object_kind="run",
            object_id=row.original_id,
            detail={"conversation": str(row.original.conversation_id), "replay": str(row.replay_id)},
        )

    def _policy(self, request: HttpRequest) -> Any:
        return reading_policy(Organization.objects.get(pk=actor_of(request).organization_id))

    def _page(self, request: HttpRequest, template: str, context: dict[str, Any]) -> TemplateResponse:
        return TemplateResponse(request, template, {**self.admin_site.each_context(request), "opts": self.opts, **context})


def _row(replay_id: UUID, position: int) -> ReplayedRun:
    relations = ("replay", "original__conversation__owner__user", "run__replay_of__conversation")
    return get_object_or_404(ReplayedRun.objects.select_related(*relations), replay=replay_id, position=position)


def _runs() -> QuerySet[Run]:
    return Run.objects.select_related("conversation__owner__user")


def _ended_runs(filters: RunFilters) -> QuerySet[Run]:
    """Return the members' runs that the filters ask for and that have ended."""
    return runs_matching(filters).filter(status__in=ENDED_STATUSES, conversation__is_trial=False, conversation__deleted_at=None)


def _recorded_prompt(run: Run) -> str | None:
    try:
        return own_prompt(release_snapshot(run.release_id), run)
    except RunConfigError:
        return None


def _check_run(request: HttpRequest, run: Run) -> RunCheck:
    return async_to_sync(run_check)(run.pk, organization_id=actor_of(request).organization_id)
