"""The test database: a copy of a template, used by the unprivileged working roles as in production.

The owner migrates the template once; it stays on the server until something that it is made of changes.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections, transaction
from psycopg import sql

from config.embedded import postgres
from config.embedded.layout import ROOT
from tenants import operations, sql as row_security

# What migrations wrote and no test changes.
LASTING = {"django_migrations", "django_content_type", "auth_permission"}
MADE_OF = ("*/migrations/*.py", "*/models.py", "*/models/**/*.py", "config/locks/dev.txt")
MAKING_THE_TEMPLATE = 7_041_776  # any number: the processes of a run wait for each other at it
TEMPLATE = "parley_template"


def create_test_database() -> str:
    """Make this process's database, point every alias at it and return its name."""
    owner = connections["owner"]
    for alias in connections:
        connections[alias].settings_dict["OPTIONS"].pop("pool", None)
    name = str(owner.creation._get_test_db_name())  # with the xdist worker in it
    with server() as maintenance:
        copy_template(maintenance, name)
    _use(name)
    return name


def drop_test_database(name: str) -> None:
    connections.close_all()
    with server() as maintenance:
        _drop(maintenance, name)


@contextmanager
def server() -> Iterator[psycopg.Connection[Any]]:
    """The owner beside all test databases."""
    place = connections["owner"].settings_dict
    names = {"host": place["HOST"], "port": place["PORT"], "user": place["USER"], "password": place["PASSWORD"]}
    with psycopg.connect(dbname="postgres", autocommit=True, **{key: value for key, value in names.items() if value}) as maintenance:
        yield maintenance


def copy_template(maintenance: psycopg.Connection[Any], name: str) -> None:
    """Make the database `name` anew."""
    template = _template(maintenance)
    _drop(maintenance, name)
    maintenance.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template)))


def _template(maintenance: psycopg.Connection[Any]) -> str:
    """The name of the template for the code of now; it is made when there is none, and those of other code go."""
    name = f"{TEMPLATE}_{_code_hash()[:12]}"
    maintenance.execute("select pg_advisory_lock(%s)", [MAKING_THE_TEMPLATE])
    found = [row[0] for row in maintenance.execute("select datname from pg_database where starts_with(datname, %s)", [TEMPLATE])]
    if name not in found:
        for former in found:
            _drop(maintenance, former)
        unfinished = f"{TEMPLATE}_unfinished"
        maintenance.execute(sql.SQL("create database {}").format(sql.Identifier(unfinished)))
        _migrate(unfinished)
        maintenance.execute(sql.SQL("alter database {} rename to {}").format(sql.Identifier(unfinished), sql.Identifier(name)))
    maintenance.execute("select pg_advisory_unlock(%s)", [MAKING_THE_TEMPLATE])
    return name


def _code_hash() -> str:
    own = [Path(inspect.getfile(module)) for module in (operations, row_security)] + [Path(__file__)]
    scripts = Path(inspect.getfile(postgres)).parent.glob("*.sql")
    digest = hashlib.sha256(repr(settings.DATABASE_ROLES).encode())
    for path in sorted({*own, *scripts, *(path for pattern in MADE_OF for path in ROOT.glob(pattern))}):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _migrate(name: str) -> None:
    """Roles `app` and `system` may TRUNCATE here, which a test that makes thousands of rows needs."""
    _use(name)
    call_command("migrate", database="owner", verbosity=0, interactive=False)
    owner, roles = connections["owner"], settings.DATABASE_ROLES
    with owner.cursor() as cursor:
        cursor.execute(f'grant truncate on all tables in schema public to "{roles.app}", "{roles.system}"')
    owner.close()


def _use(name: str) -> None:
    for alias in connections:
        connections[alias].close()
        connections[alias].settings_dict["NAME"] = name


def _drop(maintenance: psycopg.Connection[Any], name: str) -> None:
    maintenance.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


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
    return [connection.ops.quote_name(name) for name in sorted(names - LASTING)]
