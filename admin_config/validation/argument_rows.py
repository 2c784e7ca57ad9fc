"""A form field for the arguments that a model gives a tool: a row each, and the same as JSON Schema.

What rows can't say, such as a pattern or an object within an object, stays as it is: a row changes only what it shows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from admin_config.validation.template_widget import TemplateWidget

MAX_ROWS: Final = 60
OTHER: Final = "other"
CHOICE: Final = "choice"
TYPES: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "strings": {"type": "array", "items": {"type": "string"}},
    CHOICE: {"type": "string"},
}
LABELS: Final = {
    "string": gettext_lazy("Text"),
    "number": gettext_lazy("Number"),
    "integer": gettext_lazy("Whole number"),
    "boolean": gettext_lazy("Yes or no"),
    "strings": gettext_lazy("List of texts"),
    CHOICE: gettext_lazy("One of…"),
    OTHER: gettext_lazy("As in the JSON schema"),
}


@dataclass(frozen=True)
class Row:
    """One argument. `former`: its name before it was edited. `choices`: separated by commas."""

    former: str = ""
    name: str = ""
    type: str = "string"
    required: str = "yes"
    description: str = ""
    choices: str = ""


PARTS: Final = tuple(Row.__dataclass_fields__)


@dataclass(frozen=True)
class Sent:
    """What the form sent. `shown`: the schema that the page had, which tells which of rows and `text` was edited."""

    rows: Sequence[Row]
    text: str
    shown: str


class ArgumentRowsWidget(TemplateWidget):
    """Rows, of which each part is sent as `<field>-<part>`, and a text field for the schema, with the field's own name."""

    template_name = "admin/argument_rows.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        sent = value if isinstance(value, Sent) else Sent(rows_of(value or {}), as_text(value), as_text(value))
        rows = [row for row in sent.rows if row.name or row.description] or [Row()]
        context["widget"] |= {"rows": rows, "text": sent.text, "shown": sent.shown, "types": LABELS.items(), "other": OTHER}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Sent:
        columns = [data.getlist(f"{name}-{part}") for part in PARTS]
        rows = [Row(*(part.strip() for part in row)) for row in zip(*columns, strict=False)]
        return Sent([row for row in rows if row.name or row.description], data.get(name, ""), data.get(f"{name}-shown", ""))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class ArgumentRowsField(forms.Field):
    """Becomes a JSON schema of type object; {} when there are no arguments."""

    widget = ArgumentRowsWidget

    def to_python(self, value: Sent | None) -> dict[str, Any]:
        if value is None:
            return {}
        shown, text = _loaded(value.shown), _loaded(value.text)
        are_rows_edited = list(value.rows) != rows_of(shown)
        if text == shown:
            return _composed(shown, value.rows) if are_rows_edited else shown
        if are_rows_edited:
            raise ValidationError(gettext("Change either the rows or the JSON schema, not both at once."))
        return text

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or {}) != self.to_python(data))
        except ValidationError:
            return True


def as_text(schema: Any) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=2) if schema else ""


def rows_of(schema: Mapping[str, Any]) -> list[Row]:
    """Return the rows of a schema's properties."""
    properties, required = schema.get("properties"), schema.get("required")
    found = properties.items() if isinstance(properties, Mapping) else ()
    needed = required if isinstance(required, list) else []
    return [_row(name, part if isinstance(part, Mapping) else {}, is_required=name in needed) for name, part in found]


def _row(name: str, part: Mapping[str, Any], *, is_required: bool) -> Row:
    kind = _type_of(part)
    choices = ", ".join(part["enum"]) if kind == CHOICE else ""
    return Row(name, name, kind, "yes" if is_required else "no", _line(part.get("description", "")), choices)


def _line(text: object) -> str:
    """Return the text as a field of one line has it."""
    return " ".join(str(text).split())


def _type_of(part: Mapping[str, Any]) -> str:
    if "enum" in part:
        values = part["enum"]
        is_plain = isinstance(values, list) and all(isinstance(value, str) and "," not in value for value in values)
        return CHOICE if is_plain and part.get("type", "string") == "string" else OTHER
    return next((name for name, own in TYPES.items() if own == {key: part[key] for key in ("type", "items") if key in part}), OTHER)


def _composed(schema: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """Return the schema with these rows in place of its properties. Raises ValidationError."""
    names = [row.name for row in rows]
    if len(rows) > MAX_ROWS:
        raise ValidationError(gettext("At most %(most)s rows.") % {"most": MAX_ROWS})
    if "" in names:
        raise ValidationError(gettext("“%(value)s” has no name.") % {"value": next(row.description for row in rows if not row.name)[:60]})
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValidationError(gettext("%(names)s: each name may stand once.") % {"names": ", ".join(twice)})
    kept = {key: value for key, value in schema.items() if key not in ("type", "properties", "required")}
    if not rows and not kept:
        return {}
    before = schema.get("properties") or {}
    required = [row.name for row in rows if row.required == "yes"]
    properties = {row.name: _property(before.get(row.former, {}), row) for row in rows}
    return {"type": "object", "properties": properties, **({"required": required} if required else {}), **kept}


def _property(before: Mapping[str, Any], row: Row) -> dict[str, Any]:
    own = dict(before) if before and row.type in (_type_of(before), OTHER) else dict(TYPES.get(row.type, {}))
    described = own.pop("description", "")
    if row.type == CHOICE:
        own["enum"] = list(dict.fromkeys(choice.strip() for choice in row.choices.split(",") if choice.strip()))
        if not own["enum"]:
            raise ValidationError(gettext("“%(name)s” is one of which? Enter the choices, separated by commas.") % {"name": row.name})
    if _line(row.description) != _line(described):
        described = row.description
    return {**own, "description": described} if described else own


def _loaded(text: str) -> dict[str, Any]:
    try:
        schema = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise ValidationError(gettext("This is no JSON: %(error)s") % {"error": error}) from error
    if not isinstance(schema, dict):
        raise ValidationError(gettext('The schema must have "type": "object" and "properties".'))
    return schema
