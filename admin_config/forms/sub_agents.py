"""Forms of custom agents and their input, and of the agents that an agent may call (SPEC 4.9)."""

from __future__ import annotations

from functools import cache
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from admin_config.defaults.platform import ALL_PROVIDERS, CUSTOM_AGENT, DEMO_WIRES, KINDS, PROVIDER_CHOICES, Wire, agent_key
from admin_config.forms.agent_providers import ProviderAgentForm, agent_form
from admin_config.forms.base import ConfigForm, TenantForm
from admin_config.forms.fields.argument_rows import ArgumentRowsField
from admin_config.forms.row_sets import ChoosingFormSet
from admin_config.models import AgentConfig, AgentTool
from admin_config.services.agents.custom_agents import check_agent_name
from admin_config.services.drafts.draft import draft_load
from admin_config.services.drafts.sub_agent_checks import draft_sub_agent_problems
from admin_config.validation.agents import check_input_schema

NAME_HELP = gettext_lazy("By which other agents call it: small letters, digits and underscores. It can't be changed later.")
DESCRIPTION_HELP = gettext_lazy("For what the other agents should use it, and what they must tell it. They decide by this text.")
PROMPT_HELP = gettext_lazy("Blank: that it does a task for another agent, which reads its last answer and nothing else.")
SCHEMA_HELP = gettext_lazy("What the agent that calls it must give. No row: a task in words.")


class NewAgentForm(ConfigForm[AgentConfig]):
    """Form that creates a custom agent. All other settings are on the agent's own page."""

    agent_name = forms.CharField(
        label=gettext_lazy("Name"), max_length=40, validators=[check_agent_name], widget=UnfoldAdminTextInputWidget(), help_text=NAME_HELP
    )
    agent_provider = forms.ChoiceField(
        label=gettext_lazy("Provider"), widget=UnfoldAdminSelectWidget(), help_text=gettext_lazy("Whose model does its work.")
    )

    class Meta:
        model = AgentConfig
        fields = ("description", "system_prompt")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.kind = CUSTOM_AGENT
        self.instance.provider = PROVIDER_CHOICES[0][0]  # until one is chosen
        provider_field: Any = self.fields["agent_provider"]
        provider_field.choices = [choice for choice in PROVIDER_CHOICES if settings.DEMO_PROVIDER_URL or choice[0] not in DEMO_WIRES]
        self.fields["description"].required = True
        self.fields["description"].help_text = DESCRIPTION_HELP
        self.fields["system_prompt"].help_text = PROMPT_HELP

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors:
            self.instance.name, self.instance.provider = self.cleaned_data["agent_name"], self.cleaned_data["agent_provider"]
            self.instance.key = agent_key(self.instance.name, self.instance.provider)
            if AgentConfig.objects.filter(key=self.instance.key).exists():
                self.add_error("agent_name", gettext("There is an agent %(key)s already.") % {"key": self.instance.key})
        return cleaned

    def _post_clean(self) -> None:
        if not self.errors:  # without a name, the row's checks would report misleading errors
            super()._post_clean()  # type: ignore[misc]  # the stubs lack it


@cache
def custom_agent_form(wire: Wire) -> type[ProviderAgentForm]:
    """Return the form class of custom agents of providers that speak this wire."""
    base = agent_form(wire)

    class CustomAgentForm(base):  # type: ignore[valid-type, misc]
        input_arguments = ArgumentRowsField(
            label=gettext_lazy("Instructions"), required=False, validators=[check_input_schema], help_text=SCHEMA_HELP
        )

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.initial["input_arguments"] = self.instance.input_schema

        def clean(self) -> dict[str, Any] | None:
            cleaned: dict[str, Any] | None = super().clean()
            name = "input_arguments"
            is_sent = not self.fields[name].widget.value_omitted_from_data(self.data, self.files, self.add_prefix(name))
            if is_sent and not self.errors:
                self.instance.input_schema = self.cleaned_data.get("input_arguments") or {}
            return cleaned

    return CustomAgentForm


class SubAgentForm(TenantForm[AgentTool]):
    """One agent that an agent may call."""

    class Meta:
        model = AgentTool
        fields = ("sub_agent", "position")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get("sub_agent")
        if field is not None:
            assert isinstance(field, forms.ModelChoiceField)
            field.label, field.required = gettext("Agent"), True
            kinds = [kind for kind, defaults in KINDS.items() if defaults.is_sub_agent]
            field.queryset = (
                AgentConfig.objects.filter(kind__in=kinds)
                .exclude(provider=ALL_PROVIDERS)
                .exclude(id=self.instance.agent_id)
                .exclude(assistants__for_agents=False)
            )


class SubAgentFormSet(ChoosingFormSet):
    """The agents that an agent may call. Problems that would prevent publishing are shown before anything is saved."""

    choice_field = "sub_agent"

    def clean(self) -> None:
        super().clean()
        if any(self.errors) or not self.has_changed():
            return
        rows = [form.cleaned_data for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
        sub_agents = [row["sub_agent"] for row in rows if row.get("sub_agent")]
        if len(sub_agents) > len(set(sub_agents)):
            raise ValidationError(gettext("An agent is chosen twice."))
        if problems := self._problems_with(sub_agents):
            raise ValidationError(problems)

    def _problems_with(self, sub_agents: list[AgentConfig]) -> list[str]:
        """Return the problems of this choice, without changing the database."""
        with transaction.atomic():
            AgentTool.objects.filter(agent=self.instance, source=None).delete()
            AgentTool.objects.bulk_create(AgentTool(agent=self.instance, sub_agent=sub_agent) for sub_agent in sub_agents)
            problems = [problem.text for problem in draft_sub_agent_problems(draft_load())]
            transaction.set_rollback(True)
        return problems
