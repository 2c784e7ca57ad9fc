"""Checks that row security protects the database, and that its roles have time limits.

They read PostgreSQL's own catalogue, so that no mistake in models or migrations can hide a problem.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.base import DatabaseWrapper

from tenants.models import TenantModel
from tenants.postgres import row_security_sql
from tenants.postgres.append_only import append_only_problems
from tenants.postgres.platform_checks import platform_problems, query, stored_policies
from tenants.postgres.platform_tables import POLICIES
from tenants.postgres.table_rights import role_names

LIMITS = {"statement_timeout", "lock_timeout"}

EXPECTED_POLICY = "(organization_id=(SELECT(current_setting('app.org'::text))::uuidAScurrent_setting))"


def require_row_security() -> None:
    """Check the default database when a process starts. Raises ImproperlyConfigured with all problems. Leaves no connection open."""
    connection = connections["default"]
    problems = row_security_problems(connection)
    connection.close()
    cast(DatabaseWrapper, connection).close_pool()  # a worker would inherit its connections by fork and share them
    if problems:
        raise ImproperlyConfigured("\n".join(["The database is not safe to use:", *problems]))


def row_security_problems(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the problems as sentences, an empty list if there are none: first about the roles, then about each tenant table."""
    return [
        *_role_problems(connection),
        *_table_problems(connection),
        *_foreign_key_problems(connection),
        *platform_problems(connection),
        *append_only_problems(connection),
    ]


def tenant_models() -> list[type[TenantModel]]:
    return [model for model in apps.get_models() if issubclass(model, TenantModel)]


def _role_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    yield from _privilege_problems(connection)
    yield from _role_separation_problems(connection)
    yield from _limit_problems(connection)


def _limit_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Report roles that would wait for ever. A pooler drops limits that a connection asks for, so they belong to the roles."""
    rows = query(
        connection,
        """select rolname, string_agg(split_part(setting, '=', 1), ' ')
           from pg_roles left join pg_db_role_setting on setrole = pg_roles.oid
             and setdatabase in (0, (select oid from pg_database where datname = current_database()))
           left join unnest(setconfig) as setting on split_part(setting, '=', 2) <> '0'
           where rolname = any(%s) group by rolname order by rolname""",
        [[*role_names().values()]],
    )
    for role, names in rows:
        if missing := sorted(LIMITS - {*(names or "").split()}):
            yield f"Role {role} has no {', '.join(missing)}: run tools/embedded/roles.sql again."


def _privilege_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    roles = query(
        connection,
        """select rolname, rolsuper or rolbypassrls or rolcreaterole,
                  exists (select from pg_class where relowner = pg_roles.oid and relnamespace = 'public'::regnamespace)
           from pg_roles where rolname = current_user or rolname = any(%s)""",
        [[*role_names().values()]],
    )
    for name, has_power, owns_tables in roles:
        if has_power:
            yield f"Role {name} is a superuser, may make roles or bypasses row security: use a plain role."
        if owns_tables:
            yield f"Role {name} owns tables: migrate as the owner role (DATABASE_OWNER_URL)."


def _role_separation_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    """Report if a working role is the owner or another one, or can become one (SET ROLE, also through other roles)."""
    working, owner = [*role_names().values()], settings.DATABASE_ROLES.owner
    if len({*working, owner}) < 4:
        yield "DATABASE_URL, DATABASE_AUTH_URL, DATABASE_OWNER_URL and DATABASE_SYSTEM_URL must connect as four different roles."
    memberships = query(
        connection,
        """select role.rolname, other.rolname from pg_roles role join pg_roles other on pg_has_role(role.oid, other.oid, 'member')
           where role.rolname = any(%s) and other.rolname = any(%s) and other.oid <> role.oid order by role.rolname, other.rolname""",
        [working, [*working, owner]],
    )
    for name, other in memberships:
        yield f"Role {name} is a member of {other} and can become it: revoke {other} from {name}."


def _table_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    tables = query(
        connection,
        """select relname, relrowsecurity and relforcerowsecurity, attnotnull
           from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'organization_id'
           where relkind in ('r', 'p', 'm', 'v') and relnamespace = 'public'::regnamespace order by relname""",
    )
    expected = _expected_policies()
    policies = stored_policies(connection)
    for table, is_forced, is_required in tables:
        if table in POLICIES:
            continue
        if not is_forced:
            yield f"Table {table} has no forced row security: add SecureTenantTable to its migration."
        if not is_required:
            yield f"Table {table} allows rows without an organization."
        if policies.get(table, set()) != expected:
            yield f"Table {table} has other policies than tenant_rows and all_rows: add SecureTenantTable to its migration."


def _expected_policies() -> set[tuple[Any, ...]]:
    roles = settings.DATABASE_ROLES
    return {
        ("tenant_rows", "PERMISSIVE", "ALL", tuple(sorted((roles.app, roles.auth))), EXPECTED_POLICY, EXPECTED_POLICY),
        ("all_rows", "PERMISSIVE", "ALL", tuple(sorted((roles.system, roles.owner))), "true", "true"),
    }


def _foreign_key_problems(connection: BaseDatabaseWrapper) -> Iterator[str]:
    names = (
        "select conrelid::regclass::text, conname from pg_constraint where contype = 'f' and array_length(conkey, 1) = 2 and convalidated"
    )
    constraints = set(query(connection, names))
    tables = set(connection.introspection.table_names())
    for model in tenant_models():
        if model._meta.db_table not in tables:
            continue
        for key in row_security_sql.composite_keys(model):
            if (key.table, key.name) not in constraints:
                yield f"Column {key.table}.{key.column} has no composite foreign key: add SecureTenantTable to its migration."
    for key in row_security_sql.plain_keys():
        if {key.table, key.target} <= tables and (key.table, key.name) not in constraints:
            yield f"Column {key.table}.{key.column} has no composite foreign key: add SecurePlainKey to the migration of {key.target}."
