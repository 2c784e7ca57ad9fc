"""Admin pages of data sets: the list, the matrix of one, files in and out, and the button that runs it."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy, ngettext
from unfold.widgets import UnfoldAdminFileFieldWidget

from admin_config.admin.base import TenantModelAdmin
from admin_config.errors import ReleaseInvalid
from admin_config.forms.base import TenantForm
from evaluations.models import MAX_SAMPLES, DataSet, Experiment
from evaluations.services.calibration import calibrations_of
from evaluations.services.cases import READERS, WRITERS, cases_export, cases_import
from evaluations.services.experiments import ExperimentRequest, agents_to_try, experiment_start
from evaluations.services.matrix import Matrix, Row, matrix_of
from tenants.admin import actor_of
from tenants.errors import BadRequest, ParleyError

MAX_FILE_BYTES = 4 * 1024 * 1024
PAGE = "admin:evaluations_dataset_change"
VIEWS = {"": gettext_lazy("All"), "failing": gettext_lazy("Failing"), "changed": gettext_lazy("Changed"), "must": gettext_lazy("Must pass")}


class DataSetForm(TenantForm[DataSet]):
    class Meta:
        model = DataSet
        fields = ("name",)
        help_texts: ClassVar[dict[str, Any]] = {"name": gettext_lazy("Such as order desk. Once it is saved, you add its cases.")}


class DataSetAdmin(TenantModelAdmin):
    """Data sets of an organization. Auditors see them with their results."""

    form = DataSetForm
    fields = ("name",)
    list_display = ("name", "case_count", "last_run")
    search_fields = ("name",)
    sortable_by = ()
    auditors_may_view = True
    list_before_template = "admin/evaluations/data_sets_intro.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataSet]:
        data_sets: QuerySet[DataSet] = super().get_queryset(request)
        newest = Experiment.objects.filter(data_set=OuterRef("pk")).order_by("-created_at").values("created_at")[:1]
        return data_sets.annotate(count_of_cases=Count("cases"), last_run_at=Subquery(newest))

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:object_id>/run/", view(self.run_view), name="evaluations_dataset_run"),
            path("<uuid:object_id>/import/", view(self.import_view), name="evaluations_dataset_import"),
            path("<uuid:object_id>/export/", view(self.export_view), name="evaluations_dataset_export"),
            *super().get_urls(),
        ]

    @display(description=gettext_lazy("cases"))
    def case_count(self, data_set: DataSet) -> int:
        return int(getattr(data_set, "count_of_cases", 0))

    @display(description=gettext_lazy("last run"))
    def last_run(self, data_set: DataSet) -> Any:
        return getattr(data_set, "last_run_at", None)

    def change_view(self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the data set with what its experiments found; with ?edit=1 the form with its name."""
        if request.method == "POST" or "edit" in request.GET:
            response: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
            return response
        data_set = self.get_object(request, object_id)
        if data_set is None:
            return redirect("admin:evaluations_dataset_changelist")
        context = {**self._context(request, data_set), **_matrix_context(data_set, request.GET.get("show", ""))}
        context["chosen"] = request.GET.get("agent") or getattr(context["last"], "agent_key", "")
        return TemplateResponse(request, "admin/evaluations/data_set.html", context)

    def response_post_save_change(self, request: HttpRequest, obj: DataSet) -> HttpResponse:
        return redirect(PAGE, obj.pk)

    def response_post_save_add(self, request: HttpRequest, obj: DataSet) -> HttpResponse:
        return redirect(PAGE, obj.pk)

    def run_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Begin an experiment, and show it."""
        data_set = self._data_set_to_change(request, object_id)
        if request.method != "POST":
            raise Http404
        try:
            experiment = experiment_start(actor=actor_of(request), data_set=data_set, request=_parse_experiment(request))
        except (ParleyError, ReleaseInvalid) as error:
            messages.error(request, gettext("Not run. %(error)s") % {"error": error})
            return redirect(PAGE, data_set.pk)
        return redirect("admin:evaluations_experiment_change", experiment.pk)

    def import_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Take cases from a file over."""
        data_set = self._data_set_to_change(request, object_id)
        problem, form, text = "", request.POST.get("form", ""), request.POST.get("text", "")
        if request.method == "POST":
            try:
                text = _text_of(request)
                count = cases_import(actor=actor_of(request), data_set=data_set, form=form, text=text)
            except BadRequest as error:
                problem = str(error)
            else:
                messages.success(request, ngettext("%(count)s case added.", "%(count)s cases added.", count) % {"count": count})
                return redirect(PAGE, data_set.pk)
        file_field = UnfoldAdminFileFieldWidget().render("file", None, {"id": "cases-file", "accept": ".jsonl,.csv,.yaml,.yml"})
        own = {"title": gettext("Add cases from a file"), "problem": problem, "form": form, "text": text, "file_field": file_field}
        forms = [(key, label) for key, (label, _) in READERS.items()]
        return TemplateResponse(
            request, "admin/evaluations/data_set_import.html", {**self._context(request, data_set), **own, "forms": forms}
        )

    def export_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        data_set = self._data_set_to_change(request, object_id)
        form = request.POST.get("form", "")
        if request.method != "POST" or form not in WRITERS:
            raise Http404
        text = cases_export(actor=actor_of(request), data_set=data_set, form=form)
        headers = {"Content-Disposition": f'attachment; filename="{slugify(data_set.name) or "cases"}.{form}"'}
        return HttpResponse(text, content_type=f"{WRITERS[form][0]}; charset=utf-8", headers=headers)

    def _data_set_to_change(self, request: HttpRequest, object_id: UUID) -> DataSet:
        data_set: DataSet | None = self.get_object(request, str(object_id))
        if data_set is None or not self.has_change_permission(request, data_set):
            raise Http404
        return data_set

    def _context(self, request: HttpRequest, data_set: DataSet) -> dict[str, Any]:
        return {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(data_set),
            "data_set": data_set,
            "can_change": self.has_change_permission(request, data_set),
        }


def _matrix_context(data_set: DataSet, show: str) -> dict[str, Any]:
    """Return the matrix with the rows that are asked for, and what can be run. Six queries."""
    matrix = matrix_of(data_set)
    return {
        "matrix": matrix,
        "rows": [row for row in matrix.rows if _is_shown(row, show)],
        "views": [(value, label, value == show) for value, label in VIEWS.items()],
        "agents": [(agent.key, str(agent)) for agent in agents_to_try()],
        "last": matrix.columns[-1].experiment if matrix.columns else None,
        "calibrations": calibrations_of(data_set),
        "failing_required": _failing_required_cases(matrix),
        "max_samples": MAX_SAMPLES,
        "export_forms": WRITERS,
    }


def _is_shown(row: Row, show: str) -> bool:
    newest = row.cells[-1] if row.cells else None
    match show:
        case "failing":
            return newest is not None and not newest.passes
        case "changed":
            return row.change not in ("", "Same")
        case "must":
            return row.case.marked
    return True


def _failing_required_cases(matrix: Matrix) -> list[str]:
    """Return the names of the cases that must pass and don't, in the newest experiment."""
    newest = [(row.case, row.cells[-1]) for row in matrix.rows if row.cells and row.case.marked]
    return [str(case) for case, cell in newest if cell is not None and cell.is_complete and not cell.passes]


def _parse_experiment(request: HttpRequest) -> ExperimentRequest:
    """Return what the form asks for. Raises BadRequest."""
    form = request.POST
    try:
        samples = int(form.get("samples", "1"))
        budget = float(form["budget"]) if form.get("budget", "").strip() else None
        source = Experiment.Source(form.get("source", ""))
    except ValueError as error:
        raise BadRequest(gettext("Fill in numbers for samples and budget.")) from error
    if not 1 <= samples <= MAX_SAMPLES or (budget is not None and not 0 < budget < 1e6):
        raise BadRequest(gettext("Choose 1 to %(max_samples)s samples, and a budget above 0 or none.") % {"max_samples": MAX_SAMPLES})
    asks = form.get("asks") != "no"
    return ExperimentRequest(agent_key=form.get("agent", ""), source=source, samples=samples, max_cost_usd=budget, asks_first=asks)


def _text_of(request: HttpRequest) -> str:
    """Return the uploaded file's text, or else what stands in the page. Raises BadRequest."""
    upload = request.FILES.get("file")
    if upload is None:
        return str(request.POST.get("text", ""))
    if (upload.size or 0) > MAX_FILE_BYTES:
        raise BadRequest(gettext("A file can have %(value)s MB.") % {"value": MAX_FILE_BYTES // 1024 // 1024})
    try:
        return bytes(upload.read()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRequest(gettext("The file must be text in UTF-8.")) from error
