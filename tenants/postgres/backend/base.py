"""The connection of every database alias: Django's own, which leaves nothing behind when the pool has no connection to give."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql.base import DatabaseWrapper as PostgresWrapper
from psycopg import Connection
from psycopg_pool import ConnectionPool, PoolTimeout


class DatabaseWrapper(PostgresWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection[Any]:
        """Return a connection, or raise PoolTimeout."""
        try:
            connection: Connection[Any] = super().get_new_connection(conn_params)
        except PoolTimeout:
            forget_lost_waiters(self.pool)
            raise
        return connection


def forget_lost_waiters(pool: ConnectionPool[Any]) -> None:
    """Take those who no longer wait out of the pool's queue.

    psycopg_pool 3.3 keeps them until it has a connection to give, each with its error, whose traceback holds the frames of all callers and
    what they had loaded: 20 MB a minute in a worker while PostgreSQL is away. It has no call for this. Its `max_waiting` is none, either:
    with a queue full of the lost, the pool refuses before it tries to connect, and never comes back.
    """
    queue = pool._waiting  # noqa: SLF001
    with pool._lock:  # noqa: SLF001
        for waiter in [client for client in queue if client.error]:
            queue.remove(waiter)
