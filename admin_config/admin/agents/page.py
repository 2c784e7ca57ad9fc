"""Admin page of agents: their settings, and the inlines of their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import messages
from django.db.models import Model, TextField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminTextareaWidget

from admin_config.admin.agents.copying import CopyPage
from admin_config.admin.agents.editors import EditorsPage, editors_context
from admin_config.admin.agents.files import AgentFilePage
from admin_config.admin.agents.list_page import AgentListPage
from admin_config.admin.agents.parts import LIST_WIDGET, PROMPT_WIDGET, OperationInline, SectionInline, StepRuleInline
from admin_config.admin.agents.plugins import plugin_inlines, save_plugin_secrets
from admin_config.admin.agents.sub_agents import SubAgentInline
from admin_config.admin.agents.tabs import TAB_PREFIX, agent_tabs
from admin_config.admin.agents.trials import TrialPage, trial_context
from admin_config.admin.agents.values import ValuePage
from admin_config.admin.tool_sources import AgentToolInline
from admin_config.defaults.options import OptionGroup, option_group
from admin_config.defaults.platform import CHAT_AGENT, KINDS, PROVIDERS, TOOLS as TOOL_LABELS
from admin_config.forms.agent_providers import agent_form, provider_fields
from admin_config.forms.agents import AgentForm
from admin_config.forms.sub_agents import NewAgentForm, custom_agent_form
from admin_config.models import AgentConfig
from admin_config.services.agent_history import agent_page_context, others_changes
from admin_config.services.agents.changed_defaults import own_texts_keep
from admin_config.services.agents.custom_agents import check_unused, custom_agent_save_new
from admin_config.services.drafts.assistant_checks import assistant_of
from tenants.admin import actor_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

NOTE_WIDGET = {"widget": UnfoldAdminTextareaWidget(attrs={"rows": 3})}

DEFAULTS_NOTE = gettext_lazy("Blank fields keep what is shown in grey.")
MODEL_DEFAULTS_NOTE = gettext_lazy("Blank fields keep what is shown in grey; where nothing is grey, the model's own.")


def _rows(group: OptionGroup, *, for_answers: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return the fields of a group of options, two in a row."""
    names = option_group(group, for_answers=for_answers)
    return tuple(tuple(names[start : start + 2]) for start in range(0, len(names), 2))


def _tab_fields(
    tab: str, title: StrOrPromise | None, *fields: Any, description: StrOrPromise = ""
) -> tuple[StrOrPromise | None, dict[str, Any]]:
    """Return a group of fields on one of the page's tabs (admin_config.admin.agents.tabs)."""
    note = {"description": description} if description else {}
    return title, {"classes": (f"{TAB_PREFIX}{tab}",), "fields": fields, **note}


PROMPT_FIELDSET = _tab_fields("prompt", None, "is_enabled", "description", "system_prompt")
INPUT_FIELDSET = _tab_fields("prompt", gettext_lazy("Instructions"), "input_arguments")
FILES_FIELDSET = _tab_fields("prompt", gettext_lazy("Files"), *_rows("files"))
BASE_MODEL_FIELDSET = _tab_fields("model", None, ("temperature", "max_output_tokens"), "thinking_budget", description=DEFAULTS_NOTE)
MODEL_FIELDSET = _tab_fields("model", None, "model", ("temperature", "max_output_tokens"), "thinking_budget", description=DEFAULTS_NOTE)
SAMPLING_FIELDSET = _tab_fields("model", gettext_lazy("Sampling"), *_rows("sampling"), description=MODEL_DEFAULTS_NOTE)
APPROVAL_FIELDSET = _tab_fields("tools", gettext_lazy("Approval"), *_rows("approval"))
TOOLS_FIELDSET = _tab_fields(
    "tools",
    gettext_lazy("Calls"),
    *_rows("tools"),
    description=format_lazy(gettext_lazy("The tools are: {tools}."), tools=", ".join(TOOL_LABELS)),
)
STEPS_FIELDSET = _tab_fields("limits", gettext_lazy("Steps"), "max_steps", description=DEFAULTS_NOTE)
REPAIR_FIELDSET = _tab_fields("limits", gettext_lazy("Checks"), *_rows("checks"), description=DEFAULTS_NOTE)
PROVIDER_NOTE = gettext_lazy("Settings of this provider alone. What is not set is the provider's own default.")
RUN_END_FIELDSET = _tab_fields(
    "limits",
    gettext_lazy("How a run ends"),
    *_rows("end"),
    description=format_lazy(gettext_lazy("{note} A run also ends after its last step, see above."), note=DEFAULTS_NOTE),
)
SUB_AGENT_END_FIELDSET = _tab_fields(
    "limits",
    gettext_lazy("How its work ends"),
    *_rows("end", for_answers=False),
    description=format_lazy(
        gettext_lazy("{note} Its answer ends it. It spends the budget of the answer that it works for, too."), note=DEFAULTS_NOTE
    ),
)
CONTEXT_FIELDSET = _tab_fields(
    "limits",
    gettext_lazy("Long conversations"),
    *_rows("context"),
    description=format_lazy(
        gettext_lazy("What the model is sent of a conversation that comes near the size of its window. {note}"), note=DEFAULTS_NOTE
    ),
)


def _provider_group(agent: AgentConfig) -> Any:
    return _tab_fields(
        "model",
        gettext("Provider: %(provider)s") % {"provider": agent.get_provider_display()},
        *provider_fields(agent),
        description=PROVIDER_NOTE,
    )


def _model_fieldsets(agent: AgentConfig) -> tuple[Any, ...]:
    if agent.is_base:
        return (BASE_MODEL_FIELDSET, SAMPLING_FIELDSET)
    return (MODEL_FIELDSET, SAMPLING_FIELDSET, _provider_group(agent))


def _form_of(agent: AgentConfig) -> type[AgentForm]:
    if agent.is_base:
        return AgentForm
    make = custom_agent_form if KINDS[agent.kind].is_custom else agent_form
    return make(PROVIDERS[agent.provider].wire)


def _tabs_context(agent: AgentConfig, context: Mapping[str, Any]) -> dict[str, Any]:
    tabs = agent_tabs(context["adminform"], context["inline_admin_formsets"])
    hidden_tab = "try" if agent.is_base else "providers"  # one tries an agent of a provider, and compares those below a base
    is_talked_to = not agent.is_base and (agent.kind == CHAT_AGENT or KINDS[agent.kind].is_custom)
    tabs = [tab for tab in tabs if tab.name != hidden_tab and (tab.name != "evaluations" or is_talked_to)]
    errors = [(tab.label, error) for tab in tabs for error in tab.errors]
    return {"tabs": tabs, "tab_errors": errors, "tabs_with_errors": sum(bool(tab.errors) for tab in tabs)}


class AgentAdmin(AgentListPage, AgentFilePage, TrialPage, CopyPage, EditorsPage, ValuePage):
    """The agents of an organization.

    Admins tune the platform's agents, one of each kind and provider, and create custom agents that those can call.
    """

    form = AgentForm
    warn_unsaved_form = True
    change_form_template = "admin/agents/agent.html"
    agent_parts: ClassVar[list[Callable[[AgentConfig], dict[str, Any]]]] = []  # what apps above add to the page's context

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
            request,
            gettext("The agent %(name)s was added successfully. Give it tools here; then let another agent call it, on that one's page.")
            % {"name": obj.name},
        )
        return redirect(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[obj.pk]))

    def delete_model(self, request: HttpRequest, obj: AgentConfig) -> None:
        check_unused(obj)
        super().delete_model(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: AgentConfig | None = None) -> Any:
        """Return only the settings that have an effect: an agent that is a tool runs one prompt and gives one answer."""
        if obj is None:
            return ((None, {"fields": ("agent_name", "agent_provider", "description", "system_prompt")}),)
        kind, model = KINDS[obj.kind], _model_fieldsets(obj)
        if kind.is_sub_agent:
            inputs = (INPUT_FIELDSET,) if kind.is_custom else ()
            tools = (TOOLS_FIELDSET, APPROVAL_FIELDSET)
            end = RUN_END_FIELDSET if assistant_of(obj) else SUB_AGENT_END_FIELDSET
            return (PROMPT_FIELDSET, *inputs, *model, *tools, STEPS_FIELDSET, end, CONTEXT_FIELDSET)
        if kind.is_tool:
            repairs = (REPAIR_FIELDSET,) if kind.repairs else ()
            return (PROMPT_FIELDSET, FILES_FIELDSET, *model, APPROVAL_FIELDSET, STEPS_FIELDSET, *repairs)
        return (PROMPT_FIELDSET, *model, TOOLS_FIELDSET, STEPS_FIELDSET, RUN_END_FIELDSET, CONTEXT_FIELDSET)

    def get_form(self, request: HttpRequest, obj: AgentConfig | None = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            kwargs["form"] = NewAgentForm
        else:
            kwargs["form"] = self._form_with_others_changes(request, obj, _form_of(obj))
        return super().get_form(request, obj, change, **kwargs)

    def _form_with_others_changes(self, request: HttpRequest, agent: AgentConfig, form: type[AgentForm]) -> type[AgentForm]:
        """Return the form, which is refused once when somebody else saved the agent after this page was opened."""
        opened_at = request.POST.get("_opened_at", "") if request.method == "POST" else ""
        others = others_changes(agent, opened_at=opened_at, person_id=actor_of(request).user_id) if opened_at else ""
        return type(form.__name__, (form,), {"others": others, "Meta": form.Meta}) if others else form

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> HttpResponse:
        """Sort the page's parts into tabs. A new agent has too few fields for them."""
        agent = kwargs.get("obj")
        if isinstance(agent, AgentConfig):
            context.update(_tabs_context(agent, context))
            context.update(agent_page_context(agent))
            if hasattr(request, "refusal"):  # nobody has been told yet what others changed since then
                context["opened_at"] = request.POST.get("_opened_at") or context["opened_at"]
            context.update(trial_context(agent))
            context.update(editors_context(request, agent))
            for part in self.agent_parts:
                context.update(part(agent))
            context.update({"by_provider": self.values_of(request, agent)} if agent.is_base else {"base": agent.base})
            context["show_save_and_add_another"] = False
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def get_inlines(self, request: HttpRequest, obj: AgentConfig | None) -> Any:
        if obj is None:
            return ()
        if KINDS[obj.kind].is_tool:
            return (OperationInline,)
        if obj.is_base:  # what else there is belongs to each provider (docs/decisions/0044)
            operations = (OperationInline,) if KINDS[obj.kind].operations else ()
            return (AgentToolInline, SectionInline, *operations)
        if KINDS[obj.kind].is_sub_agent:
            return (AgentToolInline, SubAgentInline, SectionInline, StepRuleInline)
        return (AgentToolInline, SubAgentInline, SectionInline, StepRuleInline, OperationInline, *plugin_inlines())

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if places := request.POST.getlist("keep_default"):
            own_texts_keep(form.instance, {(part, field) for part, _, field in (place.partition("|") for place in places)})

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        save_plugin_secrets(request, formset)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, TextField):
            kwargs |= {"system_prompt": PROMPT_WIDGET, "description": NOTE_WIDGET}.get(db_field.name, LIST_WIDGET)
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    class Media:
        css: ClassVar = {"all": tuple(f"admin_config/{name}.css" for name in ("agent", "agent-values", "agent-prompts", "agent-try"))}
        js = (
            "admin_config/agent-tabs.js",
            "admin_config/agent-prompts.js",
            "admin_config/agent-sources.js",
            "admin_config/agent-values.js",
            "admin_config/agent-value-editor.js",
            "admin_config/agent-try.js",
            "admin_config/agent-editors.js",
        )
