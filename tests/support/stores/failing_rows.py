"""Rows that the database refuses for a while, so that the work on one organization fails and that on others does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connections
from django.db.models import Model

# A sequence counts also what is rolled back. The owner's rights: the app role may use no other sequence.
_REFUSE_FIRST = """
create sequence refused_first;
create function refuse_first() returns trigger language plpgsql security definer as $$
begin
    if nextval('public.refused_first') <= {count} then raise exception 'refused for a test' using errcode = '{sqlstate}'; end if;
    return new;
end $$;
create trigger refuse_first before insert on "{table}" for each row execute function refuse_first();
"""


@contextmanager
def first_row_refused(model: type[Model], sqlstate: str, count: int = 1) -> Iterator[None]:
    """Refuse the first new rows of `model`, so many of them, with this error during the block."""
    table = model._meta.db_table
    with connections["owner"].cursor() as cursor:
        cursor.execute(_REFUSE_FIRST.format(table=table, sqlstate=sqlstate, count=count))
    try:
        yield
    finally:
        with connections["owner"].cursor() as cursor:
            cursor.execute(f'drop trigger refuse_first on "{table}"; drop function refuse_first(); drop sequence refused_first')


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
