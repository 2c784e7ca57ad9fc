"""Forms of an agent's page: its settings, operations, prompt sections and step rules.

Options that every agent has come from `AgentOptions` (admin_config.defaults.options): add one there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from admin_config.defaults.kinds import KindDefaults
from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import KINDS, PROVIDERS
from admin_config.defaults.wires import WIRES
from admin_config.forms.base import ConfigForm, TenantForm, show_default, show_placeholder
from admin_config.forms.inheritance import mark_inherited, show_source, switch_put
from admin_config.forms.row_sets import RowsFormSet
from admin_config.models import AgentConfig, AgentOperation, ModelConfig, PromptSection, StepRule
from admin_config.services.agents.bases import base_attach, base_part, first_set
from admin_config.services.agents.changed_defaults import Place, changed_defaults
from admin_config.services.agents.prompt_limits import base_length_problem, length_problem, section_values

Former = Mapping[Place, str]
SAVED_MEANWHILE = gettext_lazy("{others}, while you had this page open. Open it in another tab to see it; save again to put yours over it.")
BELOW_NOTE = gettext_lazy("Blank: the text for all providers.")
PROMPT_NOTE = gettext_lazy("Blank: the platform's default.")
OWN_PROMPT_NOTE = gettext_lazy("Optional, and placed before the sections below. Their texts are what most changes need.")
NO_FORMER: Former = MappingProxyType({})
KIND_FIELDS = ("temperature", "max_output_tokens", "max_steps", "thinking_budget")


class AgentForm(ConfigForm[AgentConfig]):
    """Settings of an agent that all kinds share. Gives the agent its base, which the forms of its parts read, too.

    `others`: what other people saved meanwhile, for which a save is refused once.
    """

    others: ClassVar[str] = ""

    class Meta:
        model = AgentConfig
        fields = ("is_enabled", "model", "description", "system_prompt", *KIND_FIELDS, *AgentOptions.model_fields)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        base_attach(self.instance)
        self.instance.former_defaults = changed_defaults(self.instance)
        self._show_kind_defaults()
        for name in AgentOptions.model_fields:
            if name in self.fields:
                self._show_option(name)
        if "is_enabled" in self.fields:
            switch_put(self, "is_enabled", below=self.instance.base is None or self.instance.base.is_on)
        if "model" in self.fields:
            self._limit_models()
        show_setting_notes(self.fields, self.instance)
        for name in self._inheriting_fields():
            show_source(self.fields[name], self.instance, name)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if self.others:
            self.add_error(None, SAVED_MEANWHILE.format(others=self.others))
        return cleaned

    def _inheriting_fields(self) -> list[str]:
        """Return the fields of which each page says where their value comes from; none of an agent that an admin made."""
        names = ("is_enabled", "description", "system_prompt", *KIND_FIELDS, *AgentOptions.model_fields)
        return [name for name in names if name in self.fields] if not KINDS[self.instance.kind].is_custom else []

    def _inherited(self, name: str, default: Any) -> Any:
        """Return what holds where the field is blank: the base's value, or else the platform's default."""
        return getattr(self.instance.base, name) if self._has_inherited(name) else default

    def _has_inherited(self, name: str) -> bool:
        return self.instance.base is not None and self.instance.base.is_own(name)

    def _show_option(self, name: str) -> None:
        below = self._inherited(name, getattr(self.instance.defaults.options, name))
        if isinstance(below, bool):
            switch_put(self, name, below=below)
        else:
            _show_option(self.fields[name], below, gettext("As for all providers") if self._has_inherited(name) else gettext("Default"))

    def _show_kind_defaults(self) -> None:
        defaults = self.instance.defaults
        for name in ("description", "system_prompt", *KIND_FIELDS):
            if name in self.fields:
                show_default(self.fields[name], self._inherited(name, getattr(defaults, name)), is_inherited=self._has_inherited(name))
        for name in ("description", "system_prompt"):
            if name in self.fields and not self._has_inherited(name):
                _show_former(self.fields[name], self.instance.former_defaults, "", name)
        if defaults.sections and "system_prompt" in self.fields:
            self.fields["system_prompt"].label = gettext("Custom prompt")
            self.fields["system_prompt"].help_text = OWN_PROMPT_NOTE
            attrs = self.fields["system_prompt"].widget.attrs
            attrs |= {"class": f"{attrs['class']} short", "rows": 3}

    def _limit_models(self) -> None:
        field = self.fields["model"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = ModelConfig.objects.filter(provider=self.instance.provider, is_enabled=True)
        field.empty_label = gettext("Default of %(label)s") % {"label": PROVIDERS[self.instance.provider].label}


class OperationForm(TenantForm[AgentOperation]):
    """Prompts of one operation. `below`: the base's row, whose texts hold where this one's are blank. `former`: see AgentConfig.

    `platform`: the platform's defaults of the agent's kind.
    """

    class Meta:
        model = AgentOperation
        fields = ("is_enabled", "system_prompt", "user_prompt_template")

    def __init__(
        self, *args: Any, platform: KindDefaults, below: AgentOperation | None = None, former: Former = NO_FORMER, **kwargs: Any
    ) -> None:
        self.below, self.former = below, former
        super().__init__(*args, **kwargs)
        defaults = platform.operation(self.instance.name)
        if defaults is None or "user_prompt_template" not in self.fields:
            return
        rows = [self.below] if self.below is not None else []
        switch_put(self, "is_enabled", below=first_set(rows, "is_enabled", defaults.is_enabled))
        if not defaults.asks_model:
            _hide(self.fields["system_prompt"], self.fields["user_prompt_template"])
            return
        for name in ("system_prompt", "user_prompt_template"):
            base_text = first_set(rows, name, "")
            show_default(self.fields[name], base_text or getattr(defaults, name), is_inherited=bool(base_text))
            mark_inherited(self.fields[name], base_text)
            if not base_text:
                _show_former(self.fields[name], self.former, self.instance.name, name)
        self.fields["user_prompt_template"].widget.attrs["data-placeholders"] = " ".join(sorted(defaults.placeholders))
        note = BELOW_NOTE if first_set(rows, "user_prompt_template", "") else PROMPT_NOTE
        self.fields["system_prompt"].help_text = BELOW_NOTE if first_set(rows, "system_prompt", "") else PROMPT_NOTE
        self.fields["user_prompt_template"].help_text = gettext("%(note)s Placeholders: %(placeholders)s.") % {
            "note": note,
            "placeholders": _placeholder_list(defaults.placeholders),
        }


class SectionForm(TenantForm[PromptSection]):
    """Text of one prompt section. `below`: the base's row, whose text holds where this one's is blank. `former`: see AgentConfig.

    `platform`: the platform's defaults of the agent's kind.
    """

    class Meta:
        model = PromptSection
        fields = ("is_enabled", "text")

    def __init__(
        self, *args: Any, platform: KindDefaults, below: PromptSection | None = None, former: Former = NO_FORMER, **kwargs: Any
    ) -> None:
        self.below, self.former = below, former
        super().__init__(*args, **kwargs)
        defaults = platform.section(self.instance.name)
        if defaults is None or "text" not in self.fields:
            return
        rows = [self.below] if self.below is not None else []
        switch_put(self, "is_enabled", below=first_set(rows, "is_enabled", defaults.is_enabled))
        show_placeholder(self.fields["text"], first_set(rows, "text", defaults.text))
        mark_inherited(self.fields["text"], first_set(rows, "text", ""))
        if not first_set(rows, "text", ""):
            _show_former(self.fields["text"], self.former, self.instance.name, "text")
        self.fields["text"].widget.attrs["data-section"] = self.instance.name
        if defaults.placeholders:
            self.fields["text"].widget.attrs["data-placeholders"] = " ".join(sorted(defaults.placeholders))
        blank = BELOW_NOTE if first_set(rows, "text", "") else PROMPT_NOTE if defaults.text else gettext("Blank: left out.")
        placeholders = f" Placeholders: {_placeholder_list(defaults.placeholders)}." if defaults.placeholders else ""
        self.fields["text"].help_text = f"{gettext(defaults.purpose)} {blank}{placeholders}"


class PartFormSet(RowsFormSet):
    """Rows of an agent that its base has, too: each form gets the base's row of the same name, and the agent's former defaults."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        kwargs = super().get_form_kwargs(index)
        row = self.get_queryset()[index] if index is not None and index < self.initial_form_count() else None
        below = base_part(self.instance, row) if row is not None else None
        return {**kwargs, "below": below, "former": self.instance.former_defaults, "platform": self.instance.defaults}


class SectionFormSet(PartFormSet):
    """The sections of a prompt, which together have a limit (admin_config.services.agents.prompt_limits)."""

    def clean(self) -> None:
        super().clean()
        if any(self.errors) or not any(form.has_changed() for form in self.forms):
            return  # a prompt that is too long by the agent's own text is told at that field
        own = {form.instance.name: (form.cleaned_data["is_enabled"], form.cleaned_data["text"]) for form in self.forms if form.cleaned_data}
        if own and (problem := self._length_problem(section_values(self.instance, own))):
            raise ValidationError(problem)

    def _length_problem(self, texts: dict[str, tuple[bool, str]]) -> str:
        if self.instance.is_base:
            return base_length_problem(self.instance, texts)
        return length_problem(self.instance, texts, ModelConfig.objects.filter(provider=self.instance.provider))


class StepRuleForm(TenantForm[StepRule]):
    """Settings of certain steps."""

    class Meta:
        model = StepRule
        fields = ("position", "first_step", "last_step", "active_tools", "tool_choice", "max_output_tokens", "temperature")


def show_setting_notes(fields: Mapping[str, forms.Field], agent: AgentConfig) -> None:
    """Say beside a setting where the agent's provider does not take it. The page for all providers says nothing: some take it."""
    if agent.is_base:
        return
    for name, note in WIRES[PROVIDERS[agent.provider].wire].setting_notes.items():
        if name in fields:
            fields[name].help_text = f"{fields[name].help_text} {gettext(note)}".strip()


def _show_option(field: forms.Field, default: object, label: str) -> None:
    """Show what holds where it is not set in grey, or as the first choice. Lists have no default to show."""
    if isinstance(field, forms.TypedChoiceField):
        choices = {str(value): label for value, label in field.widget.choices if value}
        field.choices = [("", f"{label}: {choices[str(default)]}"), *choices.items()]
    elif isinstance(default, str | int | float) and not isinstance(default, bool):
        show_placeholder(field, default)


def _show_former(field: forms.Field, former: Former, part: str, name: str) -> None:
    """Let the page's script say that the default changed since the text was customized (static/admin_config/agent-prompts.js)."""
    if (part, name) in former:
        field.widget.attrs |= {"data-former-default": former[part, name], "data-former-place": f"{part}|{name}"}


def _hide(*fields: forms.Field) -> None:
    """Hide the prompts of an operation that calls no model."""
    for field in fields:
        field.widget, field.disabled = forms.HiddenInput(), True


def _placeholder_list(names: frozenset[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
