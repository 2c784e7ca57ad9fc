"""A form field for names with values, such as headers: one row each, in place of a JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from admin_config.forms.fields.json_rows import MAX_ROWS, parse_json
from admin_config.forms.fields.template_widget import TemplateWidget
from admin_config.validation.json_key_order import object_of

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

BLANK_ROWS: Final = 2  # below those that are filled; the page's script adds more

Pair = tuple[str, str]


class PairRowsWidget(TemplateWidget):
    """Rows of a name and a value; `<field>-name` and `<field>-value` are sent once for each row."""

    template_name = "admin/tools/pair_rows.html"
    noun: StrOrPromise = ""  # what a name is, for screen readers

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        context["widget"] |= {"rows": [*(value or ()), *[("", "")] * BLANK_ROWS], "noun": self.noun}
        return context

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Pair]:
        return list(zip(data.getlist(f"{name}-name"), data.getlist(f"{name}-value"), strict=False))

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return f"{name}-name" not in data

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class PairRowsField(forms.Field):
    """Becomes an object. A value that is a JSON list or object stays one; all others are texts."""

    widget = PairRowsWidget

    def __init__(self, *, noun: StrOrPromise, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.widget.noun = noun

    def prepare_value(self, value: Any) -> Any:
        mapping = object_of(value)
        return [(name, _as_text(part)) for name, part in mapping.items()] if isinstance(mapping, Mapping) else value

    def to_python(self, value: Sequence[Pair] | None) -> dict[str, Any]:
        rows = [(name.strip(), text.strip()) for name, text in value or () if name.strip() or text.strip()]
        if len(rows) > MAX_ROWS:
            raise ValidationError(gettext("At most %(most)s rows.") % {"most": MAX_ROWS})
        names = [name for name, _ in rows]
        if "" in names:
            raise ValidationError(gettext("“%(value)s” has no name.") % {"value": dict(rows)[""][:60]})
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValidationError(gettext("%(names)s: each name may stand once.") % {"names": ", ".join(twice)})
        return {name: _as_value(text) for name, text in rows}

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return list(object_of(initial or {}).items()) != list(self.to_python(data).items())
        except ValidationError:
            return True


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_value(text: str) -> Any:
    """`{city}` is no JSON and stays the text that it is."""
    if not text.startswith(("[", "{")):
        return text
    try:
        return parse_json(text)
    except ValidationError:
        return text
