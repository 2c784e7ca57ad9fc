"""Inlines of an agent's page: operations, prompt sections and step rules."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, IntegerField, Model, QuerySet, TextField, Value, When
from django.http import HttpRequest
from unfold.admin import StackedInline
from unfold.widgets import UnfoldAdminTextareaWidget

from admin_config.admin.base import PartInline
from admin_config.defaults.platform import CHAT_SECTIONS
from admin_config.forms.agents import OperationForm, PartFormSet, SectionForm, SectionFormSet, StepRuleForm, show_setting_notes
from admin_config.models import AgentConfig, AgentOperation, PromptSection, StepRule

PROMPT_WIDGET = {"widget": UnfoldAdminTextareaWidget(attrs={"class": "prompt", "spellcheck": "false"})}
LIST_WIDGET = {"widget": UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"})}


class FixedInline(PartInline):
    """Inline of rows that the agent's kind defines: they can be edited, but neither added nor deleted.

    Each opens with a click on its title.
    """

    collapsible = True
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class OperationInline(FixedInline):
    """Operations of an agent, whose kind each form reads."""

    model = AgentOperation
    collapsible = False
    form = OperationForm
    formset = PartFormSet
    fields = ("is_enabled", "system_prompt", "user_prompt_template")
    formfield_overrides = {**StackedInline.formfield_overrides, TextField: PROMPT_WIDGET}

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentOperation]:
        operations: QuerySet[AgentOperation] = super().get_queryset(request)
        return operations.select_related("agent")


class SectionInline(FixedInline):
    """Prompt sections, in the order of the prompt."""

    model = PromptSection
    form = SectionForm
    formset = SectionFormSet
    fields = ("is_enabled", "text")
    formfield_overrides = {**StackedInline.formfield_overrides, TextField: PROMPT_WIDGET}

    def get_queryset(self, request: HttpRequest) -> QuerySet[PromptSection]:
        sections: QuerySet[PromptSection] = super().get_queryset(request)
        places = [When(name=section.name, then=Value(place)) for place, section in enumerate(CHAT_SECTIONS)]
        return sections.select_related("agent").order_by(Case(*places, output_field=IntegerField()))


class StepRuleInline(PartInline):
    """Step rules of an agent."""

    model = StepRule
    form = StepRuleForm
    fields = (("first_step", "last_step"), ("tool_choice", "active_tools"), ("temperature", "max_output_tokens"), "position")
    formfield_overrides = {**StackedInline.formfield_overrides, TextField: LIST_WIDGET}

    def get_formset(self, request: HttpRequest, obj: AgentConfig | None = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        if obj is not None:
            show_setting_notes(formset.form.base_fields, obj)
        return formset
