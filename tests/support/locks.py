"""Locks of the database that somebody waits for."""

from __future__ import annotations

from django.db import transaction

_WAITING = "select count(*) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))"


def is_somebody_waiting() -> bool:
    """Whether another connection waits for a lock that the transaction of this one has."""
    with transaction.get_connection().cursor() as cursor:
        cursor.execute(_WAITING)
        return bool(cursor.fetchone()[0])
