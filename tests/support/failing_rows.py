"""Rows that the database refuses for a while, so that the work on one organization fails and that on others does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connections
from django.db.models import Model


@contextmanager
def refused_rows(model: type[Model], column: str, organization_id: UUID) -> Iterator[None]:
    """Refuse new and changed rows of `model` whose `column` is this organization, during the block."""
    table = f'alter table "{model._meta.db_table}"'
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"""{table} add constraint refused_rows check ("{column}" <> '{organization_id}') not valid""")
    try:
        yield
    finally:
        with connections["owner"].cursor() as cursor:
            cursor.execute(f"{table} drop constraint refused_rows")
