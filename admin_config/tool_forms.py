"""The forms of tool sources: what all have, the settings of their kind as typed fields, and their secret."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from pydantic import ValidationError as SettingsInvalid

from admin_config.forms import ConfigForm, TenantForm
from admin_config.models import AgentTool, ToolSource
from admin_config.schema_fields import schema_fields, schema_problems, schema_values
from admin_config.secret_fields import NEW_SECRET, secret_field, secret_note, secret_problem
from admin_config.tool_kinds import ToolKind, ToolSettings
from admin_config.tool_problems import clashes

OWN = ("name", "is_enabled", "prefix", "allowed_tools", "danger", "confirm")


class ToolSourceForm(ConfigForm[ToolSource]):
    """Base of the kinds' forms."""

    kind: ClassVar[ToolKind]

    class Meta:
        model = ToolSource
        fields = OWN

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.kind = self.kind.name
        self.initial.update({name: value for name, value in self.instance.settings.items() if name in self.fields})
        if NEW_SECRET in self.fields:
            self.fields[NEW_SECRET].help_text = secret_note(self.instance.secret)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        chosen = schema_values(self.kind.settings, self.cleaned_data)
        if not self.errors and (settings := self._validated(chosen)) is not None:
            self.instance.settings = settings.model_dump(mode="json", exclude_defaults=True)
            self._check_secret(settings)
        return cleaned

    def _validated(self, values: Mapping[str, Any]) -> ToolSettings | None:
        try:
            return self.kind.settings.model_validate(values)
        except SettingsInvalid as exc:
            for name, problem in schema_problems(exc):
                self.add_error(name if name in self.fields else None, problem)
            return None

    def _check_secret(self, settings: ToolSettings) -> None:
        """A secret belongs to the host that it was entered for (SECURITY 11)."""
        url = self.kind.secret_url(settings) if self.kind.secret_url else ""
        value = str(self.cleaned_data.get(NEW_SECRET) or "")
        if url and (problem := secret_problem(self.instance, value=value, url=url)):
            self.add_error(NEW_SECRET, problem)
        elif value and not url:
            self.add_error(NEW_SECRET, "With these settings no secret is sent.")


def tool_source_form(kind: ToolKind) -> type[ToolSourceForm]:
    """The form class of one kind of source."""
    fields = dict(schema_fields(kind.settings))
    if taken := {*OWN, NEW_SECRET} & fields.keys():
        raise TypeError(f"The settings of {kind.name} share names with what all sources have: {', '.join(sorted(taken))}.")
    if kind.secret_url is not None:
        fields[NEW_SECRET] = secret_field()
    return type(f"{kind.name.title()}SourceForm", (ToolSourceForm,), {"kind": kind, **fields})


def setting_names(kind: ToolKind) -> tuple[str, ...]:
    """The fields of the kind's own settings, in order."""
    return tuple(kind.settings.model_fields)


class AgentToolForm(TenantForm[AgentTool]):
    class Meta:
        model = AgentTool
        fields = ("source", "position")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "source" in self.fields:
            self.fields["source"].required = True


class AgentToolFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """An agent's sources: no two of them may give the same name."""

    def clean(self) -> None:
        super().clean()
        kept = [form.cleaned_data for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
        chosen = [row["source"] for row in kept if row.get("source")]
        if problems := list(clashes(source for source in chosen if source.is_enabled)):
            raise ValidationError(problems)
