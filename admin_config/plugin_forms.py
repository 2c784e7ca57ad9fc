"""The form of an agent's plugin: its settings as typed fields, made from the plugin's own schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from pydantic import BaseModel, ValidationError as SettingsInvalid

from admin_config.forms import TenantForm
from admin_config.models import AgentPlugin
from admin_config.plugin_kinds import PluginKind
from admin_config.schema_fields import schema_fields, schema_problems, schema_values
from admin_config.secret_fields import NEW_SECRET, secret_field, secret_note, secret_problem


class PluginForm(TenantForm[AgentPlugin]):
    """Base of the plugins' forms. The secret only ever travels from the browser to the server."""

    kind: ClassVar[PluginKind]

    class Meta:
        model = AgentPlugin
        fields = ("is_enabled", "position")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.name = self.kind.name
        self.fields["is_enabled"].help_text = self.kind.help_text
        for name in self.kind.settings.model_fields:
            if name in self.instance.settings:
                self.initial[name] = self.instance.settings[name]
        if NEW_SECRET in self.fields:
            self.fields[NEW_SECRET].help_text = secret_note(self.instance.secret)

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        chosen = schema_values(self.kind.settings, self.cleaned_data)
        if not self.errors and (settings := self._validated(chosen)) is not None:
            self.instance.settings = settings.model_dump(mode="json", exclude_defaults=True)
            self._check_secret(settings)
        return cleaned

    def _validated(self, values: Mapping[str, Any]) -> BaseModel | None:
        try:
            return self.kind.settings.model_validate(values)
        except SettingsInvalid as exc:
            for name, problem in schema_problems(exc):
                self.add_error(name if name in self.fields else None, problem)
            return None

    def _check_secret(self, settings: BaseModel) -> None:
        """A secret belongs to the host that it was entered for (SECURITY 11)."""
        if self.kind.secret_url is None:
            return
        url, value = self.kind.secret_url(settings), str(self.cleaned_data.get(NEW_SECRET) or "")
        if problem := secret_problem(self.instance, value=value, url=url):
            self.add_error(NEW_SECRET, problem)


def plugin_form(kind: PluginKind) -> type[PluginForm]:
    """The form class of one kind of plugin."""
    return type(f"{kind.name.title()}Form", (PluginForm,), {"kind": kind, **dict(_fields(kind))})


def field_names(kind: PluginKind) -> tuple[str, ...]:
    """What the form shows, in order."""
    return ("is_enabled", "position", *(name for name, _ in _fields(kind)))


def _fields(kind: PluginKind) -> Iterator[tuple[str, forms.Field]]:
    yield from schema_fields(kind.settings)
    if kind.secret_url is not None:
        yield NEW_SECRET, secret_field()
