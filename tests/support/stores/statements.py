"""The statements that a piece of work makes, in whatever threads; for transactional tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import sync_to_async
from django.db import connections
from django.db.backends.signals import connection_created

ALIASES = ("default", "auth")


@asynccontextmanager
async def statements() -> AsyncIterator[list[str]]:
    """Those of the app and auth roles, in their order."""
    queries: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        queries.append(sql)
        return execute(sql, *arguments)

    def listen(connection: Any, **_: Any) -> None:
        if connection.alias in ALIASES:
            connection.execute_wrappers[:] = [note]

    await sync_to_async(connections.close_all)()  # what is open was not listened to
    connection_created.connect(listen)
    try:
        yield queries
    finally:
        connection_created.disconnect(listen)
        await sync_to_async(_forget)()


def _forget() -> None:
    for alias in ALIASES:
        connections[alias].execute_wrappers.clear()
