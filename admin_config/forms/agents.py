"""Forms of an agent's page: its settings, operations, prompt sections and step rules."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from admin_config.defaults.options import AgentOptions, option_default
from admin_config.defaults.platform import KINDS, PROVIDERS, OperationDefaults, SectionDefaults
from admin_config.forms.base import ConfigForm, TenantForm, show_default, show_placeholder
from admin_config.models import AgentConfig, AgentOperation, ModelConfig, PromptSection, StepRule
from admin_config.services.prompt_limits import length_problem

SAVED_MEANWHILE = "{others}, while you had this page open. Open it in another tab to see it; save again to put yours over it."
PROMPT_NOTE = "Blank: the platform's default."
OWN_PROMPT_NOTE = "Optional, and placed before the sections below. Their texts are what most changes need."
KIND_FIELDS = ("temperature", "max_output_tokens", "max_steps", "thinking_budget")


class AgentForm(ConfigForm[AgentConfig]):
    """Settings of an agent that all kinds share. `others`: what other people saved meanwhile, for which a save is refused once."""

    others: ClassVar[str] = ""

    class Meta:
        model = AgentConfig
        fields = ("is_enabled", "model", "description", "system_prompt", *KIND_FIELDS, *AgentOptions.model_fields)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._show_kind_defaults()
        for name in AgentOptions.model_fields:
            if name in self.fields:
                _show_option(self.fields[name], option_default(name))
        if "model" in self.fields:
            self._limit_models()

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.others:
            self.add_error(None, SAVED_MEANWHILE.format(others=self.others))
        return cleaned

    def _show_kind_defaults(self) -> None:
        defaults = KINDS[self.instance.kind]
        for name in ("description", "system_prompt", *KIND_FIELDS):
            if name in self.fields:
                show_default(self.fields[name], getattr(defaults, name))
        if defaults.sections and "system_prompt" in self.fields:
            self.fields["system_prompt"].label = "Custom prompt"
            self.fields["system_prompt"].help_text = OWN_PROMPT_NOTE
            attrs = self.fields["system_prompt"].widget.attrs
            attrs |= {"class": f"{attrs['class']} short", "rows": 3}

    def _limit_models(self) -> None:
        field = self.fields["model"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = ModelConfig.objects.filter(provider=self.instance.provider, is_enabled=True)
        field.empty_label = f"Default of {PROVIDERS[self.instance.provider].label}"


class OperationForm(TenantForm[AgentOperation]):
    """Prompts of one operation."""

    class Meta:
        model = AgentOperation
        fields = ("is_enabled", "system_prompt", "user_prompt_template")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        defaults = _operation_defaults(self.instance)
        if defaults is None or "user_prompt_template" not in self.fields:
            return
        if not defaults.asks_model:
            _hide(self.fields["system_prompt"], self.fields["user_prompt_template"])
            return
        show_default(self.fields["system_prompt"], defaults.system_prompt)
        show_default(self.fields["user_prompt_template"], defaults.user_prompt_template)
        self.fields["user_prompt_template"].widget.attrs["data-placeholders"] = " ".join(sorted(defaults.placeholders))
        self.fields["system_prompt"].help_text = PROMPT_NOTE
        self.fields["user_prompt_template"].help_text = f"{PROMPT_NOTE} Placeholders: {_placeholder_list(defaults.placeholders)}."


class SectionForm(TenantForm[PromptSection]):
    """Text of one prompt section."""

    class Meta:
        model = PromptSection
        fields = ("is_enabled", "text")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        defaults = _section_defaults(self.instance)
        if defaults is None or "text" not in self.fields:
            return
        show_placeholder(self.fields["text"], defaults.text)
        self.fields["text"].widget.attrs["data-section"] = self.instance.name
        if defaults.placeholders:
            self.fields["text"].widget.attrs["data-placeholders"] = " ".join(sorted(defaults.placeholders))
        blank = PROMPT_NOTE if defaults.text else "Blank: left out."
        placeholders = f" Placeholders: {_placeholder_list(defaults.placeholders)}." if defaults.placeholders else ""
        self.fields["text"].help_text = f"{defaults.purpose} {blank}{placeholders}"


class SectionFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """The sections of a prompt, which together have a limit (admin_config.services.prompt_limits)."""

    def clean(self) -> None:
        super().clean()
        if any(self.errors) or not any(form.has_changed() for form in self.forms):
            return  # a prompt that is too long by the agent's own text is told at that field
        own = {form.instance.name: (form.cleaned_data["is_enabled"], form.cleaned_data["text"]) for form in self.forms if form.cleaned_data}
        if own and (problem := length_problem(self.instance, own, ModelConfig.objects.filter(provider=self.instance.provider))):
            raise ValidationError(problem)


class StepRuleForm(TenantForm[StepRule]):
    """Settings of certain steps."""

    class Meta:
        model = StepRule
        fields = ("position", "first_step", "last_step", "active_tools", "tool_choice", "max_output_tokens", "temperature")


def _show_option(field: forms.Field, default: object) -> None:
    """Show the default in grey, or as the first choice. Lists have no default to show."""
    if isinstance(field, forms.TypedChoiceField):
        choices = {str(value): label for value, label in field.widget.choices if value}
        field.choices = [("", f"Default: {choices[str(default)]}"), *choices.items()]
    elif isinstance(default, str | int | float) and not isinstance(default, bool):
        show_placeholder(field, default)


def _hide(*fields: forms.Field) -> None:
    """Hide the prompts of an operation that calls no model."""
    for field in fields:
        field.widget, field.disabled = forms.HiddenInput(), True


def _placeholder_list(names: frozenset[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


def _operation_defaults(operation: AgentOperation) -> OperationDefaults | None:
    """Return the operation's defaults, or None for the theme's empty form, which belongs to no agent."""
    return KINDS[operation.agent.kind].operation(operation.name) if operation.name else None


def _section_defaults(section: PromptSection) -> SectionDefaults | None:
    return KINDS[section.agent.kind].section(section.name) if section.name else None
