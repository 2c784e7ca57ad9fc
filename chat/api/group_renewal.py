"""Keeps the notify sockets of a process in their groups, and closes those that Redis has forgotten.

Redis forgets groups when it loses its data, and Channels forgets members after a day (`group_expiry`). Such a socket would
stay open and hear nothing. Its page reconnects after the close, and reads what it missed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import compress
from uuid import UUID
from weakref import WeakKeyDictionary

import structlog

from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.notifications import renew_memberships

log = structlog.get_logger(__name__)

ROUND_S = 15.0  # for all sockets once; one that joins or moves up in a round waits for at most two (docs/reliability.md)
BATCH_SOCKETS = 100  # renewed, or closed, at the same moment


@dataclass(eq=False, slots=True)
class NotifySocket:
    """An open notify socket."""

    membership_id: UUID
    channel_name: str
    close: Callable[[], Awaitable[None]]  # awaited when Redis has forgotten the socket


class GroupRenewal:
    """Renews the memberships of one event loop's sockets. `current()` creates it on first use."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, GroupRenewal] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> GroupRenewal:
        loop = asyncio.get_running_loop()
        renewal = cls._of_loop.get(loop)
        if renewal is None:
            renewal = cls._of_loop[loop] = cls()
        return renewal

    def __init__(self) -> None:
        self._sockets: dict[NotifySocket, None] = {}  # in the order in which they joined, so that each keeps its place in the rounds
        self._task: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()

    def add(self, socket: NotifySocket) -> None:
        """Watch a socket that is in its group."""
        self._sockets[socket] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._renew_forever(), name="group-renewal")

    def remove(self, socket: NotifySocket) -> None:
        self._sockets.pop(socket, None)

    async def _renew_forever(self) -> None:
        while self._sockets:
            await self._renew_all()

    async def _renew_all(self) -> None:
        """Renew each socket once. The batches are spread over the round, and so are the pages that reconnect."""
        sockets = list(self._sockets)
        batches = [sockets[start : start + BATCH_SOCKETS] for start in range(0, len(sockets), BATCH_SOCKETS)]
        for batch in batches:
            await asyncio.sleep(ROUND_S / len(batches))
            try:
                await self._renew(batch)
            except REDIS_ERRORS as exc:
                log.warning("groups_not_renewed", sockets=len(batch), reason=type(exc).__name__)
            except Exception:
                log.exception("groups_not_renewed", sockets=len(batch))

    async def _renew(self, batch: Sequence[NotifySocket]) -> None:
        batch = [socket for socket in batch if socket in self._sockets]  # some have left since the round began
        renewed = await renew_memberships([(socket.membership_id, socket.channel_name) for socket in batch])
        forgotten = set(compress(batch, (not is_member for is_member in renewed)))
        for socket in forgotten & self._sockets.keys():  # others have left meanwhile
            self._start_close(socket)
        if forgotten:
            log.warning("notify_sockets_forgotten", sockets=len(forgotten))

    def _start_close(self, socket: NotifySocket) -> None:
        """Close in a task of its own: a client that has stopped reading must delay neither the others nor the next round."""
        self.remove(socket)
        task = asyncio.ensure_future(_close_one(socket))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _close_one(socket: NotifySocket) -> None:
    try:
        await socket.close()
    except Exception:
        log.exception("socket_not_closed")
