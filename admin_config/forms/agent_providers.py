"""Form fields for what an agent sets for its own provider, with one form class for each wire."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from django.utils.translation import gettext, gettext_lazy
from pydantic import ValidationError as PydanticError
from unfold.widgets import UnfoldAdminTextareaWidget

from admin_config.defaults.platform import BUILTIN_TOOLS, KINDS, PROVIDERS, Wire
from admin_config.defaults.provider_settings import ProviderSettings
from admin_config.defaults.wires import WIRES
from admin_config.forms.agents import AgentForm
from admin_config.forms.base import builtin_tools_field
from admin_config.forms.fields.schema_fields import JsonField, schema_fields, schema_values
from admin_config.models import AgentConfig
from admin_config.validation.settings_schemas import schema_problems

TOOLS_HELP = gettext_lazy(
    "What the provider does itself while it answers. Each works with the models that can do it; see the page of a model."
)


class ProviderAgentForm(AgentForm):
    """Base form of agents, with the fields of their provider's settings."""

    settings: ClassVar[type[ProviderSettings]]  # the model from which the fields are made
    builtin_tools = builtin_tools_field(TOOLS_HELP)

    class Meta(AgentForm.Meta):
        fields = (*AgentForm.Meta.fields, "provider_options")
        field_classes: ClassVar[dict[str, Any]] = {"provider_options": JsonField}
        widgets: ClassVar[dict[str, Any]] = {
            "provider_options": UnfoldAdminTextareaWidget(attrs={"rows": 4, "class": "prompt short", "spellcheck": "false"})
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.update(self.settings.model_validate(self.instance.provider_settings).set_values())
        self.initial["builtin_tools"] = list(self.instance.builtin_tools_on)
        self.fields[
            "builtin_tools"
        ].help_text = f"{TOOLS_HELP} {gettext(note) if (note := PROVIDERS[self.instance.provider].tools_note) else ''}".strip()
        if not takes_builtin_tools(self.instance):
            del self.fields["builtin_tools"]

    def clean_provider_options(self) -> Any:
        """Turn an empty field into an empty object."""
        value = self.cleaned_data["provider_options"]
        return {} if value is None else value

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors:
            self._set_settings()
            self._set_builtin_tools()
        return cleaned

    def _set_settings(self) -> None:
        try:
            settings = self.settings.model_validate(schema_values(self.settings, self.cleaned_data))
        except PydanticError as error:
            for name, problem in schema_problems(error):
                self.add_error(name or next(iter(self.settings.model_fields)), problem)
            return
        self.instance.provider_settings = settings.set_values()

    def _set_builtin_tools(self) -> None:
        """Store the chosen tools, or None when they equal the provider's default, which may grow."""
        if "builtin_tools" in self.fields:
            tools = [name for name in BUILTIN_TOOLS if name in self.cleaned_data["builtin_tools"]]
            # The form writes what it has cleaned into the row, after this.
            self.cleaned_data["builtin_tools"] = None if set(tools) == set(self.instance.builtin_tools_default) else tools


@cache
def agent_form(wire: Wire) -> type[ProviderAgentForm]:
    """Return the form class for agents of providers that speak this wire."""
    settings = WIRES[wire].settings
    return type(f"{wire.title()}AgentForm", (ProviderAgentForm,), {"settings": settings, **dict(schema_fields(settings))})


def takes_builtin_tools(agent: AgentConfig) -> bool:
    """Return whether an agent can have built-in tools: compatible servers have none, and an agent that is a tool uses none."""
    return not KINDS[agent.kind].is_tool and WIRES[PROVIDERS[agent.provider].wire].runs_tools


def provider_fields(agent: AgentConfig) -> tuple[str | tuple[str, ...], ...]:
    """Return the form's provider fields in order, two in a line."""
    settings = tuple(WIRES[PROVIDERS[agent.provider].wire].settings.model_fields)
    lines = (settings[start : start + 2] for start in range(0, len(settings), 2))
    return (*(("builtin_tools",) if takes_builtin_tools(agent) else ()), *lines, "provider_options")
