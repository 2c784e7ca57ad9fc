"""Conversion between a working row and a mapping of the fields that differ from their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Field, Model
from django.utils.translation import gettext

from tenants.input.plain_values import NotPlain, plain_check

EXCLUDED_FIELDS = frozenset({"id", "key", "kind", "provider", "organization"})

Row = TypeVar("Row", bound=Model)


class AgentFileInvalid(Exception):
    """The file can't be imported. `str(error)` says why: one problem per line, each with its place in the file."""


def row_export(row: Model, *, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the changed fields by name; empty for a row of defaults."""
    fields = (field for field in _fields(type(row)) if field.name not in without)
    values = {field.name: field.value_from_object(row) for field in fields}
    return {name: _plain(value) for name, value in values.items() if value != _default(type(row), name)}


def row_fill(row: Row, values: Mapping[str, Any], *, where: str, without: frozenset[str] = frozenset()) -> Row:
    """Set these values on the row, and defaults for fields that are not named; return the row. Raises AgentFileInvalid."""
    fields = {field.name: field for field in _fields(type(row)) if field.name not in without}
    if unknown := sorted(map(str, values.keys() - fields.keys())):
        raise AgentFileInvalid(gettext("%(where)s: unknown %(unknown)s.") % {"where": where, "unknown": ", ".join(unknown)})
    for name, field in fields.items():
        setattr(row, name, _clean_value(field, values[name], f"{where}.{name}") if name in values else _default(type(row), name))
    return row


def row_fill_and_save(row: Row, values: Mapping[str, Any], *, where: str, without: frozenset[str] = frozenset()) -> None:
    """Fill the row, and save it if it is new or has other values now: of the parts that a file names, most stay as they are."""
    before = None if row._state.adding else _columns(row)  # noqa: SLF001  # as Django's own forms ask
    row_fill(row, values, where=where, without=without)
    if before != _columns(row):
        row.save()


def _columns(row: Model) -> dict[str, Any]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def _fields(model: type[Model]) -> list[Field[Any, Any]]:
    return [field for field in model._meta.concrete_fields if not field.is_relation and field.name not in EXCLUDED_FIELDS]


def _default(model: type[Model], name: str) -> Any:
    field = model._meta.get_field(name)
    assert isinstance(field, Field)
    return field.get_default()


def _clean_value(field: Field[Any, Any], value: Any, where: str) -> Any:
    """Return the value as the row stores it. What the column could not hold is refused here; the rest with the checks of the whole draft."""
    if value is None and not field.null:
        raise AgentFileInvalid(gettext("%(where)s: a value is needed.") % {"where": where})
    try:
        clean = field.to_python(value)
    except (ValidationError, TypeError, ValueError, OverflowError) as error:
        raise AgentFileInvalid(gettext("%(where)s: %(value)s does not fit.") % {"where": where, "value": f"{value!r}"[:200]}) from error
    check_value(field, clean, where)
    return clean


def check_value(field: Field[Any, Any], clean: Any, where: str) -> None:
    """Raise AgentFileInvalid for what the field's validators refuse, and for a float that is no number."""
    try:
        if isinstance(clean, float):
            plain_check(clean, where)
        field.run_validators(clean)
    except NotPlain as error:
        raise AgentFileInvalid(str(error)) from error
    except ValidationError as error:
        raise AgentFileInvalid(f"{where}: {' '.join(error.messages)}") from error


def check_name_field(model: type[Model], name: str, where: str) -> None:
    """Raise AgentFileInvalid for a name that the model can't have."""
    field = model._meta.get_field("name")
    assert isinstance(field, Field)
    check_value(field, name, f"{where}.name")


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value
