"""What a saved admin form changed, by field, for the audit log: before and after, of secrets at most the last four characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Model, QuerySet
from django.utils import translation

MAX_VALUE_CHARS = 500  # of one value
MIN_LENGTH_FOR_LAST_FOUR = 12  # four characters would tell too much of a shorter secret

Changes = tuple[dict[str, Any], dict[str, Any]]  # before, after


def form_changes(form: Any, formsets: Iterable[Any] = (), *, is_new: bool = False) -> Changes:
    """Return the changed fields of a valid form and of its inlines, with the values from before and after."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for name, old, new in _all_changes(form, formsets):
        if not is_new and old not in ("", None):
            before[name] = old
        after[name] = new
    return before, after


def _all_changes(form: Any, formsets: Iterable[Any]) -> Iterator[tuple[str, Any, Any]]:
    yield from _changes(form)
    for formset in formsets:
        with translation.override(settings.LANGUAGE_CODE):  # it is stored, for readers of any language
            kind = str(formset.model._meta.verbose_name)
        for row in formset.deleted_objects:
            yield f"{kind} {row}"[:100], "yes", "deleted"
        for inline in formset.forms:
            if inline.has_changed() and inline not in formset.deleted_forms:
                for name, old, new in _changes(inline):
                    yield f"{kind} {inline.instance}"[:100] + f": {name}", old, new


def _changes(form: Any) -> Iterator[tuple[str, Any, Any]]:
    for name in form.changed_data:
        field = form.fields[name]
        if isinstance(field.widget, forms.PasswordInput):
            yield name, "", _secret(name, form.cleaned_data.get(name))
        else:
            yield name, _value(form[name].initial), _value(form.cleaned_data.get(name))


def _secret(name: str, value: object) -> str:
    text = str(value or "")
    if "password" in name or len(text) < MIN_LENGTH_FOR_LAST_FOUR:
        return "replaced" if text else ""
    return f"•••• {text[-4:]}, replaced"


def _value(value: Any) -> Any:
    """Return the value as JSON has it, and long text cut."""
    match value:
        case None | bool() | int() | float():
            return value
        case Model():
            return str(value)[:MAX_VALUE_CHARS]
        case QuerySet() | list() | tuple() | set():
            return [_value(item) for item in list(value)[:50]]
        case _ if hasattr(value, "size") and hasattr(value, "name"):  # an uploaded file
            return str(value.name)[:MAX_VALUE_CHARS]
        case _:
            text = str(value)
            return text if len(text) <= MAX_VALUE_CHARS else f"{text[:MAX_VALUE_CHARS]}…"
