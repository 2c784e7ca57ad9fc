"""Connections to Redis that fail alike on every event loop, and bounded pools of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from redis.asyncio.connection import BlockingConnectionPool, Connection, SSLConnection, UnixDomainSocketConnection, parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError

MAX_CONNECTIONS = 32  # of one pool; who needs one more waits
WAIT_S = 5.0  # for a connection; then Redis counts as away
RETRY = Retry(NoBackoff(), 1)  # at once, on a new connection: that an idle one is dead shows only when it is used


@contextmanager
def _dead_as_away() -> Iterator[None]:
    """Turn uvloop's RuntimeError for a connection that was reset ("the handler is closed") into the error that redis-py handles."""
    try:
        yield
    except RuntimeError as exc:
        raise RedisConnectionError(f"The connection is dead: {exc}") from exc


class _FailsAlike:
    """What a dead connection raises is one of REDIS_ERRORS. For subclasses of redis-py's connections."""

    async def connect(self) -> None:
        with _dead_as_away():
            await super().connect()  # type: ignore[misc]

    async def send_packed_command(self, *args: Any, **kwargs: Any) -> None:
        task = asyncio.current_task()
        cancellations = task.cancelling() if task else 0
        with _dead_as_away():
            await super().send_packed_command(*args, **kwargs)  # type: ignore[misc]
        if task and task.cancelling() > cancellations:
            raise asyncio.CancelledError  # redis-py sends in asyncio.wait_for, which swallows it before Python 3.12

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        with _dead_as_away():
            return await super().read_response(*args, **kwargs)  # type: ignore[misc]

    async def can_read_destructive(self) -> Any:
        with _dead_as_away():
            return await super().can_read_destructive()  # type: ignore[misc]

    async def disconnect(self, *args: Any, **kwargs: Any) -> None:
        with _dead_as_away():
            await super().disconnect(*args, **kwargs)  # type: ignore[misc]


class TcpConnection(_FailsAlike, Connection):
    """See `_FailsAlike`."""


class TlsConnection(_FailsAlike, SSLConnection):
    """See `_FailsAlike`."""


class UnixConnection(_FailsAlike, UnixDomainSocketConnection):
    """See `_FailsAlike`."""


_CLASSES: dict[object, type[Connection | UnixDomainSocketConnection]] = {
    SSLConnection: TlsConnection,
    UnixDomainSocketConnection: UnixConnection,
}


def bounded_pool(url: str, **options: Any) -> BlockingConnectionPool:
    """Return a pool of at most MAX_CONNECTIONS connections to the server that `url` names. `options`: of each connection."""
    named: dict[str, Any] = {**parse_url(url)}
    connection_class = _CLASSES.get(named.pop("connection_class", None), TcpConnection)
    return BlockingConnectionPool(
        connection_class=connection_class, max_connections=MAX_CONNECTIONS, timeout=WAIT_S, **{"retry": RETRY, **options, **named}
    )
