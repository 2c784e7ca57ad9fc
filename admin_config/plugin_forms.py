"""The form of an agent's plugin: its settings as typed fields, made from the plugin's own schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, ClassVar, get_args, get_origin

import annotated_types
from django import forms
from pydantic import BaseModel, ValidationError as SettingsInvalid
from pydantic.fields import FieldInfo
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from admin_config.forms import TenantForm, show_grey
from admin_config.models import AgentPlugin
from admin_config.plugin_kinds import PluginKind
from security.services import secret_check
from tenants.errors import ParleyError

DEFAULT_NOTE = "Blank: the default, shown in grey."


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
        if "new_secret" in self.fields:
            secret = self.instance.secret
            self.fields["new_secret"].help_text = f"The secret is {secret}. A new one replaces it." if secret else "No secret is set."

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        values = {name: self.cleaned_data[name] for name in self.kind.settings.model_fields if name in self.cleaned_data}
        chosen = {name: value for name, value in values.items() if value not in ("", None)}
        if not self.errors and (settings := self._validated(chosen)) is not None:
            self.instance.settings = settings.model_dump(mode="json", exclude_defaults=True)
            self._check_secret(settings)
        return cleaned

    def _validated(self, values: Mapping[str, Any]) -> BaseModel | None:
        try:
            return self.kind.settings.model_validate(values)
        except SettingsInvalid as exc:
            for problem in exc.errors():
                name = str(problem["loc"][0]) if problem["loc"] else None
                self.add_error(name if name in self.fields else None, problem["msg"].removeprefix("Value error, "))
            return None

    def _check_secret(self, settings: BaseModel) -> None:
        """A secret belongs to the host that it was entered for (SECURITY 11)."""
        if self.kind.secret_url is None:
            return
        url, value = self.kind.secret_url(settings), str(self.cleaned_data.get("new_secret") or "")
        if not value and not self.instance.has_secret_for(url):
            self.add_error("new_secret", "Enter the secret for this address.")
        if value:
            try:
                secret_check(value=value, url=url)
            except ParleyError as error:
                self.add_error("new_secret", str(error))


def plugin_form(kind: PluginKind) -> type[PluginForm]:
    """The form class of one kind of plugin."""
    return type(f"{kind.name.title()}Form", (PluginForm,), {"kind": kind, **dict(_fields(kind))})


def field_names(kind: PluginKind) -> tuple[str, ...]:
    """What the form shows, in order."""
    return ("is_enabled", "position", *(name for name, _ in _fields(kind)))


def _fields(kind: PluginKind) -> Iterator[tuple[str, forms.Field]]:
    for name, info in kind.settings.model_fields.items():
        yield name, _field(name, info)
    if kind.secret_url is not None:
        widget = UnfoldAdminPasswordWidget(render_value=False, attrs={"autocomplete": "new-password", "spellcheck": "false"})
        yield "new_secret", forms.CharField(label="Secret", required=False, max_length=4096, widget=widget)


def _field(name: str, info: FieldInfo) -> forms.Field:
    shared: dict[str, Any] = {"label": info.title or name.replace("_", " ").capitalize(), "help_text": info.description or ""}
    default = None if info.is_required() else info.get_default()
    if get_origin(info.annotation) is tuple:
        return _choices(get_args(info.annotation)[0], default, shared)
    if info.annotation is bool:
        return forms.BooleanField(required=False, initial=default, widget=UnfoldBooleanSwitchWidget, **shared)
    field = _number(info, shared) if info.annotation is int else _text(info, shared)
    if default is not None:
        show_grey(field, default)
        field.help_text = f"{field.help_text} {DEFAULT_NOTE}".strip()
    return field


def _choices(choices: type[Enum], default: Any, shared: dict[str, Any]) -> forms.Field:
    values = [(item.value, str(item.value)) for item in choices]
    initial = [item.value for item in default or ()]
    return forms.MultipleChoiceField(choices=values, initial=initial, widget=UnfoldAdminCheckboxSelectMultipleWidget, **shared)


def _number(info: FieldInfo, shared: dict[str, Any]) -> forms.Field:
    low = next((limit.ge for limit in info.metadata if isinstance(limit, annotated_types.Ge)), None)
    high = next((limit.le for limit in info.metadata if isinstance(limit, annotated_types.Le)), None)
    limits: dict[str, Any] = {"min_value": low, "max_value": high}
    return forms.IntegerField(required=info.is_required(), widget=UnfoldAdminIntegerFieldWidget, **limits, **shared)


def _text(info: FieldInfo, shared: dict[str, Any]) -> forms.Field:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    longest = next((limit.max_length for limit in info.metadata if isinstance(limit, annotated_types.MaxLen)), None)
    widget = UnfoldAdminTextareaWidget(attrs={"rows": extra["lines"]}) if "lines" in extra else UnfoldAdminTextInputWidget()
    return forms.CharField(required=info.is_required(), max_length=longest, widget=widget, **shared)
