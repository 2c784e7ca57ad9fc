"""Admin page of a case: its question, what was said before, and what is expected of the answer."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy
from unfold.admin import TabularInline

from admin_config.admin.base import TenantModelAdmin
from chat.models import Run
from evaluations.admin.forms import CaseForm, ExpectationForm
from evaluations.graders.kinds import KINDS
from evaluations.interchange.cases import MAX_EXPECTED, MAX_RESULTS
from evaluations.models import Case, DataSet, Expectation
from evaluations.services.cases import case_mark_changed
from evaluations.services.from_runs import case_from_run
from tenants.admin import actor_of
from tenants.errors import BadRequest, NotFound
from tenants.input.short_text import short_text

LIST = "admin:evaluations_dataset_changelist"
DATA_SET = "admin:evaluations_dataset_change"
MAX_SHOWN = 4000  # characters of a recorded result
FROM_FEEDBACK = gettext_lazy("From feedback")  # the name of a data set that gets none


class ExpectationInline(TabularInline):  # type: ignore[misc]  # the theme has no types
    """What is expected of the answer. Auditors read it."""

    model = Expectation
    form = ExpectationForm
    fields = ("kind", "value", "detail")
    extra = 0
    max_num = MAX_EXPECTED
    verbose_name = gettext_lazy("check")
    verbose_name_plural = gettext_lazy("What the answer must do")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_audit

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return actor_of(request).can_administer


class CaseAdmin(TenantModelAdmin):
    """Cases, which are listed on the page of their data set."""

    form = CaseForm
    inlines = (ExpectationInline,)
    auditors_may_view = True
    change_form_outer_before_template = "admin/evaluations/case_checks.html"

    def get_fields(self, request: HttpRequest, obj: Case | None = None) -> tuple[str, ...]:
        if not self.has_change_permission(request, obj):
            return ("name", "marked", "messages", "recorded_tools")
        result_fields = ("recorded_tools",) if obj is not None and obj.tool_results else ()
        return ("data_set", "name", "question", "earlier", "marked", *result_fields)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"data_set": request.GET.get("data_set", "")}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.from_run_view)
        return [path("from-run/<uuid:run_id>/", view, name="evaluations_case_from_run"), *super().get_urls()]

    def from_run_view(self, request: HttpRequest, run_id: UUID) -> HttpResponse:
        """Ask for the data set, then copy a run's question into it and show the new case."""
        run = Run.objects.select_related("conversation__owner__user").filter(pk=run_id).first()
        if run is None or not self.has_add_permission(request):
            raise Http404
        if request.method == "POST":
            try:
                with transaction.atomic():  # a refusal leaves no new data set behind
                    case_copy = case_from_run(actor=actor_of(request), run=run, data_set=_chosen_data_set(request))
            except NotFound as error:
                raise Http404 from error
            except BadRequest as error:
                messages.error(request, gettext("Not copied. %(error)s") % {"error": error})
            else:
                messages.success(
                    request,
                    gettext("Copied without its files. Now say what the answer must do.")
                    if case_copy.lost_files
                    else gettext("Copied. Now say what the answer must do."),
                )
                if case_copy.lost_results:
                    messages.warning(
                        request,
                        gettext("Its tools gave more results than a case holds (%(most)s), so none were copied: the case runs its tools.")
                        % {"most": MAX_RESULTS},
                    )
                return redirect("admin:evaluations_case_change", case_copy.case.pk)
        context = {"opts": self.opts, "title": gettext("Make a case"), "run": run, "data_sets": DataSet.objects.all()}
        return TemplateResponse(request, "admin/evaluations/case_from_run.html", {**self.admin_site.each_context(request), **context})

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect(LIST)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        context["kinds"] = KINDS.values()
        context["tool_results"] = _shown_results(kwargs["obj"]) if kwargs.get("obj") else []
        context["data_set_id"] = kwargs["obj"].data_set_id if kwargs.get("obj") else request.GET.get("data_set", "")
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if form.has_changed() or any(formset.has_changed() for formset in formsets):
            case_mark_changed(form.instance, [row.instance.pk for formset in formsets for row in formset.forms])

    def response_post_save_add(self, request: HttpRequest, obj: Case) -> HttpResponse:
        return redirect(DATA_SET, obj.data_set_id)

    def response_post_save_change(self, request: HttpRequest, obj: Case) -> HttpResponse:
        return redirect(DATA_SET, obj.data_set_id)


def _shown_results(case: Case) -> list[dict[str, str]]:
    """Return the case's recorded results as texts."""
    return [
        {"tool": each["tool"], "arguments": _as_text(each["arguments"]), "result": _as_text(each["output"])} for each in case.tool_results
    ]


def _as_text(value: Any) -> str:
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1))[:MAX_SHOWN]


def _chosen_data_set(request: HttpRequest) -> DataSet:
    """Return the data set that was chosen, or a new one. Raises NotFound for one that is gone."""
    if not (data_set_id := request.POST.get("data_set", "")):
        name = short_text(request.POST.get("name", ""), at_most=80) or FROM_FEEDBACK
        return DataSet.objects.get_or_create(name=name)[0]
    try:
        data_set = DataSet.objects.filter(pk=UUID(data_set_id)).first()
    except ValueError as error:
        raise NotFound from error
    if data_set is None:
        raise NotFound
    return data_set
