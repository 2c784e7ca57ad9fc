"""Locks of the database that somebody waits for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from django.db import connection, connections, transaction

Result = TypeVar("Result")

_WAITING = "select count(*) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))"
# Other tests have databases of their own in the same server.
_BLOCKED_HERE = "select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()"


def is_somebody_waiting() -> bool:
    """Whether another connection waits for a lock that the transaction of this one has."""
    with transaction.get_connection().cursor() as cursor:
        cursor.execute(_WAITING)
        return bool(cursor.fetchone()[0])


def wait_until_blocked(other: Future[Any]) -> None:
    """Until the work of the other thread waits for a lock, or has ended."""
    while not other.done():
        with connection.cursor() as cursor:
            cursor.execute(_BLOCKED_HERE)
            if cursor.fetchall():
                return


def in_own_connections(work: Callable[..., Result], *arguments: object) -> Result:
    """Do the work in a thread, and close the connections that Django opened for it there."""
    try:
        return work(*arguments)
    finally:
        connections.close_all()
