"""One connection beside the pool, for checks at a start: a pool waits, and then hides why it has no connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper


@contextmanager
def unpooled_connection(alias: str) -> Iterator[BaseDatabaseWrapper]:
    """Give a connection to the alias's database and close it. Raises OperationalError with the server's own reason."""
    connection = connections[alias].copy()
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        connection.ensure_connection()
        yield connection
    finally:
        connection.close()
