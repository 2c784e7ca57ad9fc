"""Prepared statements for hot paths, several selects in one round trip.

PostgreSQL takes longer to plan such a statement than to run it. A prepared one is planned once for each connection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from tenants.context import SET_ORGANIZATION, current_alias, database_pipeline, tenant_tx

Rows = list[tuple[Any, ...]]


def read_together(*selects: tuple[str, Mapping[str, Any] | Sequence[Any]]) -> list[Rows]:
    """Run the selects (SQL, parameters) in order and in one round trip. Return the rows of each.

    Each select sees what was committed when the one before it ended, so a lock protects all selects after it. Without an open
    transaction they are one of their own. Raises the error of the first select that fails.
    """
    database = transaction.get_connection()
    with prepared(database):
        cursors = [database.cursor() for _ in selects]
        with database_pipeline(database):
            for cursor, (sql, parameters) in zip(cursors, selects, strict=True):
                cursor.execute(sql, parameters)
    return [cursor.fetchall() for cursor in cursors]


def read_rows(sql: str, parameters: Mapping[str, Any] | Sequence[Any], *, using: str | None = None) -> Rows:
    """Run one select and return its rows. `using`: an alias, else the current one."""
    connection = connections[using or current_alias()]
    with prepared(connection), connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: Rows = cursor.fetchall()
        return rows


def read_committed(organization_id: UUID, sql: str, parameters: Mapping[str, Any] | Sequence[Any]) -> Rows:
    """Run one select that sees only the rows of `organization_id`, outside a transaction, in one round trip instead of three.

    The server takes what travels together for one transaction, so the setting ends with the select, and a pooler keeps both on one
    connection. Were they ever parted, the policies would raise an error: a missing setting never hides rows.
    """
    if transaction.get_connection().in_atomic_block:
        with tenant_tx(organization_id):
            return read_rows(sql, parameters)
    return read_together((SET_ORGANIZATION, [str(organization_id)]), (sql, parameters))[1]


@contextmanager
def prepared(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Let cursors that are opened in the block send their parameters beside the SQL, and prepare what they execute there."""
    if connection.queries_logged:  # Django's log would miss their SQL
        yield
        return
    connection.ensure_connection()
    native = connection.connection
    factory, threshold = native.cursor_factory, native.prepare_threshold
    native.cursor_factory, native.prepare_threshold = psycopg.Cursor, 0 if settings.DB_PREPARE else None
    try:
        yield
    finally:
        native.cursor_factory, native.prepare_threshold = factory, threshold
