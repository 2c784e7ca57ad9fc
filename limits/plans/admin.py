"""Pages of plans on the operator's site, and the page that gives an organization its plan."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.admin import display
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext, gettext_lazy, ngettext
from unfold.admin import TabularInline
from unfold.widgets import UnfoldAdminSelectWidget

from admin_config.admin.sites import operator_site
from admin_config.forms.row_sets import RowsFormSet
from limits.forms import numbers_check, numbers_show_whole, percents_field
from limits.models import NUMBERS, Plan, PlanBudget, PlanLimit
from limits.plans.services import organizations_with_plans, plan_assign, plan_note_change, plan_of
from tenants.admin import AuditedAdmin
from tenants.models import Organization


class RowForm(forms.ModelForm[Any]):
    """A line of a table, whose fields are labelled by its head on screen, and by themselves for those who hear the page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.widget.attrs["aria-label"] = str(field.label or name).capitalize()


class PlanLimitForm(RowForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numbers_show_whole(self)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        numbers_check(self)
        return cleaned


class PlanLimitInline(TabularInline):  # type: ignore[misc]  # the theme has no types
    model = PlanLimit
    form, formset = PlanLimitForm, RowsFormSet
    verbose_name = gettext_lazy("limit")
    fields = ("scope", "measure", *NUMBERS, "when_away")
    extra = 0


class PlanBudgetForm(RowForm):
    alert_percents = percents_field()


class PlanBudgetInline(TabularInline):  # type: ignore[misc]  # the theme has no types
    model = PlanBudget
    form, formset = PlanBudgetForm, RowsFormSet
    verbose_name = gettext_lazy("budget")
    fields = ("scope", "period", "amount_usd", "alert_percents")
    extra = 0


class PlanChoice(forms.Form):
    """The plan that an organization is to have."""

    plan: forms.ModelChoiceField[Plan] = forms.ModelChoiceField(
        label=gettext_lazy("Plan"),
        queryset=None,
        required=False,
        empty_label=gettext_lazy("No plan of its own"),
        widget=UnfoldAdminSelectWidget,
        help_text=gettext_lazy(
            "Its limits and budgets hold from the next message on. Those that the organization has set itself stay. Without a plan of its own "
            "it has the default plan, if there is one."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["plan"]
        field.queryset = Plan.objects.all()


class PlanAdmin(AuditedAdmin):
    """Plans. A change reaches all organizations that have the plan."""

    fields = ("name", "description", "is_default")
    list_display = ("name", "description", "is_default", "organizations")
    list_before_template = "admin/limits/plans_intro.html"
    inlines = (PlanLimitInline, PlanBudgetInline)
    ordering = ("name",)

    class Media:
        css: ClassVar = {"all": ("admin_config/budgets.css",)}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.assign_view)
        return [path("organization/<uuid:organization_id>/", view, name="limits_plan_assign"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> Any:
        self.counts = organizations_with_plans()
        return super().get_queryset(request)

    @display(description=gettext_lazy("organizations"))
    def organizations(self, plan: Plan) -> int:
        return self.counts.get(plan.pk, 0)

    def has_delete_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        """Refuse as long as an organization has it."""
        return obj is not None and obj.pk not in organizations_with_plans()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        plan_note_change(form.instance.pk)
        if count := organizations_with_plans().get(form.instance.pk):
            words = ngettext(
                "%(count)d organization gets the change in a moment.", "%(count)d organizations get the change in a moment.", count
            )
            messages.info(request, words % {"count": count})

    def assign_view(self, request: HttpRequest, organization_id: UUID) -> HttpResponse:
        organization = Organization.objects.filter(pk=organization_id).first()
        if organization is None or request.user.pk is None:
            raise Http404
        own = plan_of(organization.pk)
        form = PlanChoice(request.POST or None, initial={"plan": own.plan_id if own and not own.by_default else None})
        if request.method == "POST" and form.is_valid():
            plan: Plan | None = form.cleaned_data["plan"]
            plan_assign(organization_id=organization.pk, plan=plan, operator_id=request.user.pk)
            now = plan_of(organization.pk)
            message = gettext("%(organization)s has the plan %(plan)s.") if now else gettext("%(organization)s has no plan.")
            messages.success(request, message % {"organization": organization, "plan": now})
            return redirect("admin:tenants_organization_change", organization.pk)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": gettext("Plan of %(organization)s") % {"organization": organization},
            "organization": organization,
            "form": form,
        }
        return TemplateResponse(request, "admin/limits/organization_plan.html", context)


operator_site.register(Plan, PlanAdmin)
