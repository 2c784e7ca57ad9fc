"""Form fields made from a pydantic model: each setting becomes a form field of the matching type."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
from django import forms
from django.forms.fields import InvalidJSONInput
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from admin_config.forms.fields.argument_rows import ArgumentRowsField
from admin_config.forms.fields.body_rows import BodyRowsField
from admin_config.forms.fields.json_rows import parse_json
from admin_config.forms.fields.pair_rows import PairRowsField
from admin_config.validation.settings_schemas import HTTP_METHODS
from admin_config.validation.text_lists import parse_names

DEFAULT_NOTE = gettext_lazy("Blank: the default, shown in grey.")
NOT_SET = gettext_lazy("Not set")


class NamesField(forms.CharField):
    """A list of names, one on each line."""

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        return list(parse_names(super().to_python(value) or ""))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(self.prepare_value(initial)) != self.to_python(data))


class YesNoField(forms.ChoiceField):
    """Yes, no, or not set."""

    def __init__(self, **kwargs: Any) -> None:
        choices = [("", NOT_SET), ("true", gettext("Yes")), ("false", gettext("No"))]
        super().__init__(choices=choices, required=False, widget=UnfoldAdminSelectWidget, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return str(value).lower() if isinstance(value, bool) else value

    def clean(self, value: Any) -> Any:
        return {"": None, "true": True, "false": False}[super().clean(value)]


class JsonField(forms.JSONField):
    """Any JSON, as text. What the database can't store is refused, and so is a name that stands twice."""

    def to_python(self, value: Any) -> Any:
        return parse_json(value) if isinstance(value, str) and value.strip() and not self.disabled else super().to_python(value)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return what was typed, as it was typed."""
        return initial if self.disabled else InvalidJSONInput(data or "")


def schema_fields(schema: type[BaseModel]) -> Iterator[tuple[str, forms.Field]]:
    """Yield the form fields by name, in the schema's order."""
    for name, info in schema.model_fields.items():
        yield name, schema_field(name, info)


def schema_field(name: str, info: FieldInfo) -> forms.Field:
    """Return the form field of one setting. Its label is the setting's title, its help text the description."""
    arguments: dict[str, Any] = {
        "label": gettext_lazy(info.title or name.replace("_", " ").capitalize()),
        "help_text": gettext_lazy(info.description) if info.description else "",
    }
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    kind = _without_none(info.annotation)
    match get_origin(kind):
        case origin if origin is tuple:
            return _list_field(get_args(kind)[0], default, arguments)
        case origin if origin is dict:
            return _object_field(info, {"required": False, "initial": default, **arguments})
        case origin if origin is Literal:
            return _choice_field(get_args(kind), _extra(info).get("choices", {}), default, arguments)
    if kind is bool:
        return _boolean_field(info, default, arguments)
    field = _integer_field(info, arguments) if kind is int else _text_field(info, arguments)
    if default not in (None, ""):
        field.widget.attrs["placeholder"] = str(default)
        field.help_text = format_lazy("{} {}", field.help_text, DEFAULT_NOTE) if field.help_text else DEFAULT_NOTE
    return field


def schema_values(schema: type[BaseModel], cleaned: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the schema's form fields, without blank ones."""
    return {name: cleaned[name] for name in schema.model_fields if name in cleaned and cleaned[name] not in ("", None)}


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        return next(kind for kind in get_args(annotation) if kind is not type(None))
    return annotation


def _boolean_field(info: FieldInfo, default: Any, arguments: dict[str, Any]) -> forms.Field:
    if info.annotation is not bool:
        return YesNoField(**arguments)
    return forms.BooleanField(required=False, initial=default, widget=UnfoldBooleanSwitchWidget, **arguments)


def _list_field(kind: Any, default: Any, arguments: dict[str, Any]) -> forms.Field:
    if isinstance(kind, type) and issubclass(kind, Enum):
        choices = [(item.value, str(item.value)) for item in kind]
        initial = [item.value for item in default or ()]
        return forms.MultipleChoiceField(choices=choices, initial=initial, widget=UnfoldAdminCheckboxSelectMultipleWidget, **arguments)
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"})
    return NamesField(required=False, widget=widget, **arguments)


def _extra(info: FieldInfo) -> Mapping[str, Any]:
    return info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}


def _object_field(info: FieldInfo, arguments: dict[str, Any]) -> forms.Field:
    """Return rows where the setting says of what; else a field for JSON."""
    extra = _extra(info)
    if "rows" in extra:
        return PairRowsField(noun=gettext_lazy(str(extra["rows"])), **arguments)
    if "arguments" in extra:
        return ArgumentRowsField(**arguments)
    if "body" in extra:
        return BodyRowsField(**arguments)
    widget = UnfoldAdminTextareaWidget(attrs={"rows": 3, "class": "prompt short", "spellcheck": "false"})
    return JsonField(widget=widget, **arguments)


def _choice_field(values: tuple[str, ...], labels: Mapping[str, str], default: Any, arguments: dict[str, Any]) -> forms.Field:
    """Return a choice field. It has a blank choice if the setting has no default. Values without a label keep the provider's own spelling."""
    blank = [("", NOT_SET)] if not default else []
    choices = blank + [(value, gettext_lazy(labels[value]) if value in labels else _choice_label(value)) for value in values if value]
    return forms.ChoiceField(choices=choices, required=bool(default), initial=default, widget=UnfoldAdminSelectWidget, **arguments)


def _choice_label(value: str) -> str:
    """Return the value as a label. HTTP methods stay in capitals."""
    return value.replace("_", " ").capitalize() if value.isupper() and value not in HTTP_METHODS else value


def _integer_field(info: FieldInfo, arguments: dict[str, Any]) -> forms.Field:
    low = next((limit.ge for limit in info.metadata if isinstance(limit, annotated_types.Ge)), None)
    high = next((limit.le for limit in info.metadata if isinstance(limit, annotated_types.Le)), None)
    limits: dict[str, Any] = {"min_value": low, "max_value": high}
    return forms.IntegerField(required=info.is_required(), widget=UnfoldAdminIntegerFieldWidget, **limits, **arguments)


def _text_field(info: FieldInfo, arguments: dict[str, Any]) -> forms.Field:
    extra = _extra(info)
    longest = next((limit.max_length for limit in info.metadata if isinstance(limit, annotated_types.MaxLen)), None)
    widget = UnfoldAdminTextareaWidget(attrs={"rows": extra["lines"]}) if "lines" in extra else UnfoldAdminTextInputWidget()
    return forms.CharField(required=info.is_required(), max_length=longest, widget=widget, **arguments)
