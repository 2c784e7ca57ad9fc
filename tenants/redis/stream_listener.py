"""Reads a stream of Redis for one event loop, as long as somebody there wants what is in it."""

from __future__ import annotations

import asyncio
import contextvars
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar, Final, Generic, Self, TypeVar
from weakref import WeakKeyDictionary

import redis.asyncio
import structlog

from tenants.redis.clients import REDIS_ERRORS, blocking_client, key

log = structlog.get_logger(__name__)

Item = TypeVar("Item")

BLOCK_MS: Final = 5000
MAX_WAIT_S: Final = 10.0  # of one read; a connection that takes longer is dead
RETRY_S: Final = 0.3
OVERLAP_MS: Final = 5000  # a reader that begins gets what came in this time again: it may have come just before its first read


async def _id_before(client: redis.asyncio.Redis) -> bytes:
    """Return the id that an entry of OVERLAP_MS ago would have, by the server's clock."""
    seconds, microseconds = await client.time()
    return b"%d-0" % (seconds * 1000 + microseconds // 1000 - OVERLAP_MS)


class StreamListener(ABC, Generic[Item]):
    """Subclasses name the stream and read its entries. `current()` creates the one of this event loop on first use."""

    stream: ClassVar[str]
    _of_loop: ClassVar[WeakKeyDictionary[asyncio.AbstractEventLoop, Self]]  # type: ignore[misc]  # a subclass has its own

    def __init_subclass__(cls) -> None:
        cls._of_loop = WeakKeyDictionary()

    @classmethod
    def current(cls) -> Self:
        loop = asyncio.get_running_loop()
        listener = cls._of_loop.get(loop)
        if listener is None:
            listener = cls._of_loop[loop] = cls()
        return listener

    def __init__(self) -> None:
        self._receivers: list[Callable[[Item], None]] = []
        self._task: asyncio.Task[None] | None = None

    @contextmanager
    def receiving(self, receiver: Callable[[Item], None]) -> Iterator[None]:
        """Hand each item that comes meanwhile to `receiver`, on the running event loop. It must not wait."""
        self.add(receiver)
        try:
            yield
        finally:
            self.remove(receiver)

    def add(self, receiver: Callable[[Item], None]) -> None:
        self._receivers.append(receiver)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read_forever(), name=self.stream, context=contextvars.Context())

    def remove(self, receiver: Callable[[Item], None]) -> None:
        self._receivers.remove(receiver)
        if not self._receivers and self._task is not None:
            self._task.cancel()
            self._task = None

    @abstractmethod
    def read(self, fields: dict[bytes, bytes]) -> Item | None:
        """Return what an entry says; None for one of a newer process."""

    async def _read_forever(self) -> None:
        client = blocking_client()
        last_id: bytes | None = None
        try:
            while True:
                try:
                    async with asyncio.timeout(MAX_WAIT_S):
                        if last_id is None:
                            last_id = await _id_before(client)
                        reply = await client.xread({key(self.stream): last_id}, block=BLOCK_MS)
                except REDIS_ERRORS as error:
                    log.warning("stream_not_read", stream=self.stream, reason=type(error).__name__)
                    await asyncio.sleep(RETRY_S)
                    continue
                for _, rows in reply or []:
                    last_id = rows[-1][0]
                    for _, fields in rows:
                        self._hand_out(fields)
        finally:
            await client.aclose()

    def _hand_out(self, fields: dict[bytes, bytes]) -> None:
        item = self.read(fields)
        if item is None:
            return
        for receiver in [*self._receivers]:
            try:
                receiver(item)
            except Exception:  # receivers are others' code: what one raises must not keep the item from the rest
                log.exception("stream_item_not_received", stream=self.stream)
