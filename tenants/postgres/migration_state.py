"""Whether the database has the tables of the running code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

MIGRATE = "python manage.py migrate --database owner"
MIGRATE_LOCK = 7_041_201  # any number that nothing else locks


def migrations_missing(missing: Sequence[str]) -> str:
    """Return a sentence that says what to run."""
    return f"The database has not all tables of this version: {', '.join(missing)}. Run: {MIGRATE}"


def missing_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the newest migrations of the code that were not applied, as app.name. One or two short queries."""
    applied_migrations = _applied_migrations(connection)
    return [f"{app}.{name}" for app, name in newest_migrations() if (app, name) not in applied_migrations]


def unknown_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Return those that were applied and that the code does not have, as app.name: the database is a newer version's."""
    return sorted(f"{app}.{name}" for app, name in _applied_migrations(connection) - _all_migrations())


def _applied_migrations(connection: BaseDatabaseWrapper) -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass('public.django_migrations') is not null")
        [is_migrated] = cursor.fetchone() or [False]
        if not is_migrated:
            return set()
        cursor.execute("select app, name from django_migrations")
        return {(app, name) for app, name in cursor.fetchall()}


def is_migrating(connection: BaseDatabaseWrapper) -> bool:
    """Return whether a `migrate` of this database is at work."""
    query = """select exists (select from pg_locks where locktype = 'advisory' and objid = %s and classid = 0 and granted
        and database = (select oid from pg_database where datname = current_database()))"""
    with connection.cursor() as cursor:
        cursor.execute(query, [MIGRATE_LOCK])
        return bool(cursor.fetchone() == (True,))


@cache
def newest_migrations() -> tuple[tuple[str, str], ...]:
    """Return the last migration of each app, as the running code has it."""
    return tuple(sorted((app, name) for app, name in MigrationLoader(None).graph.leaf_nodes()))


@cache
def _all_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None, replace_migrations=False).disk_migrations)
