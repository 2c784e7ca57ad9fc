"""Checks that the working roles have exactly the rights of `platform_tables`, by PostgreSQL's own catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from tenants.postgres import membership_guard
from tenants.postgres.migration_state import unknown_migrations
from tenants.postgres.platform_tables import ALL_COLUMNS, PLATFORM_TABLES, POLICIES, Rights
from tenants.postgres.table_rights import expected_rights, role_names

MIGRATE = "migrate again as the owner role"
COLUMN_PRIVILEGES = ("select", "insert", "update")
TABLE_PRIVILEGES = ("delete", "truncate", "references", "trigger")

ColumnRights = dict[tuple[str, str], dict[str, set[str]]]  # (role, table) -> privilege -> columns


def platform_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Report rights, policies and triggers that differ from the list.

    Tables and columns of a newer version are passed over: its own processes check them, and this one asks for none.
    """
    columns = _columns(connection)
    if unknown_migrations(connection):
        columns = _known_columns(columns)
    yield from _right_problems(connection, columns)
    yield from _policy_problems(connection, set(columns))
    yield from _guard_problems(connection)


def _columns(connection: BaseDatabaseWrapper) -> dict[str, set[str]]:
    """Return the columns of each table and view."""
    columns: dict[str, set[str]] = {}
    rows = query(
        connection,
        """select relname, attname from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
           where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')""",
    )
    for table, column in rows:
        columns.setdefault(table, set()).add(column)
    return columns


def _known_columns(columns: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return those of the columns that this code's models have. A table that no version has as a model, such as a view, keeps all."""
    model_columns = {
        model._meta.db_table: {field.column for field in model._meta.fields} for model in apps.get_models(include_auto_created=True)
    }
    table_names = {*PLATFORM_TABLES, *model_columns}
    return {table: names & model_columns.get(table, names) for table, names in columns.items() if table in table_names}


def _right_problems(connection: BaseDatabaseWrapper, columns: Mapping[str, set[str]]) -> Iterator[str]:
    rights = _rights(connection)
    for table, expected in expected_rights(set(columns)).items():
        for role, name in role_names().items():
            yield from _differences(name, table, columns[table], getattr(expected, role), rights.get((name, table), {}))


def _differences(role: str, table: str, columns: set[str], expected: Rights, actual_rights: Mapping[str, set[str]]) -> Iterator[str]:
    for privilege in COLUMN_PRIVILEGES:
        listed_columns = getattr(expected, privilege)
        expected_columns = columns if listed_columns == ALL_COLUMNS else set(listed_columns)
        allowed = actual_rights.get(privilege, set()) & columns
        if too_many := sorted(allowed - expected_columns):
            yield f"Role {role} may {privilege} {table} ({', '.join(too_many)}), which platform_tables does not list: {MIGRATE}."
        if missing := sorted(expected_columns - allowed):
            yield f"Role {role} may not {privilege} {table} ({', '.join(missing)}): {MIGRATE}."
    if expected.delete and "delete" not in actual_rights:
        yield f"Role {role} lacks the right to delete on {table}: {MIGRATE}."
    for privilege in sorted({*TABLE_PRIVILEGES} & actual_rights.keys()):
        if privilege != "delete" or not expected.delete:
            yield f"Role {role} has the right to {privilege} on {table}, which platform_tables does not list: {MIGRATE}."


def _rights(connection: BaseDatabaseWrapper) -> ColumnRights:
    """Return what the roles may do in effect: by grants to them, to roles that they are members of, and to everybody."""
    roles = [*role_names().values()]
    rights: ColumnRights = {}
    of_columns = """
        select role.rolname, relname, privilege, array_agg(attname::text)
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
          cross join pg_roles role cross join unnest(%s::text[]) as privilege
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and role.rolname = any(%s)
          and has_column_privilege(role.oid, pg_class.oid, attnum, privilege)
        group by role.rolname, relname, privilege"""
    for role, table, privilege, columns in query(connection, of_columns, [[*COLUMN_PRIVILEGES], roles]):
        rights.setdefault((role, table), {})[privilege] = set(columns)
    of_tables = """
        select role.rolname, relname, privilege
        from pg_class cross join pg_roles role cross join unnest(%s::text[]) as privilege
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and role.rolname = any(%s)
          and has_table_privilege(role.oid, pg_class.oid, privilege)"""
    for role, table, privilege in query(connection, of_tables, [[*TABLE_PRIVILEGES], roles]):
        rights.setdefault((role, table), {})[privilege] = set()
    return rights


def _policy_problems(connection: BaseDatabaseWrapper, tables: set[str]) -> Iterator[str]:
    policies = stored_policies(connection)
    secured_tables = {name for (name,) in query(connection, "select relname from pg_class where relrowsecurity and relforcerowsecurity")}
    for table in sorted(POLICIES.keys() & tables):
        if table not in secured_tables:
            yield f"Table {table} has no forced row security: {MIGRATE}."
        if policies.get(table, set()) != _expected_policies(table):
            yield f"Table {table} has other policies than platform_tables lists: {MIGRATE}."


def _expected_policies(table: str) -> set[tuple[Any, ...]]:
    roles = settings.DATABASE_ROLES
    return {
        (
            policy.name,
            "PERMISSIVE",
            policy.command,
            tuple(sorted(getattr(roles, role) for role in policy.roles)),
            policy.stored_sql if policy.using else "",
            policy.stored_sql if policy.check else "",
        )
        for policy in POLICIES[table]
    }


def stored_policies(connection: BaseDatabaseWrapper) -> dict[str, set[tuple[Any, ...]]]:
    """Return the policies of each table: name, kind, command, roles, and both expressions without whitespace."""
    policies: dict[str, set[tuple[Any, ...]]] = {}
    rows = query(
        connection,
        "select tablename, policyname, permissive, cmd, roles::text[], qual, with_check from pg_policies where schemaname = 'public'",
    )
    for table, name, permissive, command, roles, using, check in rows:
        policy = (name, permissive, command, tuple(sorted(roles)), _without_whitespace(using), _without_whitespace(check))
        policies.setdefault(table, set()).add(policy)
    return policies


def _without_whitespace(expression: str | None) -> str:
    return "".join((expression or "").split())


def _guard_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Report a missing, disabled or changed trigger on memberships."""
    rows = query(
        connection,
        """select prosrc from pg_trigger join pg_proc on pg_proc.oid = tgfoid
           where tgrelid = to_regclass('public.tenants_membership') and tgname = %s and tgenabled in ('O', 'A') and tgtype = 31""",
        [membership_guard.NAME],
    )
    if rows != [(membership_guard.body(),)]:
        yield f"Table tenants_membership has no trigger {membership_guard.NAME} of this version: {MIGRATE}."


def query(connection: BaseDatabaseWrapper, sql: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
