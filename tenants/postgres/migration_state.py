"""Whether the database has the tables of the running code."""

from __future__ import annotations

from functools import cache

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

MIGRATE = "python manage.py migrate --database owner"


def require_migrations(connection: BaseDatabaseWrapper) -> None:
    """Raises ImproperlyConfigured, which says what to run."""
    if missing := missing_migrations(connection):
        raise ImproperlyConfigured(f"The database has not all tables of this version: {', '.join(missing)}. Run: {MIGRATE}")


def missing_migrations(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the newest migrations of the code that were not applied, as app.name. One or two short queries."""
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass('public.django_migrations') is not null")
        [is_migrated] = cursor.fetchone() or [False]
        applied: set[tuple[str, str]] = set()
        if is_migrated:
            cursor.execute("select app, name from django_migrations")
            applied = {(app, name) for app, name in cursor.fetchall()}
    return [f"{app}.{name}" for app, name in newest_migrations() if (app, name) not in applied]


@cache
def newest_migrations() -> tuple[tuple[str, str], ...]:
    """Return the last migration of each app, as the running code has it."""
    return tuple(sorted((app, name) for app, name in MigrationLoader(None).graph.leaf_nodes()))
