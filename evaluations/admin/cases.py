"""Admin page of a case: its question, what was said before, and what is expected of the answer."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.admin import TabularInline

from admin_config.admin.base import TenantModelAdmin
from evaluations.admin.forms import CaseForm, ExpectationForm
from evaluations.graders.kinds import KINDS
from evaluations.interchange.cases import MAX_EXPECTED
from evaluations.models import Case, Expectation
from evaluations.services.cases import case_changed
from tenants.admin import actor_of

LIST = "admin:evaluations_dataset_changelist"
DATA_SET = "admin:evaluations_dataset_change"


class ExpectationInline(TabularInline):  # type: ignore[misc]  # the theme has no types
    """What is expected of the answer. Auditors read it."""

    model = Expectation
    form = ExpectationForm
    fields = ("kind", "value", "detail")
    extra = 0
    max_num = MAX_EXPECTED
    verbose_name = "check"
    verbose_name_plural = "What the answer must do"

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
    change_form_outer_before_template = "admin/case_checks.html"

    def get_fields(self, request: HttpRequest, obj: Case | None = None) -> tuple[str, ...]:
        if not self.has_change_permission(request, obj):
            return ("name", "marked", "messages")
        return ("data_set", "name", "question", "earlier", "marked")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"data_set": request.GET.get("data_set", "")}

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        return redirect(LIST)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        context["kinds"] = KINDS.values()
        context["data_set_id"] = kwargs["obj"].data_set_id if kwargs.get("obj") else request.GET.get("data_set", "")
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if form.has_changed() or any(formset.has_changed() for formset in formsets):
            case_changed(form.instance)

    def response_post_save_add(self, request: HttpRequest, obj: Case) -> HttpResponse:
        return redirect(DATA_SET, obj.data_set_id)

    def response_post_save_change(self, request: HttpRequest, obj: Case) -> HttpResponse:
        return redirect(DATA_SET, obj.data_set_id)
