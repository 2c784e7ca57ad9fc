"""Form of an agent's plugin, with fields made from the schema of the plugin's settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from django import forms

from admin_config.extension_kinds import PluginKind
from admin_config.forms.fields.schema_fields import schema_fields
from admin_config.forms.typed_settings import NEW_SECRET, TypedSettingsForm, secret_field
from admin_config.models import AgentPlugin


class PluginForm(TypedSettingsForm[AgentPlugin]):
    """Base of the plugins' forms."""

    kind: ClassVar[PluginKind]

    class Meta:
        model = AgentPlugin
        fields = ("is_enabled", "position")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance.name = self.kind.name
        self.fields["is_enabled"].help_text = self.kind.help_text


def plugin_form(kind: PluginKind) -> type[PluginForm]:
    """Return the form class of one kind of plugin."""
    return type(f"{kind.name.title()}Form", (PluginForm,), {"kind": kind, **dict(_fields(kind))})


def field_names(kind: PluginKind) -> tuple[str, ...]:
    """Return the names of the form's fields, in order."""
    return ("is_enabled", "position", *(name for name, _ in _fields(kind)))


def _fields(kind: PluginKind) -> Iterator[tuple[str, forms.Field]]:
    yield from schema_fields(kind.settings)
    if kind.secret_url is not None:
        yield NEW_SECRET, secret_field()
