"""The test database: a copy of a template, used by the unprivileged working roles as in production.

The owner migrates the template once; it stays on the server until something that it is made of changes.
"""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql
from psycopg.errors import DeadlockDetected

from tests.support.stores.logins import use_one_login
from tools.embedded import postgres
from tools.embedded.layout import ROOT

# What migrations wrote and no test changes.
PRESERVED_TABLES = {"django_migrations", "django_content_type", "auth_permission"}
TEMPLATE_INPUTS = (
    "*/migrations/*.py",
    "*/models.py",
    "*/models/*.py",
    "*/*/models.py",
    "security/audit_*.py",
    "tenants/postgres/*.py",
    "config/locks/dev.txt",
    "config/management/commands/migrate.py",
)
TEMPLATE_LOCK = 7_041_776  # any number: the processes of a run wait for each other at it
TEMPLATE = "parley_template"
LEFT_S = 20
# One row for each connection to a database: whether it is told to end, or nothing where that is not ours to say.
_DISCONNECT = """\
select case when pg_has_role(usename, 'usage') then pg_terminate_backend(pid) end
from pg_stat_activity where datname = %s and usename is not null"""
# A new connection costs the server 10 ms, for each piece of work of each thread: a third of the suite's time.
POOL = {"min_size": 0, "max_size": 8, "timeout": 30}
MAX_DEADLOCKS = 10  # in a row; each ends one of the two transactions


def create_test_database() -> str:
    """Make this process's database, point every alias at it and return its name."""
    owner = connections["owner"]
    for alias in connections:
        connections[alias].settings_dict["OPTIONS"]["pool"] = POOL
    use_one_login()
    name = str(owner.creation._get_test_db_name())  # type: ignore[attr-defined]  # with the xdist worker in it
    with server() as maintenance:
        copy_template(maintenance, name)
    _use(name)
    return name


def drop_test_database(name: str) -> None:
    _close_connections()
    with server() as maintenance:
        drop_database(maintenance, name)


@contextmanager
def server() -> Iterator[psycopg.Connection[Any]]:
    """The owner beside all test databases."""
    with connect("postgres") as maintenance:
        yield maintenance


def connect(name: str) -> psycopg.Connection[Any]:
    """The owner in the database `name`."""
    place = connections["owner"].settings_dict
    parts = {"host": place["HOST"], "port": place["PORT"], "user": place["USER"], "password": place["PASSWORD"]}
    return psycopg.connect(dbname=name, autocommit=True, **{part: value for part, value in parts.items() if value})


def copy_template(maintenance: psycopg.Connection[Any], name: str) -> None:
    """Make the database `name` anew."""
    template = _template(maintenance)
    drop_database(maintenance, name)
    maintenance.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template)))


def _template(maintenance: psycopg.Connection[Any]) -> str:
    """The name of the template for the code of now; it is made when there is none, and those of other code go."""
    name = f"{TEMPLATE}_{_code_hash()[:12]}"
    maintenance.execute("set lock_timeout = 0")  # another process may be making it
    maintenance.execute("select pg_advisory_lock(%s)", [TEMPLATE_LOCK])
    template_names = [row[0] for row in maintenance.execute("select datname from pg_database where starts_with(datname, %s)", [TEMPLATE])]
    if name not in template_names:
        for former in template_names:
            drop_database(maintenance, former)
        partial_name = f"{TEMPLATE}_unfinished"
        maintenance.execute(sql.SQL("create database {}").format(sql.Identifier(partial_name)))
        with connect(partial_name) as owner:
            grant_privileges(owner)
        _migrate(partial_name)
        maintenance.execute(sql.SQL("alter database {} rename to {}").format(sql.Identifier(partial_name), sql.Identifier(name)))
    maintenance.execute("select pg_advisory_unlock(%s)", [TEMPLATE_LOCK])
    return name


def grant_privileges(owner: psycopg.Connection[Any]) -> None:
    """What roles.sql does once per database."""
    owner.execute((ROOT / "tools/embedded/privileges.sql").read_bytes())


@cache
def _code_hash() -> str:
    """Of what this process has loaded. Read again after an edit, it would ask for another template, where a test may reach no database."""
    own = [Path(__file__)]
    scripts = Path(inspect.getfile(postgres)).parent.glob("*.sql")
    digest = hashlib.sha256(repr((settings.DATABASE_ROLES, settings.INSTALLED_APPS)).encode())  # libraries bring tables, too
    for path in sorted({*own, *scripts, *(path for pattern in TEMPLATE_INPUTS for path in ROOT.glob(pattern))}):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _migrate(name: str) -> None:
    former = str(connections["owner"].settings_dict["NAME"])
    _use(name)
    call_command("migrate", database="owner", verbosity=0, interactive=False)
    _use(former)


def _use(name: str) -> None:
    _close_connections()
    for alias in connections:
        connections[alias].settings_dict["NAME"] = name


def _close_connections() -> None:
    for connection in connections.all():
        connection.close()
        cast(DatabaseWrapper, connection).close_pool()


def drop_database(maintenance: psycopg.Connection[Any], name: str) -> None:
    """Drop the database with the connections of roles that the owner may act for, and wait for the others'.

    Without FORCE, which an autovacuum that looks at the database just then would refuse: a plain DROP ends that one by itself.
    """
    end = time.monotonic() + LEFT_S
    while maintenance.execute(_DISCONNECT, [name]).fetchall() and time.monotonic() < end:
        time.sleep(0.05)
    maintenance.execute(sql.SQL("drop database if exists {}").format(sql.Identifier(name)))


class Sweeper:
    """Puts the tables back to how they were before the first test, after each one that really commits.

    Django's own way truncates all tables, which makes hundreds of files anew however little was written. What is deleted is given to
    `look`, so that a search through all that the tests stored reads no table twice.
    """

    def __init__(self, look: Callable[[Mapping[str, bytes]], None]) -> None:
        self._look = look
        self._connection: psycopg.Connection[Any] | None = None
        self._tables: list[str] = []

    def sweep(self, *_: object) -> None:
        """Delete all rows that the test wrote. Waits for the last transactions of the test's threads, which may hold locks in any order."""
        for _attempt in range(MAX_DEADLOCKS):
            with suppress(DeadlockDetected):
                return self._sweep()
        return self._sweep()

    def _sweep(self) -> None:
        """With all tables locked, nothing is written behind its back. Foreign keys are checked when all rows are gone."""
        owner = self._owner()
        with owner.transaction():
            # A busy machine is slower than a migration may be.
            owner.execute(f"set local lock_timeout = '60s'; lock table {', '.join(self._tables)} in exclusive mode")
            cases = ", ".join(f"case when exists (select from {table}) then '{table}' end" for table in self._tables)
            [[tables]] = owner.execute(f"select array_remove(array[{cases}], null)").fetchall()
            with owner.pipeline():
                deleted = {table: owner.execute(f"delete from {table} returning {table}::text") for table in tables}
            rows = {f"table {table}": "\n".join(text for (text,) in cursor).encode() for table, cursor in deleted.items()}
        self._look(rows)

    def close(self) -> None:
        if self._connection:
            self._connection.close()

    def _owner(self) -> psycopg.Connection[Any]:
        if self._connection is None:
            self._connection = connect(str(connections["owner"].settings_dict["NAME"]))
            tables = self._connection.execute(
                "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition"
                " order by relname"
            )
            self._tables = [name for (name,) in tables if name not in PRESERVED_TABLES]
        return self._connection
