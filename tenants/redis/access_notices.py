"""Notices that somebody's access may have ended, over Redis: whoever holds their sockets, streams and runs looks at once.

A notice says whose access to look at. Whether it has ended is for the database to say, so a false notice does no harm, and a lost one costs
time only: chat.api.access_watch and chat.runs.supervisor look again and again by themselves.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast, get_args
from weakref import WeakKeyDictionary

import redis.asyncio
import structlog
from django.db import transaction

from tenants.context import current_alias
from tenants.redis.clients import REDIS_ERRORS, blocking_client, key, sync_client

log = structlog.get_logger(__name__)

Kind = Literal["user", "membership", "organization", "token", "session"]

KINDS = get_args(Kind)
STREAM = "access-notices"
MAX_NOTICES = 1000  # kept for readers that lag or lost their connection
EXPIRY_S = 3600
BLOCK_MS = 5000
MAX_WAIT_S = 10.0  # of one read; a connection that takes longer is dead
RETRY_S = 0.3
OVERLAP_MS = 5000  # a reader that begins gets the notices of this time again: they may have come between a handshake and its first read


@dataclass(frozen=True, slots=True)
class AccessNotice:
    """Whose access to look at. `id`: the row's primary key as text; for a session the hash of its key."""

    kind: Kind
    id: str


Receiver = Callable[[AccessNotice], None]


def access_notice_send(kind: Kind, row_id: object, *, using: str | None = None) -> None:
    """Send a notice after the commit of the transaction that ends the access. `using`: its alias, the current one if not given.

    Never raises: while Redis is away the others find out by their own looks.
    """
    transaction.on_commit(partial(_send, f"{kind} {row_id}"), using=using or current_alias(), robust=True)


def _send(text: str) -> None:
    try:
        with sync_client().pipeline(transaction=False) as pipeline:
            pipeline.xadd(key(STREAM), {"notice": text}, maxlen=MAX_NOTICES)
            pipeline.expire(key(STREAM), EXPIRY_S)
            pipeline.execute()
    except REDIS_ERRORS as error:
        log.warning("access_notice_not_sent", reason=type(error).__name__)


@contextmanager
def access_notices(receiver: Receiver) -> Iterator[None]:
    """Hand each notice that comes meanwhile to `receiver`, on the running event loop. It must not wait."""
    listener = _Listener.current()
    listener.add(receiver)
    try:
        yield
    finally:
        listener.remove(receiver)


async def _id_before(client: redis.asyncio.Redis) -> bytes:
    """Return the id that an entry of OVERLAP_MS ago would have, by the server's clock."""
    seconds, microseconds = await client.time()
    return b"%d-0" % (seconds * 1000 + microseconds // 1000 - OVERLAP_MS)


class _Listener:
    """Reads the notices for one event loop, as long as somebody there wants them."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, _Listener] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> _Listener:
        loop = asyncio.get_running_loop()
        listener = cls._of_loop.get(loop)
        if listener is None:
            listener = cls._of_loop[loop] = cls()
        return listener

    def __init__(self) -> None:
        self._receivers: list[Receiver] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, receiver: Receiver) -> None:
        self._receivers.append(receiver)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read_forever(), name="access-notices", context=contextvars.Context())

    def remove(self, receiver: Receiver) -> None:
        self._receivers.remove(receiver)
        if not self._receivers and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _read_forever(self) -> None:
        client = blocking_client()
        last_id: bytes | None = None
        try:
            while True:
                try:
                    async with asyncio.timeout(MAX_WAIT_S):
                        if last_id is None:
                            last_id = await _id_before(client)
                        reply = await client.xread({key(STREAM): last_id}, block=BLOCK_MS)
                except REDIS_ERRORS as error:
                    log.warning("access_notices_not_read", reason=type(error).__name__)
                    await asyncio.sleep(RETRY_S)
                    continue
                for _, rows in reply or []:
                    last_id = rows[-1][0]
                    for _, fields in rows:
                        self._hand_out(fields[b"notice"].decode())
        finally:
            await client.aclose()

    def _hand_out(self, text: str) -> None:
        kind, _, row_id = text.partition(" ")
        if kind not in KINDS:  # of a newer process
            return
        notice = AccessNotice(cast(Kind, kind), row_id)
        for receiver in [*self._receivers]:
            try:
                receiver(notice)
            except Exception:  # receivers are others' code: what one raises must not keep the notice from the rest
                log.exception("access_notice_not_received", kind=kind)
