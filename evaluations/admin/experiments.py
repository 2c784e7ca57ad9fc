"""Admin page of an experiment: how far it is, what each case answered, and how it does beside another one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext

from admin_config.admin.base import ReadOnly, TenantModelAdmin
from evaluations.models import Case, CaseResult, Experiment
from evaluations.services.calibration import judgement_label
from evaluations.services.experiments import experiment_stop
from evaluations.services.matrix import Cell, change_of, columns_of, compare_columns
from tenants.admin import actor_of
from tenants.errors import NotFound

PAGE = "admin:evaluations_experiment_change"
MAX_OTHERS = 20
ANSWERS = {"right": True, "wrong": False, "": None}


@dataclass(frozen=True, slots=True)
class Line:
    """A case of the experiment."""

    case: Case
    cell: Cell
    change: str
    results: list[CaseResult]
    before: list[CaseResult]  # of the experiment that it is compared with


class ExperimentAdmin(ReadOnly, TenantModelAdmin):
    """Experiments, which are listed on the page of their data set."""

    auditors_may_view = True

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:object_id>/stop/", view(self.stop_view), name="evaluations_experiment_stop"),
            path("<uuid:object_id>/judgement/<uuid:grade_id>/", view(self.judgement_view), name="evaluations_experiment_judgement"),
            *super().get_urls(),
        ]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return actor_of(request).can_administer

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect("admin:evaluations_dataset_changelist")

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if request.method != "GET":
            raise Http404
        experiment = self.get_object(request, object_id)
        if experiment is None:
            return redirect("admin:evaluations_dataset_changelist")
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(experiment.data_set),
            "can_change": actor_of(request).can_administer,
            **_experiment_context(experiment, request.GET.get("with", "")),
        }
        template = (
            "admin/evaluations/experiment_body.html" if "part" in request.GET else "admin/evaluations/experiment.html"
        )  # the part that its script renews
        return TemplateResponse(request, template, context)

    def stop_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        experiment = self.get_object(request, str(object_id))
        if experiment is None or request.method != "POST" or not actor_of(request).can_administer:
            raise Http404
        if experiment_stop(actor=actor_of(request), experiment=experiment):
            messages.success(request, gettext("Stopped. What was answered before is kept."))
        return redirect(PAGE, experiment.pk)

    def judgement_view(self, request: HttpRequest, object_id: UUID, grade_id: UUID) -> HttpResponse:
        """Store whether a model judged right; the answer that is chosen already is taken back."""
        experiment = self.get_object(request, str(object_id))
        answer = request.POST.get("judgement")
        if experiment is None or answer not in ANSWERS or not actor_of(request).can_administer:
            raise Http404
        try:
            judgement_label(experiment=experiment, grade_id=grade_id, is_right=ANSWERS[answer])
        except NotFound as error:
            raise Http404 from error
        return redirect(f"{reverse(PAGE, args=[experiment.pk])}#grade-{grade_id}")


def _experiment_context(experiment: Experiment, other: str) -> dict[str, Any]:
    """Return the template's context. Seven queries, however many cases there are."""
    others = list(
        Experiment.objects.filter(data_set=experiment.data_set_id)
        .exclude(pk=experiment.pk)
        .exclude(status=Experiment.Status.RUNNING)
        .select_related("release")
        .defer("release__content")[:MAX_OTHERS]
    )
    baseline = next((each for each in others if str(each.pk) == other), None)
    columns = columns_of([experiment, *([baseline] if baseline else [])])
    now, before = columns[0], columns[1] if baseline else None
    results = _results_by_case(experiment)
    former = _results_by_case(baseline) if baseline else {}
    lines = [
        Line(case_results[0].case, now.cells[case_id], change_of(case_id, before, now), case_results, former.get(case_id, []))
        for case_id, case_results in results.items()
    ]
    return {
        "experiment": experiment,
        "column": now,
        "before": before,
        "lines": lines,
        "others": others,
        "comparison": compare_columns(before, now) if before else None,
    }


def _results_by_case(experiment: Experiment) -> dict[UUID, list[CaseResult]]:
    """Return the results by case, in the order of the cases. Two queries."""
    results_by_case: dict[UUID, list[CaseResult]] = defaultdict(list)
    results = CaseResult.objects.filter(experiment=experiment).select_related("case").prefetch_related("grades")
    for result in results.order_by("case__created_at", "case_id", "sample"):
        results_by_case[result.case_id].append(result)
    return results_by_case
