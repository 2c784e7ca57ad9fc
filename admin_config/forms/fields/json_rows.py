"""Base of form fields for a JSON object that is edited in rows or as text.

Both are on the page, and whichever was edited counts. What rows can't say stays as it is: a row changes only what it shows.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext

from admin_config.forms.fields.template_widget import TemplateWidget
from tenants.input.plain_values import MAX_DEPTH, is_deeper

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_ROWS: Final = 60
NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # as JSON writes the character, which the database can't store


@dataclass(frozen=True)
class Row(ABC):
    """One key of the object. `former`: its name before it was edited. All parts of a row are texts."""

    former: str = ""
    name: str = ""

    @property
    @abstractmethod
    def content(self) -> str:
        """What the row says without its name: a row with neither is no row."""


@dataclass(frozen=True)
class PostedRows:
    """What the form sent. `text_before`: the text that the page had, which tells which of rows and `text` was edited."""

    rows: Sequence[Any]
    text: str
    text_before: str


class JsonRowsWidget(TemplateWidget):
    """Rows, of which each part is sent as `<field>-<part>`, and a text field for the JSON, with the field's own name."""

    row: ClassVar[type[Row]]
    text_label: ClassVar[StrOrPromise]  # of the text field

    def rows_of(self, value: Mapping[str, Any]) -> list[Any]:
        """Return the object's rows; none when they are too many for a form."""
        raise NotImplementedError

    def choices(self) -> dict[str, Any]:
        """Return what the template's select fields offer."""
        return {}

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        submission = value if isinstance(value, PostedRows) else PostedRows(self.rows_of(value or {}), as_text(value), as_text(value))
        is_text_open = submission.text != submission.text_before or bool(submission.text and not submission.rows)
        context["widget"] |= {"rows": submission.rows or [self.row()], "text_label": self.text_label, **self.choices()}
        context["widget"] |= {"text": submission.text, "text_before": submission.text_before, "is_text_open": is_text_open}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> PostedRows:
        columns = [[self.clean_part(part.name, text) for text in data.getlist(f"{name}-{part.name}")] for part in fields(self.row)]
        rows = [self.row(*row) for row in zip(*columns, strict=False)]
        return PostedRows([row for row in rows if row.name or row.content], data.get(name, ""), data.get(f"{name}-shown", ""))

    def clean_part(self, part: str, text: str) -> str:
        return line(text)

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class JsonRowsField(forms.Field):
    """Becomes a JSON object; {} when there is nothing in it."""

    widget: Any = JsonRowsWidget
    no_object: ClassVar[StrOrPromise]  # said of JSON that is none

    def compose(self, before: Mapping[str, Any], rows: Sequence[Any]) -> dict[str, Any]:
        """Return the object with these rows in place of those that it had. Raises ValidationError."""
        raise NotImplementedError

    def to_python(self, value: PostedRows | None) -> dict[str, Any]:
        if value is None:
            return {}
        before, text = self._load_object(value.text_before), self._load_object(value.text)
        if list(value.rows) == self.widget.rows_of(before):
            return text
        if text != before:
            raise ValidationError(gettext("Change either the rows or the JSON, not both at once."))
        return self.compose(before, value.rows)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or {}) != self.to_python(data))
        except ValidationError:
            return True

    def _load_object(self, text: str) -> dict[str, Any]:
        """Return the object. Raises ValidationError."""
        value = parse_json(text) if text.strip() else {}
        if not isinstance(value, dict):
            raise ValidationError(self.no_object)
        return value


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) if value else ""


def line(text: object) -> str:
    """Return the text as a field of one line has it."""
    return " ".join(str(text).split())


def keys_of(before: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[tuple[Any, str | None, str]]:
    """Yield each row with the key that it was drawn from, if any, and the key that it has now. Raises ValidationError."""
    _check(before, rows)
    keys_by_line = {line(key): key for key in before if line(key)}
    for row in rows:
        former = keys_by_line.get(row.former)
        yield row, former, former if former is not None and row.name == row.former else row.name


def without_rows(before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what no row can show: keys without a letter."""
    return {key: value for key, value in before.items() if not line(key)}


def parse_json(text: str) -> Any:
    """Return the JSON value. Raises ValidationError, also for what the database can't store."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_int=_integer, parse_float=_float, object_pairs_hook=_object)
        json_text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        json_text.encode()  # refuses half of a surrogate pair
    except (ValueError, RecursionError) as error:
        raise ValidationError(gettext("This is no JSON: %(error)s") % {"error": error}) from error
    if is_deeper(value, MAX_DEPTH):
        raise ValidationError(gettext("It is nested too deeply."))
    if NUL.search(json_text):
        raise ValidationError(ProhibitNullCharactersValidator.message)
    return value


def _check(before: Mapping[str, Any], rows: Sequence[Row]) -> None:
    names = [row.name for row in rows]
    if max(len(rows), len(before)) > MAX_ROWS:
        raise ValidationError(gettext("At most %(most)s rows.") % {"most": MAX_ROWS})
    if "" in names:
        raise ValidationError(gettext("“%(value)s” has no name.") % {"value": next(row.content for row in rows if not row.name)[:60]})
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValidationError(gettext("%(names)s: each name may stand once.") % {"names": ", ".join(twice)})
    if any("\0" in part for row in rows for part in vars(row).values()):
        raise ValidationError(ProhibitNullCharactersValidator.message)


def _integer(text: str) -> int:
    value = int(text)
    if not -(2**63) <= value < 2**64:
        raise ValueError(gettext("%(number)s… has too many digits.") % {"number": text[:20]})
    return value


def _float(text: str) -> float:
    """Return the number. Raises ValueError for one that the database would return as a whole number of too many digits."""
    value = float(text)
    if value.is_integer():
        _integer(str(int(value)))
    return value


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object. Raises ValueError for a name that stands twice, of which one value would be lost."""
    if twice := [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]:
        raise ValueError(gettext("%(names)s: each name may stand once.") % {"names": ", ".join(twice)})
    return dict(pairs)


def _refuse_constant(constant: str) -> None:
    raise ValueError(constant)  # NaN and Infinity, which are Python's and not JSON's
