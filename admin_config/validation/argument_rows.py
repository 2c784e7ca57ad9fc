"""A form field for the arguments that a model gives a tool: a row each, and the same as JSON Schema.

What rows can't say, such as a pattern or an object within an object, stays as it is: a row changes only what it shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
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
NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes the character, which the database can't store


@dataclass(frozen=True)
class PostedArguments:
    """What the form sent. `shown`: the schema that the page had, which tells which of rows and `text` was edited."""

    rows: Sequence[Row]
    text: str
    shown: str


class ArgumentRowsWidget(TemplateWidget):
    """Rows, of which each part is sent as `<field>-<part>`, and a text field for the schema, with the field's own name."""

    template_name = "admin/argument_rows.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        sent = value if isinstance(value, PostedArguments) else PostedArguments(rows_of(value or {}), as_text(value), as_text(value))
        is_text_open = sent.text != sent.shown or bool(sent.text and not sent.rows)
        context["widget"] |= {"rows": sent.rows or [Row()], "types": LABELS.items(), "other": OTHER}
        context["widget"] |= {"text": sent.text, "shown": sent.shown, "is_text_open": is_text_open}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> PostedArguments:
        columns = [data.getlist(f"{name}-{part}") for part in PARTS]
        rows = [Row(*(_line(part) for part in row)) for row in zip(*columns, strict=False)]
        return PostedArguments([row for row in rows if row.name or row.description], data.get(name, ""), data.get(f"{name}-shown", ""))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class ArgumentRowsField(forms.Field):
    """Becomes a JSON schema of type object; {} when there are no arguments."""

    widget = ArgumentRowsWidget

    def to_python(self, value: PostedArguments | None) -> dict[str, Any]:
        if value is None:
            return {}
        shown, text = _loaded(value.shown), _loaded(value.text)
        are_rows_edited = list(value.rows) != rows_of(shown)
        if not are_rows_edited:
            return text
        if text != shown:
            raise ValidationError(gettext("Change either the rows or the JSON schema, not both at once."))
        return _composed(shown, value.rows)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or {}) != self.to_python(data))
        except ValidationError:
            return True


def as_text(schema: Any) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=2) if schema else ""


def rows_of(schema: Mapping[str, Any]) -> list[Row]:
    """Return the rows of a schema's properties; none when they are too many for a form."""
    parts = _parts(schema)
    needed = _required(schema)
    if len(parts) > MAX_ROWS:
        return []
    return [_row(name, part, is_required=name in needed) for name, part in parts.items() if _line(name)]


def _parts(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def _required(schema: Mapping[str, Any]) -> Sequence[Any]:
    required = schema.get("required")
    return required if isinstance(required, list) else []


def _row(name: str, part: Any, *, is_required: bool) -> Row:
    kind = _type_of(part)
    choices = ", ".join(part["enum"]) if kind == CHOICE else ""
    return Row(_line(name), _line(name), kind, "yes" if is_required else "no", _description(part), choices)


def _description(part: Any) -> str:
    return _line(part.get("description", "")) if isinstance(part, Mapping) else ""


def _line(text: object) -> str:
    """Return the text as a field of one line has it."""
    return " ".join(str(text).split())


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


def _choices(line: str) -> list[str]:
    return list(dict.fromkeys(choice for part in line.split(",") if (choice := _line(part))))


def _composed(schema: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """Return the schema with these rows in place of its properties. Raises ValidationError."""
    before = _parts(schema)
    _check_names(rows, before)
    kept = {key: value for key, value in schema.items() if key not in ("type", "properties", "required")}
    row_names = {_line(name): name for name in before if _line(name)}
    properties = {name: part for name, part in before.items() if not _line(name)}  # which no row can show
    required = [name for name in properties if name in _required(schema)]
    for row in rows:
        former = row_names.get(row.former)
        name = former if former is not None and row.name == row.former else row.name
        properties[name] = _property(before[former] if former is not None else {}, row)
        required += [name] if row.required == "yes" else []
    if not properties and not kept:
        return {}
    return {"type": "object", "properties": properties, **({"required": required} if required else {}), **kept}


def _check_names(rows: Sequence[Row], before: Mapping[str, Any]) -> None:
    names = [row.name for row in rows]
    if max(len(rows), len(before)) > MAX_ROWS:
        raise ValidationError(gettext("At most %(most)s rows.") % {"most": MAX_ROWS})
    if "" in names:
        raise ValidationError(gettext("“%(value)s” has no name.") % {"value": next(row.description for row in rows if not row.name)[:60]})
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValidationError(gettext("%(names)s: each name may stand once.") % {"names": ", ".join(twice)})
    if any("\0" in part for row in rows for part in (row.name, row.description, row.choices)):
        raise ValidationError(ProhibitNullCharactersValidator.message)


def _property(before: Any, row: Row) -> Any:
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


def _loaded(text: str) -> dict[str, Any]:
    """Return the schema. Raises ValidationError, also for what the database can't store."""
    try:
        schema = json.loads(text, parse_constant=_refused) if text.strip() else {}
        written = json.dumps(schema, ensure_ascii=False)
        written.encode()  # refuses half of a surrogate pair
    except (ValueError, RecursionError) as error:
        raise ValidationError(gettext("This is no JSON: %(error)s") % {"error": error}) from error
    if NUL.search(written):
        raise ValidationError(ProhibitNullCharactersValidator.message)
    if not isinstance(schema, dict):
        raise ValidationError(gettext('The schema must have "type": "object" and "properties".'))
    return schema


def _refused(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity, which are Python's and not JSON's
