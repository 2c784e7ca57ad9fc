"""Insert rows of several tables in one statement, so that rows that belong together cost one round trip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BooleanField,
    CharField,
    Field,
    JSONField,
    PositiveBigIntegerField,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    UUIDField,
)
from django.db.models.expressions import DatabaseDefault, RawSQL
from django.db.models.functions import Now

from tenants.context import current_organization_id
from tenants.errors import NoTenantContext
from tenants.models import OrganizationKey, TenantForeignKey, TenantModel

ON_CONFLICT_IGNORE = "ON CONFLICT DO NOTHING"


def rows_insert(rows: Sequence[TenantModel], *, if_new: Sequence[TenantModel] = (), then: tuple[str, Sequence[Any]] | None = None) -> int:
    """Insert new rows of the current organization; return how many rows the last statement changed.

    The rows may be in any order: references are checked at the end of the statement or later. The last statement is `then` when it is
    given. No signals are sent.

    - `if_new`: rows to skip when a unique constraint is violated. Always pass the same kind of rows in the same order: two transactions
      that insert equal rows wait for each other.
    - `then`: one more data-modifying statement with its parameters. It sees the tables as they were before the inserts.

    Raises NoTenantContext for another organization's rows, and IntegrityError.
    """
    statements = [_insert(group, if_new=True) for group in _by_table(if_new)] + [_insert(group) for group in _by_table(rows)]
    statements += [then] if then else []
    if not statements:
        return 0
    heads = [f"w{number} AS ({sql})" for number, (sql, _) in enumerate(statements[:-1])]
    sql = (f"WITH {', '.join(heads)} " if heads else "") + statements[-1][0]
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for _, values in statements for value in values])
        changed: int = cursor.rowcount
    return changed


def insert_if_new(row: TenantModel) -> tuple[str, Sequence[Any]]:
    """Return a statement for `then` that inserts the row unless a unique constraint is violated. Raises NoTenantContext."""
    return _insert([row], if_new=True)


def _by_table(rows: Sequence[TenantModel]) -> Iterable[list[TenantModel]]:
    return [list(group) for _, group in groupby(rows, type)]


def _insert(rows: Sequence[TenantModel], *, if_new: bool = False) -> tuple[str, Sequence[Any]]:
    """Return the statement and its parameters for rows of one table."""
    if any(row.organization_id != current_organization_id() for row in rows):
        raise NoTenantContext("A row of one organization cannot be written in the transaction of another.")
    database = transaction.get_connection()
    columns = _columns(type(rows[0]))
    cells = [[_cell(row, field, kind, database) for field, kind in columns] for row in rows]
    lines = ", ".join([f"({', '.join([sql for sql, _ in line])})" for line in cells])
    sql = f"{_insert_head(type(rows[0]))} VALUES {lines} {ON_CONFLICT_IGNORE if if_new else ''}"
    return sql.rstrip(), [value for line in cells for _, values in line for value in values]


@cache
def _insert_head(model: type[TenantModel]) -> str:
    columns = ", ".join(f'"{field.column}"' for field in _given_fields(model))
    return f'INSERT INTO "{model._meta.db_table}" ({columns})'


def _given_fields(model: type[TenantModel]) -> list[Field[Any, Any]]:
    """Return the fields without those that the database works out."""
    return [field for field in model._meta.local_concrete_fields if not field.generated]


@cache
def _columns(model: type[TenantModel]) -> Sequence[tuple[Field[Any, Any], type | None]]:
    """Return the columns in order, each with the type of values that are passed to the database unchanged.

    None in place of the type: the field must prepare each value.
    """
    fields = _given_fields(model)
    return [(field, _PASSTHROUGH_TYPES.get(type(field)) if type(field).pre_save is Field.pre_save else None) for field in fields]


_PASSTHROUGH_TYPES: dict[type, type] = {
    UUIDField: UUID,
    TenantForeignKey: UUID,
    OrganizationKey: UUID,
    CharField: str,
    BooleanField: bool,
    PositiveIntegerField: int,
    PositiveSmallIntegerField: int,
    PositiveBigIntegerField: int,
}


def _cell(row: TenantModel, field: Field[Any, Any], kind: type | None, database: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
    """Return the SQL for one field, and its parameters.

    Common values become literals, because the driver takes much longer for a parameter. Of expressions, only RawSQL, Now and the database's
    default are possible.
    """
    value = field.pre_save(row, True) if kind is None else getattr(row, field.attname)
    if value is None:
        return "NULL", ()
    if kind is not None and isinstance(value, kind):
        often = None if kind is UUID else _LITERALS.get((kind, value))
        return (often, ()) if often else ("%s", (value,))
    if isinstance(value, datetime) and value.tzinfo is not None:
        return "%s", (value,)
    if type(value) in _EXPRESSIONS:
        return _EXPRESSIONS[type(value)], ()
    if isinstance(value, RawSQL):
        return value.sql, value.params
    if type(field) is JSONField and value in ({}, []):
        return ("'{}'" if value == {} else "'[]'"), ()
    return "%s", (field.get_db_prep_save(value, database),)


_EXPRESSIONS: dict[type, str] = {Now: "STATEMENT_TIMESTAMP()", DatabaseDefault: "DEFAULT"}  # the SQL that Django writes for PostgreSQL
_LITERALS: dict[tuple[type, object], str] = {(str, ""): "''", (bool, True): "TRUE", (bool, False): "FALSE", (int, 0): "0", (int, 1): "1"}
