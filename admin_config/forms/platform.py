"""Form of the platform's defaults of one kind of agents: a field for each that an operator may set, blank where the code's holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import models
from django.utils.translation import gettext, gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from admin_config.defaults.kinds import KindDefaults
from admin_config.defaults.options import OPTIONS
from admin_config.defaults.platform import ALL_PROVIDERS, KINDS, agent_key
from admin_config.forms.agents import OWN_PROMPT_NOTE
from admin_config.forms.base import show_default, show_placeholder
from admin_config.forms.inheritance import SwitchField
from admin_config.models import AgentConfig, AgentOperation, PlatformDraft, PromptSection
from admin_config.models.platform import FIELDS, OPERATION_FIELDS, SECTION_FIELDS, SHARED_OPTIONS, place_of

BLANK = gettext_lazy("Blank: Parley's own, shown in grey.")
NO_LIMIT = gettext_lazy("Blank: no limit.")


class PlatformForm(forms.ModelForm[PlatformDraft]):
    """What the operator sets for a kind of agents. `platform_form` makes one with the kind's fields."""

    class Meta:
        model = PlatformDraft
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.update({name: value for name, value in self.instance.values.items() if name in self.fields})

    def clean(self) -> dict[str, Any] | None:
        """Check the values as an organization's base of the kind would be."""
        cleaned = super().clean()
        values = self.values()
        for model, part, fields, name_of in _parts(self.instance.kind):
            own = {field: values[name_of(field)] for field in fields if name_of(field) in values}
            for field, errors in _problems(self.instance.kind, model, part, own).items():
                name = name_of(field)
                self.add_error(name if name in self.fields else None, errors)
        return cleaned

    def save(self, commit: bool = True) -> PlatformDraft:
        self.instance.values = self.values()
        return super().save(commit)

    def values(self) -> dict[str, Any]:
        return {name: value for name in self.fields if (value := self.cleaned_data.get(name)) not in (None, "")}


def platform_form(kind: str) -> type[PlatformForm]:
    """Return the form with the kind's fields, each with the code's default in grey."""
    fields = {name: field for model, part, names, name_of in _parts(kind) for name, field in _fields(kind, model, part, names, name_of)}
    if KINDS[kind].sections:
        fields["system_prompt"].label, fields["system_prompt"].help_text = gettext("Custom prompt"), OWN_PROMPT_NOTE
    return type("PlatformFormOfKind", (PlatformForm,), {**fields, "Meta": PlatformForm.Meta})


def platform_fieldsets(kind: str) -> tuple[tuple[Any, dict[str, Any]], ...]:
    """Return the groups of the fields: the agent's texts, its numbers and options, its sections and operations."""
    own = platform_form(kind).base_fields
    prompts = [name for name in own if name in {"description", "system_prompt"}]
    sections = [name for name in own if name.startswith("sections__")]
    operations = [name for name in own if name.startswith("operations__")]
    rest = [name for name in own if name not in {*prompts, *sections, *operations}]
    groups = (
        (None, prompts),
        (gettext("Limits and options"), rest),
        (gettext("Prompt sections"), sections),
        (gettext("Operations"), operations),
    )
    return tuple((title, {"fields": names}) for title, names in groups if names)


def _parts(kind: str) -> Iterator[tuple[type[models.Model], str, tuple[str, ...], Any]]:
    """Yield the agent itself, its sections and its operations: model, name, fields, and what a field is called in the form."""
    of = KINDS[kind]
    yield AgentConfig, "", (*FIELDS, *_options(of)), str
    for section in of.sections:
        yield PromptSection, section.name, SECTION_FIELDS, lambda field, part=section.name: place_of("sections", part, field)
    for operation in of.operations:
        names = OPERATION_FIELDS if operation.asks_model else ("is_enabled",)
        yield AgentOperation, operation.name, names, lambda field, part=operation.name: place_of("operations", part, field)


def _options(of: KindDefaults) -> list[str]:
    """Return the options that have an effect on agents of the kind, as their pages do (admin_config.admin.agents.page)."""
    if of.is_tool:
        groups = {"sampling", "files", "approval", *(("checks",) if of.repairs else ())}
    elif of.is_sub_agent:
        groups = {"sampling", "tools", "approval", "end", "context"}
    else:
        groups = {"sampling", "tools", "end", "context"}
    return [name for name in SHARED_OPTIONS if OPTIONS[name].group in groups and not (of.is_sub_agent and OPTIONS[name].of_answers)]


def _fields(kind: str, model: type[models.Model], part: str, names: tuple[str, ...], name_of: Any) -> Iterator[tuple[str, forms.Field]]:
    of = KINDS[kind]
    for name in names:
        column = model._meta.get_field(name)
        assert isinstance(column, models.Field)
        default = _default(of, model, part, name)
        field = _field(column, default)
        if part:
            field.help_text = _with_placeholders(str(field.help_text), of, model, part, name)
            title = part.replace("_", " ").capitalize()
            field.label = title if name == "text" else gettext("%(part)s: %(field)s") % {"part": title, "field": column.verbose_name}
        yield name_of(name), field


def _with_placeholders(note: str, of: KindDefaults, model: type[models.Model], part: str, name: str) -> str:
    defaults = of.section(part) if model is PromptSection else of.operation(part)
    if defaults is None or not defaults.placeholders or name not in {"text", "user_prompt_template"}:
        return note
    names = ", ".join(f"{{{placeholder}}}" for placeholder in sorted(defaults.placeholders))
    return gettext("%(note)s Placeholders: %(placeholders)s.") % {"note": note, "placeholders": names}


def _default(of: KindDefaults, model: type[models.Model], part: str, name: str) -> Any:
    if model is AgentConfig:
        return getattr(of.options if name in SHARED_OPTIONS else of, name)
    return getattr(of.section(part) if model is PromptSection else of.operation(part), name)


def _field(column: models.Field[Any, Any], default: Any) -> forms.Field:
    """Return the column's field: a switch, a choice, a text or a number."""
    label = str(column.verbose_name)[:1].upper() + str(column.verbose_name)[1:]
    if isinstance(column, models.BooleanField):
        return SwitchField(below=default, inherits=False, label=label, help_text=column.help_text)
    if column.choices:
        labels = {str(value): str(words) for value, words in column.flatchoices}
        unset = ("", gettext("Default: %(value)s") % {"value": labels[str(default)]})
        return forms.ChoiceField(
            label=label, required=False, choices=[unset, *labels.items()], help_text=column.help_text, widget=UnfoldAdminSelectWidget
        )
    is_text = isinstance(column, models.TextField)
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 6, "spellcheck": "false"}) if is_text else UnfoldAdminTextInputWidget()
    field = column.formfield(required=False, label=label, widget=widget)
    assert field is not None
    if isinstance(default, tuple):
        return field
    note = column.help_text
    show_default(field, default)
    blank = NO_LIMIT if column.name == "token_budget" else field.help_text if default is None else BLANK
    field.help_text = f"{note} {blank}".strip()
    show_placeholder(field, default)
    return field


def _problems(kind: str, model: type[models.Model], part: str, own: Mapping[str, Any]) -> Mapping[str, list[Any]]:
    """Return what is wrong with the values of the agent, or of one of its sections or operations, by field."""
    organization_fields: dict[str, Any] = {"organization_id": None}
    agent = AgentConfig(
        kind=kind, provider=ALL_PROVIDERS, key=agent_key(kind, ALL_PROVIDERS), **organization_fields, **(own if not part else {})
    )
    agent.defaults = KINDS[kind]
    row: Any = agent if not part else model(agent=agent, name=part, **organization_fields, **own)
    other_fields = {field.name for field in row._meta.fields} - {*own}
    try:
        row.clean_fields(exclude=other_fields)
        if part:
            row.clean()
    except ValidationError as error:
        return error.error_dict if hasattr(error, "error_dict") else {NON_FIELD_ERRORS: error.error_list}
    return {}
