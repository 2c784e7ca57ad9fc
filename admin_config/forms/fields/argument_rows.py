"""A form field for the arguments that a model gives a tool: a row each, and the same as JSON Schema.

What rows can't say, such as a pattern or an object within an object, stays as it is: a row changes only what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from admin_config.forms.fields.json_rows import MAX_ROWS, JsonRowsField, JsonRowsWidget, PostedRows, Row, keys_of, line, without_rows
from admin_config.validation.json_key_order import schema_of, stored_schema

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
class ArgumentRow(Row):
    """One argument. `choices`: separated by commas."""

    type: str = "string"
    required: str = "yes"
    description: str = ""
    choices: str = ""

    @property
    def content(self) -> str:
        return self.description


class ArgumentRowsWidget(JsonRowsWidget):
    """Rows for the properties of a schema."""

    template_name = "admin/tools/argument_rows.html"
    row = ArgumentRow
    text_label = gettext_lazy("Arguments as JSON Schema")

    def rows_of(self, value: Mapping[str, Any]) -> list[ArgumentRow]:
        parts = _parts(value)
        required_names = _required_names(value)
        if len(parts) > MAX_ROWS:
            return []
        return [_row(name, part, is_required=name in required_names) for name, part in parts.items() if line(name)]

    def choices(self) -> dict[str, Any]:
        return {"types": LABELS.items(), "other": OTHER}


class ArgumentRowsField(JsonRowsField):
    """Becomes a JSON schema of type object as it is stored, see json_key_order; {} when there are no arguments."""

    widget = ArgumentRowsWidget
    no_object = gettext_lazy('The schema must have "type": "object" and "properties".')

    def prepare_value(self, value: Any) -> Any:
        return schema_of(value) if isinstance(value, Mapping) else value

    def to_python(self, value: PostedRows | None) -> dict[str, Any]:
        return stored_schema(super().to_python(value))

    def compose(self, before: Mapping[str, Any], rows: Sequence[ArgumentRow]) -> dict[str, Any]:
        parts = _parts(before)
        other_keywords = {key: value for key, value in before.items() if key not in ("type", "properties", "required")}
        properties = without_rows(parts)
        row_names = [*(name for name in parts if line(name)), *(row.name for row in rows)]
        required = [name for name in _required_names(before) if name not in row_names]
        for row, former, name in keys_of(parts, rows):
            properties[name] = _property(parts[former] if former is not None else {}, row)
            required += [name] if row.required == "yes" else []
        if not properties and not other_keywords:
            return {}
        return {"type": "object", "properties": properties, **({"required": required} if required else {}), **other_keywords}


def _parts(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required_names(schema: Mapping[str, Any]) -> Sequence[Any]:
    required = schema.get("required")
    return required if isinstance(required, list) else []


def _row(name: str, part: Any, *, is_required: bool) -> ArgumentRow:
    kind = _type_of(part)
    choices = ", ".join(part["enum"]) if kind == CHOICE else ""
    return ArgumentRow(line(name), line(name), kind, "yes" if is_required else "no", _description(part), choices)


def _description(part: Any) -> str:
    return line(part.get("description", "")) if isinstance(part, Mapping) else ""


def _type_of(part: Any) -> str:
    if not isinstance(part, Mapping):
        return OTHER  # true and false are schemas, too
    if "enum" in part:
        is_plain = part.get("type", "string") == "string" and _are_plain(part["enum"])
        return CHOICE if is_plain else OTHER
    return next((name for name, own in TYPES.items() if own == {key: part[key] for key in ("type", "items") if key in part}), OTHER)


def _are_plain(values: Any) -> bool:
    """Return whether a line with commas between these choices means the same again."""
    return isinstance(values, list) and all(isinstance(value, str) for value in values) and _choices(", ".join(values)) == values != []


def _choices(text: str) -> list[str]:
    return list(dict.fromkeys(choice for part in text.split(",") if (choice := line(part))))


def _property(before: Any, row: ArgumentRow) -> Any:
    """Return the property as the row has it, with what the row doesn't show."""
    if row.type not in (_type_of(before), OTHER):
        before = {**TYPES.get(row.type, {}), **({"description": before["description"]} if _description(before) else {})}
    own = dict(before) if isinstance(before, Mapping) else {"allOf": [before]}
    if row.type == CHOICE:
        own["enum"] = _choices(row.choices)
        if not own["enum"]:
            raise ValidationError(gettext("“%(name)s” is one of which? Enter the choices, separated by commas.") % {"name": row.name})
    if row.description == _description(before):
        return own if isinstance(before, Mapping) else before
    own.pop("description", None)
    return {**own, "description": row.description} if row.description else own
