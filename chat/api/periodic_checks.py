"""Periodic checks of the open connections of an event loop: each round looks at all of them and closes some."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar, Generic, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

import structlog

log = structlog.get_logger(__name__)


class Closable(Protocol):
    """An open connection."""

    @property
    def close(self) -> Callable[[], Awaitable[None]]: ...


Connection = TypeVar("Connection", bound=Closable)


class PeriodicChecks(ABC, Generic[Connection]):
    """Checks the open connections of one event loop in rounds, for as long as there are any. `current()` creates it on first use."""

    _of_loop: ClassVar[WeakKeyDictionary[asyncio.AbstractEventLoop, Self]]  # type: ignore[misc]  # a subclass has its own

    def __init_subclass__(cls) -> None:
        cls._of_loop = WeakKeyDictionary()

    @classmethod
    def current(cls) -> Self:
        loop = asyncio.get_running_loop()
        checks = cls._of_loop.get(loop)
        if checks is None:
            checks = cls._of_loop[loop] = cls()
        return checks

    def __init__(self) -> None:
        self._sockets: dict[Connection, None] = {}  # in the order in which they came, so that each keeps its place in the rounds
        self._task: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def add(self, socket: Connection) -> None:
        """Watch an open connection."""
        self._sockets[socket] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._repeat(), name=type(self).__name__)

    def remove(self, socket: Connection) -> None:
        self._sockets.pop(socket, None)

    @abstractmethod
    async def round(self) -> None:
        """Wait, and look at each connection once."""

    def start_close(self, sockets: Iterable[Connection]) -> None:
        """Close those that are still watched, each in a task: a client that has stopped reading must delay neither others nor the next round."""
        for socket in self._sockets.keys() & set(sockets):  # some have left meanwhile
            self.remove(socket)
            task = asyncio.ensure_future(_close_one(socket))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _repeat(self) -> None:
        while self._sockets:
            await self.round()


async def _close_one(socket: Closable) -> None:
    try:
        await socket.close()
    except Exception:
        log.exception("socket_not_closed")
