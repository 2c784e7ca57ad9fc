"""Several selects in one round trip, for hot paths that would otherwise wait for each answer before they ask the next question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from django.db import connection

from tenants.context import database_pipeline

Rows = list[tuple[Any, ...]]


def read_together(*selects: tuple[str, Mapping[str, Any]]) -> list[Rows]:
    """Run the selects (SQL, parameters) in order and in one round trip. Return the rows of each.

    Each select sees what was committed when the one before it ended, so a lock protects all selects after it. Needs an open transaction.
    Raises the error of the first select that fails.
    """
    with ExitStack() as opened:
        cursors = [opened.enter_context(connection.cursor()) for _ in selects]
        with database_pipeline():
            for cursor, (sql, parameters) in zip(cursors, selects, strict=True):
                cursor.execute(sql, parameters)
        return [cursor.fetchall() for cursor in cursors]


def read_rows(sql: str, parameters: Mapping[str, Any] | Sequence[Any]) -> Rows:
    """Run one select and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: Rows = cursor.fetchall()
        return rows
