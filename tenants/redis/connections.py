"""Connections to Redis that fail alike on every event loop, and bounded pools of them: to one server, or to what Sentinels name."""

from __future__ import annotations

import asyncio
import socket
import weakref
from typing import Any, Final

from redis.asyncio.connection import (
    AbstractConnection,
    BlockingConnectionPool,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelManagedConnection, SentinelManagedSSLConnection
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError

from tenants.redis.addresses import RedisAddress, redis_address

MAX_CONNECTIONS = 32  # of one pool; who needs one more waits
IDLE_S = 30.0  # then a connection is closed
WAIT_S = 5.0  # for a connection; then Redis counts as away
SENTINEL_TIMEOUT_S = 1.0  # for one of the Sentinels to say where the primary is; then the next one is asked
# Who waits for a host that was cut off hears nothing: its kernel asks, and gives up after 20 s.
_PROBES: Final = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 3, "TCP_KEEPCNT": 3}
KEEPALIVE: Final[dict[str, Any]] = {
    "socket_keepalive": True,
    "socket_keepalive_options": {getattr(socket, name): value for name, value in _PROBES.items() if hasattr(socket, name)},
}
RETRY = Retry(NoBackoff(), 1)  # at once, on a new connection: that an idle one is dead shows only when it is used


class _DeadAsAway:
    """Turns uvloop's RuntimeError for a connection that was reset ("the handler is closed") into the error that redis-py handles.

    No generator, because a command enters it four times.
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, RuntimeError):
            raise RedisConnectionError(f"The connection is dead: {error}") from error


_dead_as_away = _DeadAsAway()


class _ConnectionErrors:
    """What a dead connection raises is one of REDIS_ERRORS. For subclasses of redis-py's connections."""

    async def connect(self) -> None:
        with _dead_as_away:
            await super().connect()  # type: ignore[misc]

    async def send_packed_command(self, *args: Any, **kwargs: Any) -> None:
        task = asyncio.current_task()
        cancellations = task.cancelling() if task else 0
        with _dead_as_away:
            await super().send_packed_command(*args, **kwargs)  # type: ignore[misc]
        if task and task.cancelling() > cancellations:  # redis-py sends in asyncio.wait_for, which swallows it before Python 3.12
            await self.disconnect(nowait=True)  # the command is on its way: the next one would get its reply
            raise asyncio.CancelledError

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        with _dead_as_away:
            return await super().read_response(*args, **kwargs)  # type: ignore[misc]

    async def can_read_destructive(self) -> Any:
        with _dead_as_away:
            return await super().can_read_destructive()  # type: ignore[misc]

    async def disconnect(self, *args: Any, **kwargs: Any) -> None:
        with _dead_as_away:
            await super().disconnect(*args, **kwargs)  # type: ignore[misc]


class TcpConnection(_ConnectionErrors, Connection):
    """See `_ConnectionErrors`."""


class TlsConnection(_ConnectionErrors, SSLConnection):
    """See `_ConnectionErrors`."""


class UnixConnection(_ConnectionErrors, UnixDomainSocketConnection):
    """See `_ConnectionErrors`."""


class SentinelConnection(_ConnectionErrors, SentinelManagedConnection):
    """A connection to the primary that Sentinels name when it is made. See `_ConnectionErrors`."""


class SentinelTlsConnection(_ConnectionErrors, SentinelManagedSSLConnection):
    """The same over TLS."""


_CLASSES: dict[object, type[Connection | UnixDomainSocketConnection]] = {
    SSLConnection: TlsConnection,
    UnixDomainSocketConnection: UnixConnection,
}


class ShrinkingPool(BlockingConnectionPool):
    """A bounded pool that closes connections which nobody has used for IDLE_S. The one used last is used first, so what is needed stays."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._idle_since: dict[AbstractConnection, float] = {}  # in the order of their return
        self._timer: asyncio.TimerHandle | None = None

    async def ensure_connection(self, connection: AbstractConnection) -> None:
        """Called first for a connection that leaves the pool, before anything else can happen."""
        self._idle_since.pop(connection, None)
        await super().ensure_connection(connection)

    async def release(self, connection: AbstractConnection) -> None:
        await super().release(connection)
        loop = asyncio.get_running_loop()
        self._idle_since.pop(connection, None)
        self._idle_since[connection] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(IDLE_S, self._start_shrinking)

    async def disconnect(self, inuse_connections: bool = True) -> None:
        self._idle_since.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        await super().disconnect(inuse_connections)

    def _start_shrinking(self) -> None:
        self._shrinking = asyncio.ensure_future(self._shrink())

    async def _shrink(self) -> None:
        loop = asyncio.get_running_loop()
        while self._idle_since and (oldest := next(iter(self._idle_since.items())))[1] <= loop.time() - IDLE_S:
            del self._idle_since[oldest[0]]
            await oldest[0].disconnect(nowait=True)  # without a pause in which somebody could take it
        since = next(iter(self._idle_since.values()), None)
        self._timer = None if since is None else loop.call_at(since + IDLE_S, self._start_shrinking)


class SentinelPool(ShrinkingPool):
    """A bounded pool of connections to the primary that Sentinels name. redis-py's own is not bounded."""

    is_master, check_connection = True, False  # its connections read them

    def __init__(self, sentinels: Sentinel, primary: str, **options: Any) -> None:
        super().__init__(**options)
        self.connection_kwargs["connection_pool"] = weakref.proxy(self)
        self._sentinels, self._primary = sentinels, primary
        self._address: tuple[str, int] | None = None

    async def get_master_address(self) -> tuple[str, int]:
        """Ask the Sentinels. After a failover, idle connections to the former primary are closed."""
        address: tuple[str, int] = await self._sentinels.discover_master(self._primary)
        if self._address not in {None, address}:
            await self.disconnect(inuse_connections=False)
        self._address = address
        return address

    async def aclose(self) -> None:
        await super().aclose()
        for client in self._sentinels.sentinels:
            await client.aclose()


def bounded_pool(url: str, **options: Any) -> ShrinkingPool:
    """Return a pool of at most MAX_CONNECTIONS connections, fewer when idle, to what `url` names. `options`: of each connection."""
    address = redis_address(url)
    url_options: dict[str, Any] = {**parse_url(address.url)}
    connection_class = _CLASSES.get(url_options.pop("connection_class", None), TcpConnection)
    if connection_class is not UnixConnection:
        url_options = KEEPALIVE | url_options
    limits: dict[str, Any] = {"max_connections": MAX_CONNECTIONS, "timeout": WAIT_S}
    if address.mode == "single":
        return ShrinkingPool(connection_class=connection_class, **limits, **{"retry": RETRY, **options, **url_options})
    for name in ("host", "port"):
        url_options.pop(name)
    sentinels = Sentinel(address.nodes, sentinel_kwargs=sentinel_options(address))  # type: ignore[no-untyped-call]  # redis-py types it not
    sentinel_class = SentinelTlsConnection if address.is_tls else SentinelConnection
    return SentinelPool(sentinels, address.primary, connection_class=sentinel_class, **limits, **{"retry": RETRY, **options, **url_options})


def sentinel_options(address: RedisAddress) -> dict[str, Any]:
    """Return the options of connections to the Sentinels themselves."""
    limits = {"socket_timeout": SENTINEL_TIMEOUT_S, "socket_connect_timeout": SENTINEL_TIMEOUT_S}
    return {**limits, **dict(address.sentinel_login), **({"ssl": True, **address.tls_options} if address.is_tls else {})}
