"""SQL statements for row security. The migration operations run them, and the catalogue check compares with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.backends.utils import truncate_name

from tenants.plain_keys import PLAIN_KEYS
from tenants.postgres.partition_sql import PARTITIONED_TABLES

MAX_IDENTIFIER_BYTES = 63  # PostgreSQL cuts longer identifiers

# Without missing_ok, so that an unset or empty setting raises an error instead of showing rows. The sub-select runs once per statement.
TENANT_ROWS = "organization_id = (select current_setting('app.org')::uuid)"


@dataclass(frozen=True)
class CompositeKey:
    """The foreign key (organization_id, column) -> (organization_id, id)."""

    table: str
    column: str
    target: str

    @property
    def name(self) -> str:
        return truncate_name(f"{self.table}_{self.column}_organization_fk", MAX_IDENTIFIER_BYTES)


def composite_keys(model: type[models.Model]) -> list[CompositeKey]:
    from tenants.models import TenantForeignKey  # historical models need the field class only when this runs

    fields = [field for field in model._meta.local_fields if isinstance(field, TenantForeignKey)]
    return [CompositeKey(model._meta.db_table, field.column, field.related_model._meta.db_table) for field in fields]


def plain_keys() -> list[CompositeKey]:
    """Return the keys of plain columns that hold the ids of rows of a higher layer."""
    relations = [(child, column, parent) for parent, keys in PLAIN_KEYS.items() for child, column in keys]
    return [CompositeKey(_table(child), column, _table(parent)) for child, column, parent in relations]


def _table(label: str) -> str:
    table: str = apps.get_model(label)._meta.db_table
    return table


def tenant_tables() -> set[str]:
    """Return the tables of all tenant models."""
    from tenants.models import TenantModel

    return {model._meta.db_table for model in apps.get_models() if issubclass(model, TenantModel)}


def policies(table: str) -> Iterator[str]:
    roles = settings.DATABASE_ROLES
    yield f'alter table "{table}" enable row level security'
    yield f'alter table "{table}" force row level security'
    yield from drop_policies(table)
    yield f'create policy tenant_rows on "{table}" to "{roles.app}", "{roles.auth}" using ({TENANT_ROWS}) with check ({TENANT_ROWS})'
    yield f'create policy all_rows on "{table}" to "{roles.system}", "{roles.owner}" using (true) with check (true)'


def drop_policies(table: str) -> Iterator[str]:
    yield f'drop policy if exists tenant_rows on "{table}"'
    yield f'drop policy if exists all_rows on "{table}"'


def identity(table: str) -> Iterator[str]:
    """Add the unique (organization_id, id) that composite keys refer to, unless an earlier key has already added it.

    A table in partitions by time can't have it, and nothing refers to its rows.
    """
    if PARTITIONED_TABLES.get(table, "id") != "id":
        return
    name = truncate_name(f"{table}_organization_id_id", MAX_IDENTIFIER_BYTES)
    yield _unless_constraint(table, name, "unique (organization_id, id)")


def foreign_key(key: CompositeKey) -> Iterator[str]:
    yield from identity(key.target)
    columns = f'foreign key (organization_id, "{key.column}") references "{key.target}" (organization_id, id)'
    yield _unless_constraint(key.table, key.name, f"{columns} deferrable initially deferred")


def drop_constraint(table: str, name: str) -> str:
    return f'alter table "{table}" drop constraint if exists "{name}"'


def _unless_constraint(table: str, name: str, definition: str) -> str:
    constraint = f"select from pg_constraint where conname = '{name}' and conrelid = '\"{table}\"'::regclass"
    return f'do $$ begin if not exists ({constraint}) then alter table "{table}" add constraint "{name}" {definition}; end if; end $$'
