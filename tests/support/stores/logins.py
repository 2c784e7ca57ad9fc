"""The database logins of tests in this process: the roles of production, over one login that may take any of them.

Tests within one transaction do all that the four roles do on one connection, which changes its role for each statement, so
that one role sees what another has not committed. What a test itself writes and reads of users, memberships, organizations and sessions
it does as the owner.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Self

import psycopg
from django.conf import settings
from django.db import connections
from django.db.models import Model
from django.test import TransactionTestCase
from psycopg.pq import TransactionStatus

from tenants.postgres.platform_tables import PLATFORM_TABLES, TENANT_TABLES, WRITE

TESTS = str(Path(__file__).parents[2])
ROOT = str(Path(__file__).parents[3])
LIBRARIES = ("/site-packages/", "/lib/python", "<")
SHARED = ("auth", "owner", "system")  # aliases that share the connection of "default"
LIMITS = "-c statement_timeout=5s -c lock_timeout=2s"

PLACE = ("USER", "PASSWORD", "HOST", "PORT")

_logins: dict[str, dict[str, Any]] = {}  # as the environment names them
_originals: dict[str, Any] = {}


def use_one_login() -> None:
    """Connect as the owner under the names app and auth; the roles' limits, which belong to a login, are set by hand."""
    owner = connections["owner"].settings_dict
    for alias in ("default", "auth"):
        role = getattr(settings.DATABASE_ROLES, "app" if alias == "default" else alias)
        login = connections[alias].settings_dict
        _logins[alias] = {part: login[part] for part in PLACE}
        login.update({part: owner[part] for part in PLACE})
        login["OPTIONS"]["options"] = f"-c role={role} {LIMITS}"


def connect_as(alias: str) -> psycopg.Connection[Any]:
    """Return a connection as production has it under this alias, beside Django."""
    place = {"USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
    login = _logins.get(alias) or connections[alias].settings_dict
    parts = {name: login[part] for part, name in place.items() if login[part]}
    return psycopg.connect(dbname=connections["owner"].settings_dict["NAME"], **parts)


def allow_all_roles() -> None:
    """Let every test with a database use them all, as the product does."""
    plain = TransactionTestCase._validate_databases.__func__  # type: ignore[attr-defined]  # Django's own check of what a test may use

    def validate(cls: type[TransactionTestCase]) -> frozenset[str]:
        return frozenset({*plain(cls), *SHARED})

    TransactionTestCase._validate_databases = classmethod(validate)  # type: ignore[attr-defined]


def share_connection(*, is_shared: bool) -> None:
    """Give all roles the connection of the test's transaction, or each one of its own."""
    for alias in SHARED:
        _originals.setdefault(alias, connections[alias])
        role = getattr(settings.DATABASE_ROLES, alias)
        connection: Any = SharedLogin(connections["default"], alias, role) if is_shared else _originals[alias]
        connections[alias] = connection


@contextmanager
def own_connections() -> Iterator[None]:
    """Give each role a connection of its own for the block."""
    was_shared = isinstance(connections["owner"], SharedLogin)
    share_connection(is_shared=False)
    yield
    share_connection(is_shared=was_shared)


class SharedLogin:
    """The connection `base` under another alias, with another role."""

    def __init__(self, base: Any, alias: str, role: str) -> None:
        own = {"MIRROR": "default"}  # the transaction of a test is begun only once
        self.__dict__.update(_base=base, alias=alias, _role=role, settings_dict={**_originals[alias].settings_dict, "TEST": own})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._base, name, value)

    def cursor(self) -> RoleCursor:
        return RoleCursor(self._base.cursor(), self._base.connection, self._role)

    def chunked_cursor(self) -> RoleCursor:
        return RoleCursor(self._base.chunked_cursor(), self._base.connection, self._role)


class RoleCursor:
    """A cursor whose statements run as another role."""

    def __init__(self, cursor: Any, native: Any, role: str) -> None:
        self._cursor, self._native, self._role = cursor, native, role

    def execute(self, *arguments: Any) -> Any:
        with self._as_role():
            return self._cursor.execute(*arguments)

    def executemany(self, *arguments: Any) -> Any:
        with self._as_role():
            return self._cursor.executemany(*arguments)

    @contextmanager
    def _as_role(self) -> Iterator[None]:
        self._native.execute(f'set role "{self._role}"', prepare=False)
        yield
        if self._native.info.transaction_status != TransactionStatus.INERROR:  # else the rollback takes the role back
            self._native.execute("reset role", prepare=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cursor)

    def __enter__(self) -> Self:
        self._cursor.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._cursor.__exit__(*error)


class FromTests:
    """A router that tells a test's own statements from those of the product."""

    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        return "owner" if model._meta.db_table in PLATFORM_TABLES and _is_called_by_a_test() else None

    def db_for_write(self, model: type[Model], **hints: Any) -> str | None:
        is_identity = getattr(TENANT_TABLES.get(model._meta.db_table), "auth", None) == WRITE
        return self.db_for_read(model) or ("owner" if is_identity and _is_called_by_a_test() else None)


def _is_called_by_a_test() -> bool:
    """Return whether the nearest code outside of libraries is a test's."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name != __file__ and name.startswith(ROOT) and not any(part in name for part in LIBRARIES):
            return name.startswith(TESTS)
        frame = frame.f_back
    return False
