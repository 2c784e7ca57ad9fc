"""Notices over Redis that somebody's access may have ended. Each process that holds their sockets, streams or runs checks it at once.

A notice says only whose access to check: the database says whether it has ended. So a false notice does no harm. A lost one costs only
time, because chat.api.access_watch and chat.runs.supervisor check regularly anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, cast, get_args

import structlog
from django.db import transaction

from tenants.context import current_alias
from tenants.redis.clients import REDIS_ERRORS, key, sync_client
from tenants.redis.stream_listener import StreamListener

log = structlog.get_logger(__name__)

Kind = Literal["user", "membership", "organization", "token", "session"]

KINDS = get_args(Kind)
STREAM = "access-notices"
MAX_NOTICES = 1000  # kept for readers that lag or lost their connection
EXPIRY_S = 3600


@dataclass(frozen=True, slots=True)
class AccessNotice:
    """Whose access to check. `id`: the row's primary key as text; for a session the hash of its key."""

    kind: Kind
    id: str


Receiver = Callable[[AccessNotice], None]


def access_notice_send(kind: Kind, row_id: object, *, using: str | None = None) -> None:
    """Send a notice after the commit of the transaction that ends the access. `using`: its alias, the current one if not given.

    Never raises: while Redis is away, the others find out by their regular checks.
    """
    transaction.on_commit(lambda: _send(f"{kind} {row_id}"), using=using or current_alias(), robust=True)


def _send(text: str) -> None:
    try:
        with sync_client().pipeline(transaction=False) as pipeline:
            pipeline.xadd(key(STREAM), {"notice": text}, maxlen=MAX_NOTICES)
            pipeline.expire(key(STREAM), EXPIRY_S)
            pipeline.execute()
    except REDIS_ERRORS as error:
        log.warning("access_notice_not_sent", reason=type(error).__name__)


def access_notices(receiver: Receiver) -> AbstractContextManager[None]:
    """Hand each notice that comes meanwhile to `receiver`, on the running event loop. It must not wait."""
    return _Listener.current().receiving(receiver)


class _Listener(StreamListener[AccessNotice]):
    """Reads the notices for one event loop."""

    stream = STREAM

    def read(self, fields: dict[bytes, bytes]) -> AccessNotice | None:
        kind, _, row_id = fields[b"notice"].decode().partition(" ")
        return AccessNotice(cast(Kind, kind), row_id) if kind in KINDS else None  # of a newer process
