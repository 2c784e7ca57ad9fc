"""Rows of several tables in one statement: what belongs together costs one round trip to the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models.constants import OnConflict
from django.db.models.sql import InsertQuery

from tenants.context import current_organization_id
from tenants.errors import NoTenant
from tenants.models import TenantModel


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
    sql, values = _insert(row, on_conflict=OnConflict.IGNORE)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        inserted: bool = cursor.rowcount == 1
    return inserted


def _insert(row: TenantModel, *, on_conflict: OnConflict | None = None) -> tuple[str, Sequence[Any]]:
    if row.organization_id != current_organization_id():
        raise NoTenant("A row of one organization cannot be written in the transaction of another.")
    query = InsertQuery(type(row), on_conflict=on_conflict)
    query.insert_values(row._meta.local_concrete_fields, [row])
    [(sql, values)] = query.get_compiler(connection=connection).as_sql()
    return sql, values
