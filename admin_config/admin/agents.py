"""Admin page of agents: their settings, and the inlines of their parts."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import display
from django.db.models import Model, OuterRef, QuerySet, Subquery, TextField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget

from admin_config.admin.agent_parts import LIST_WIDGET, PROMPT_WIDGET, OperationInline, SectionInline, StepRuleInline
from admin_config.admin.agent_plugins import plugin_inlines, save_plugin_secrets
from admin_config.admin.base import PublishingAdmin, badge
from admin_config.admin.sub_agents import SubAgentInline
from admin_config.admin.tool_sources import AgentToolInline
from admin_config.defaults.options import OptionGroup, option_group
from admin_config.defaults.platform import KINDS, PROVIDERS, TOOLS as TOOL_LABELS
from admin_config.forms.agent_providers import agent_form, provider_fields
from admin_config.forms.agents import AgentForm
from admin_config.forms.sub_agents import NewAgentForm, custom_agent_form
from admin_config.models import AgentConfig, ModelConfig
from admin_config.services.custom_agents import check_unused, custom_agent_save_new

NOTE_WIDGET = {"widget": UnfoldAdminTextareaWidget(attrs={"rows": 3})}

DEFAULTS_NOTE = "Blank fields keep the platform's default, shown in grey."
MODEL_DEFAULTS_NOTE = "Blank fields keep the platform's default, shown in grey; where nothing is grey, the model's own."


def _rows(group: OptionGroup, *, for_answers: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return the fields of a group of options, two in a row."""
    names = option_group(group, for_answers=for_answers)
    return tuple(tuple(names[start : start + 2]) for start in range(0, len(names), 2))


PROMPT_FIELDSET = (None, {"fields": ("is_enabled", "model", "description", "system_prompt")})
REPAIR_FIELDSET = ("Checks", {"fields": _rows("checks"), "description": DEFAULTS_NOTE})
APPROVAL_FIELDSET = ("Approval", {"fields": _rows("approval")})
LIMITS_FIELDSET = (
    "Steps and length",
    {"fields": (("max_steps", "thinking_budget"), ("max_output_tokens", "temperature")), "description": DEFAULTS_NOTE},
)
SAMPLING_FIELDSET = (
    "Sampling",
    {
        "classes": ("collapse",),
        "description": MODEL_DEFAULTS_NOTE,
        "fields": _rows("sampling"),
    },
)
TOOLS = (
    "Tools",
    {
        "classes": ("collapse",),
        "description": f"The tools are: {', '.join(TOOL_LABELS)}.",
        "fields": _rows("tools"),
    },
)
PROVIDER_NOTE = "Settings of this provider alone. What is not set is the provider's own default."
RUN_END_FIELDSET = (
    "How a run ends",
    {
        "classes": ("collapse",),
        "description": f"{DEFAULTS_NOTE} A run also ends after its last step, see above.",
        "fields": _rows("end"),
    },
)
SUB_AGENT_END_FIELDSET = (
    "How its work ends",
    {
        "classes": ("collapse",),
        "description": f"{DEFAULTS_NOTE} Its answer ends it. It spends the budget of the answer that it works for, too.",
        "fields": _rows("end", for_answers=False),
    },
)
INPUT_FIELDSET = ("Instructions", {"classes": ("collapse",), "fields": ("told_as",)})
CONTEXT_FIELDSET = (
    "Long conversations",
    {
        "classes": ("collapse",),
        "description": f"What the model is sent of a conversation that comes near the size of its window. {DEFAULTS_NOTE}",
        "fields": _rows("context"),
    },
)


def _provider_group(agent: AgentConfig) -> Any:
    title = f"Provider: {agent.get_provider_display()}"
    return title, {"classes": ("collapse",), "description": PROVIDER_NOTE, "fields": provider_fields(agent)}


class AgentAdmin(PublishingAdmin):
    """The agents of an organization.

    Admins tune the platform's agents, one of each kind and provider, and create custom agents that those can call.
    """

    form = AgentForm
    list_display = ("title", "kind_label", "provider_label", "enabled", "effective_model")
    list_display_links = ("title",)
    list_filter = ("provider", "kind", "is_enabled")
    search_fields = ("key",)
    ordering = ("provider", "kind")
    sortable_by = ()

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow deleting only agents that an admin created."""
        is_own = not isinstance(obj, AgentConfig) or KINDS[obj.kind].is_custom
        return is_own and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: AgentConfig, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
        else:
            custom_agent_save_new(obj)

    def response_add(self, request: HttpRequest, obj: AgentConfig, post_url_continue: str | None = None) -> HttpResponse:
        """Continue on the new agent's page, where its model, tools and limits are set."""
        messages.success(
            request, f"The agent {obj.name} was added successfully. Give it tools here; then let another agent call it, on that one's page."
        )
        return redirect(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[obj.pk]))

    def delete_model(self, request: HttpRequest, obj: AgentConfig) -> None:
        check_unused(obj)
        super().delete_model(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: AgentConfig | None = None) -> Any:
        """Return only the settings that have an effect: an agent that is a tool runs one prompt and gives one answer."""
        if obj is None:
            return ((None, {"fields": ("agent_name", "agent_provider", "description", "system_prompt")}),)
        if KINDS[obj.kind].is_sub_agent:
            told = (INPUT_FIELDSET,) if KINDS[obj.kind].is_custom else ()
            return (
                PROMPT_FIELDSET,
                *told,
                APPROVAL_FIELDSET,
                LIMITS_FIELDSET,
                SAMPLING_FIELDSET,
                _provider_group(obj),
                TOOLS,
                SUB_AGENT_END_FIELDSET,
                CONTEXT_FIELDSET,
            )
        if KINDS[obj.kind].is_tool:
            return (
                PROMPT_FIELDSET,
                APPROVAL_FIELDSET,
                *((REPAIR_FIELDSET,) if KINDS[obj.kind].repairs else ()),
                LIMITS_FIELDSET,
                SAMPLING_FIELDSET,
                _provider_group(obj),
            )
        return (PROMPT_FIELDSET, LIMITS_FIELDSET, SAMPLING_FIELDSET, _provider_group(obj), TOOLS, RUN_END_FIELDSET, CONTEXT_FIELDSET)

    def get_form(self, request: HttpRequest, obj: AgentConfig | None = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            kwargs["form"] = NewAgentForm
        else:
            make = custom_agent_form if KINDS[obj.kind].is_custom else agent_form
            kwargs["form"] = make(PROVIDERS[obj.provider].wire)
        return super().get_form(request, obj, change, **kwargs)

    def get_inlines(self, request: HttpRequest, obj: AgentConfig | None) -> Any:
        if obj is None:
            return ()
        if KINDS[obj.kind].is_tool:
            return (OperationInline,)
        if KINDS[obj.kind].is_sub_agent:
            return (AgentToolInline, SubAgentInline, SectionInline, StepRuleInline)
        return (AgentToolInline, SubAgentInline, SectionInline, StepRuleInline, OperationInline, *plugin_inlines())

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        save_plugin_secrets(request, formset)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, TextField):
            kwargs |= {"system_prompt": PROMPT_WIDGET, "description": NOTE_WIDGET}.get(db_field.name, LIST_WIDGET)
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentConfig]:
        agents: QuerySet[AgentConfig] = super().get_queryset(request)
        default = ModelConfig.objects.filter(provider=OuterRef("provider"), is_default=True).values("display_name")[:1]
        return agents.select_related("model").annotate(default_model=Subquery(default))

    @display(description="agent")
    def title(self, agent: AgentConfig) -> str:
        return agent.key

    @display(description="kind")
    def kind_label(self, agent: AgentConfig) -> str:
        return agent.get_kind_display()

    @display(description="provider")
    def provider_label(self, agent: AgentConfig) -> str:
        return agent.get_provider_display()

    @badge("state", {"enabled": "success", "disabled": "danger"})
    def enabled(self, agent: AgentConfig) -> str:
        return "enabled" if agent.is_enabled else "disabled"

    @display(description="model")
    def effective_model(self, agent: Any) -> str:
        return agent.model.display_name if agent.model else f"{agent.default_model or 'none'} (default)"
