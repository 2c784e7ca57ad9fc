"""Rows of several tables in one statement: what belongs together costs one round trip to the database."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Field
from django.db.models.sql import InsertQuery

from tenants.context import current_organization_id
from tenants.errors import NoTenant
from tenants.models import TenantModel

ON_CONFLICT_IGNORE = "ON CONFLICT DO NOTHING"


def rows_insert(rows: Sequence[TenantModel], *, then: tuple[str, Sequence[Any]] | None = None) -> None:
    """Insert new rows of the current organization, in any order: references are checked at the statement's end, and later.

    `then`: one more data-modifying statement and its parameters, which sees the tables as they were before. No signals are sent.
    Raises NoTenant for another organization's rows, IntegrityError.
    """
    statements = [_insert(row) for row in rows] + ([then] if then else [])
    heads = [f"w{number} AS ({sql})" for number, (sql, _) in enumerate(statements[:-1])]
    sql = (f"WITH {', '.join(heads)} " if heads else "") + statements[-1][0]
    with connection.cursor() as cursor:
        cursor.execute(sql, [value for _, values in statements for value in values])


def row_insert_if_new(row: TenantModel) -> bool:
    """Insert a row unless a unique one is in the way; whether it was inserted. Raises NoTenant."""
    sql, values = _insert(row, if_new=True)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        inserted: bool = cursor.rowcount == 1
    return inserted


def _insert(row: TenantModel, *, if_new: bool = False) -> tuple[str, Sequence[Any]]:
    if row.organization_id != current_organization_id():
        raise NoTenant("A row of one organization cannot be written in the transaction of another.")
    cells = [_cell(row, field) for field in row._meta.local_concrete_fields]
    sql = f"{_head(type(row))} VALUES ({', '.join(sql for sql, _ in cells)}) {ON_CONFLICT_IGNORE if if_new else ''}"
    return sql.rstrip(), [value for _, values in cells for value in values]


@cache
def _head(model: type[TenantModel]) -> str:
    columns = ", ".join(f'"{field.column}"' for field in model._meta.local_concrete_fields)
    return f'INSERT INTO "{model._meta.db_table}" ({columns})'


def _cell(row: TenantModel, field: Field[Any, Any]) -> tuple[str, Sequence[Any]]:
    """What stands for the field, and its values. Django's compiler is only asked for an expression, or a field that writes itself: it is slow."""
    value = field.pre_save(row, True)
    placeholder = getattr(field, "get_placeholder", None)
    if placeholder is None and not hasattr(value, "resolve_expression"):
        return "%s", [field.get_db_prep_save(value, connection)]
    compiler = InsertQuery(type(row)).get_compiler(connection=connection)
    sql, values = compiler.field_as_sql(field, placeholder, compiler.prepare_value(field, value))
    return sql, list(values)
