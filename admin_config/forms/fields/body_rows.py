"""A form field for the JSON object that a tool sends: a row for each field with its value and kind, and the same as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from admin_config.forms.fields.json_rows import (
    MAX_ROWS,
    JsonRowsField,
    JsonRowsWidget,
    Row,
    as_text,
    keys_of,
    line,
    parse_json,
    without_rows,
)
from admin_config.validation.json_key_order import object_of

TEXT: Final = "text"
ARGUMENT: Final = "argument"
NUMBER: Final = "number"
YES: Final = "yes"
NO: Final = "no"
JSON: Final = "json"
KINDS: Final = {
    TEXT: gettext_lazy("Text"),
    ARGUMENT: gettext_lazy("Argument"),
    NUMBER: gettext_lazy("Number"),
    YES: gettext_lazy("Yes"),
    NO: gettext_lazy("No"),
    JSON: gettext_lazy("JSON"),
}
PLACEHOLDER: Final = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")  # as a whole value it becomes the argument with its type

NUMBER_TEXT: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class BodyRow(Row):
    """One field of the body."""

    value: str = ""
    kind: str = TEXT

    @property
    def content(self) -> str:
        return self.value.strip()


class BodyRowsWidget(JsonRowsWidget):
    """Rows for the fields of the body."""

    template_name = "admin/tools/body_rows.html"
    row = BodyRow
    text_label = gettext_lazy("Body as JSON")

    def rows_of(self, value: Mapping[str, Any]) -> list[BodyRow]:
        if len(value) > MAX_ROWS:
            return []
        return [BodyRow(line(name), line(name), _text_of(part), _kind_of(part)) for name, part in value.items() if line(name)]

    def choices(self) -> dict[str, Any]:
        return {"kinds": KINDS.items()}

    def clean_part(self, part: str, text: str) -> str:
        return _one_line(text) if part == "value" else line(text)


class BodyRowsField(JsonRowsField):
    """Becomes the body; {} for none."""

    widget = BodyRowsWidget
    no_object = gettext_lazy('The body must be a JSON object, such as {"q": "{city}"}.')

    def prepare_value(self, value: Any) -> Any:
        return object_of(value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return as_text(object_of(initial)) != as_text(self.to_python(data))
        except ValidationError:
            return True

    def compose(self, before: Mapping[str, Any], rows: Sequence[BodyRow]) -> dict[str, Any]:
        body = without_rows(before)
        for row, former, name in keys_of(before, rows):
            is_same = former is not None and (row.value, row.kind) == (_text_of(before[former]), _kind_of(before[former]))
            body[name] = before[former] if is_same and former is not None else _value(row)
        return body


def _kind_of(value: Any) -> str:
    match value:
        case bool():
            return YES if value else NO
        case str():
            return ARGUMENT if PLACEHOLDER.fullmatch(value) else TEXT
        case int() | float():
            return NUMBER
        case _:
            return JSON


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return ""  # the kind says it
    return _one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _one_line(text: str) -> str:
    """Return the text as a browser's field of one line sends it; spaces stay."""
    return re.sub(r"[\r\n]+", " ", text)


def _value(row: BodyRow) -> Any:
    """Return the JSON value. Raises ValidationError, which names the row."""
    match row.kind:
        case "yes" | "no":
            return row.kind == YES
        case "argument":
            return _placeholder(row)
        case "number":
            return _number(row)
        case "json":
            return _json(row)
        case _:
            return row.value


def _placeholder(row: BodyRow) -> str:
    name = row.value.strip()
    placeholder = name if name.startswith("{") else f"{{{name}}}"
    if not PLACEHOLDER.fullmatch(placeholder):
        raise ValidationError(gettext("“%(name)s” is which argument? Enter its name, such as {city}.") % {"name": row.name})
    return placeholder


def _number(row: BodyRow) -> int | float:
    if not NUMBER_TEXT.fullmatch(row.value.strip()):
        raise ValidationError(gettext("“%(name)s” is no number. Write it as in JSON, such as 12 or 0.5.") % {"name": row.name})
    value: int | float = _json(row)
    return value


def _json(row: BodyRow) -> Any:
    try:
        return parse_json(row.value)
    except ValidationError as error:
        raise ValidationError(gettext("“%(name)s”: %(problem)s") % {"name": row.name, "problem": " ".join(error.messages)}) from error
