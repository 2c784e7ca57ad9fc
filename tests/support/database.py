"""The test database: made and migrated by the owner, used by the unprivileged working roles as in production."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection, connections, transaction
from django.test.utils import setup_databases, teardown_databases

# What migrations wrote and no test changes.
PRESERVED_TABLES = {"django_migrations", "django_content_type", "auth_permission"}
OldConfig = list[tuple[Any, str, bool]]


def create_test_database(*, keep: bool) -> OldConfig:
    """Create and migrate it, then point every alias at it. Roles `app` and `system` may TRUNCATE here: transactional tests flush."""
    for alias in connections:
        connections[alias].settings_dict["OPTIONS"].pop("pool", None)
    old_config: OldConfig = setup_databases(verbosity=0, interactive=False, keepdb=keep, aliases=["owner"], serialized_aliases=[])  # type: ignore[arg-type]
    owner = connections["owner"]
    with owner.cursor() as cursor:
        roles = settings.DATABASE_ROLES
        cursor.execute(f'grant truncate on all tables in schema public to "{roles.app}", "{roles.system}"')
    owner.close()
    for alias in ("default", "system"):
        connections[alias].settings_dict["NAME"] = owner.settings_dict["NAME"]
    return old_config


def drop_test_database(old_config: OldConfig) -> None:
    connections.close_all()
    teardown_databases(old_config, verbosity=0)


def empty_tables(*_: object) -> None:
    """All tables as before the first test, for the next transactional one.

    Django's own way truncates once for each alias of the database, and has all permissions written again each time.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        # A busy machine is slower than a working role may be.
        cursor.execute("set local statement_timeout = '120s'; set local lock_timeout = '60s'")
        cursor.execute(f"truncate {', '.join(_tables())}")


@cache
def _tables() -> list[str]:
    names = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
    return [connection.ops.quote_name(name) for name in sorted(names - PRESERVED_TABLES)]
