"""SQL that gives each working role exactly its rights on every table. Run by the owner after each migrate; can be repeated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.db import connections, transaction

from tenants.postgres import membership_guard, row_security_sql
from tenants.postgres.append_only import OWNER_FUNCTIONS
from tenants.postgres.partitions import partitioned_tables, partitions_create
from tenants.postgres.platform_tables import (
    ALL_COLUMNS,
    PLATFORM_TABLES,
    POLICIES,
    TENANT_TABLE,
    TENANT_TABLES,
    Policy,
    Rights,
    RoleRights,
)

_DROP_POLICIES = """
do $$ declare name text; begin
    for name in select policyname from pg_policies where schemaname = 'public' and tablename = '{table}' loop
        execute format('drop policy %I on "{table}"', name);
    end loop;
end $$"""
WORKING_ROLES = ("app", "auth", "system")  # fields of DatabaseRoles


def grant_table_rights(*, using: str, **kwargs: Any) -> None:
    """Give the working roles their rights on all tables and functions that exist, and make the partitions of this and the next months.

    Receives Django's `post_migrate` of tenants. Processes are at work meanwhile. So rights are replaced in one transaction, which locks no
    table, and each table's policies, which lock it, in one of their own.
    """
    connection = connections[using]
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        with transaction.atomic(using=using):
            for statement in rights(tables):
                cursor.execute(statement)
            cursor.execute(
                "select proname::text, oid::regprocedure::text from pg_proc where prosecdef and pronamespace = 'public'::regnamespace"
            )
            for name, signature in cursor.fetchall():
                for statement in function_rights(name, signature):
                    cursor.execute(statement)
        for statements in guards(tables):
            with transaction.atomic(using=using):
                for statement in statements:
                    cursor.execute(statement)
    for table in partitioned_tables(using=using):
        partitions_create(table, using=using, most=None)


def function_rights(name: str, signature: str) -> Iterator[str]:
    """Yield what opens a function that runs with its owner's rights to its callers, and to nobody else."""
    roles = role_names()
    yield "revoke all on function {} from public, {}".format(signature, ", ".join(f'"{role}"' for role in roles.values()))
    for role in sorted(OWNER_FUNCTIONS.get(name, ())):
        yield f'grant execute on function {signature} to "{roles[role]}"'


def rights(tables: set[str]) -> Iterator[str]:
    roles = ", ".join(f'"{role}"' for role in role_names().values())
    yield f"grant usage on schema public to {roles}"
    yield f"revoke all on all tables in schema public from public, {roles}"
    yield f"revoke all on all sequences in schema public from public, {roles}"  # identity columns need none
    for table, expected in expected_rights(tables).items():
        for role, name in role_names().items():
            yield from grants(table, name, getattr(expected, role))


def guards(tables: set[str]) -> Iterator[Iterator[str]]:
    """Yield the statements for each table that has policies, or a trigger, of its own."""
    for table in sorted(POLICIES.keys() & tables):
        yield policies(table)
    if "tenants_membership" in tables:
        yield membership_guard.statements()


def expected_rights(tables: set[str]) -> Mapping[str, RoleRights]:
    """Return the rights on each of these tables: of organizations, of the platform, and none on unknown ones."""
    tenant_tables = row_security_sql.tenant_tables() - PLATFORM_TABLES.keys()
    of_tenants = {table: TENANT_TABLES.get(table, TENANT_TABLE) for table in tenant_tables}
    return {table: of_tenants.get(table) or PLATFORM_TABLES.get(table) or RoleRights() for table in sorted(tables)}


def role_names() -> dict[str, str]:
    return {role: getattr(settings.DATABASE_ROLES, role) for role in WORKING_ROLES}


def grants(table: str, role: str, rights: Rights) -> Iterator[str]:
    for privilege in ("select", "insert", "update"):
        if columns := getattr(rights, privilege):
            column_clause = "" if columns == ALL_COLUMNS else " ({})".format(", ".join(f'"{column}"' for column in columns))
            yield f'grant {privilege}{column_clause} on "{table}" to "{role}"'
    if rights.delete:
        yield f'grant delete on "{table}" to "{role}"'


def policies(table: str) -> Iterator[str]:
    """Replace all policies of the table."""
    yield f'alter table "{table}" enable row level security'
    yield f'alter table "{table}" force row level security'
    yield _DROP_POLICIES.format(table=table)
    for policy in POLICIES[table]:
        yield _policy(table, policy)


def _policy(table: str, policy: Policy) -> str:
    roles = ", ".join(f'"{getattr(settings.DATABASE_ROLES, role)}"' for role in policy.roles)
    using = f" using ({policy.using})" if policy.using else ""
    check = f" with check ({policy.check})" if policy.check else ""
    return f'create policy {policy.name} on "{table}" for {policy.command.lower()} to {roles}{using}{check}'
