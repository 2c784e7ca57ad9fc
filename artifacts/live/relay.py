"""What happens to live documents, over Redis: each process that has sockets of one hears of it (a stream, so in order).

The database is the truth. A notice of a change carries its number, so a process that missed one sees the gap and reads the rows; without
Redis each process looks for new rows by itself (chat.live.rooms).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args
from uuid import UUID

import structlog
from django.db import transaction

from tenants.context import current_alias
from tenants.redis.clients import REDIS_ERRORS, key, redis_client, sync_client
from tenants.redis.stream_listener import StreamListener

log = structlog.get_logger(__name__)

Kind = Literal["update", "saved", "people", "cursor"]

KINDS: Final = get_args(Kind)
STREAM: Final = "live"
MAX_NOTICES: Final = 10_000
EXPIRY_S: Final = 3600


@dataclass(frozen=True, slots=True)
class LiveNotice:
    """`seq`: the number of an update, or of the last one that a version has. `content`: an update, a version's number, or a cursor as JSON."""

    artifact_id: UUID
    kind: Kind
    seq: int = 0
    content: bytes = b""

    @property
    def fields(self) -> dict[Any, Any]:
        return {"artifact": str(self.artifact_id), "kind": self.kind, "seq": self.seq, "content": self.content}


def live_notice_send(notice: LiveNotice) -> None:
    """Send it after the commit. Never raises: while Redis is away the others look by themselves."""
    transaction.on_commit(lambda: _send(notice), using=current_alias(), robust=True)


async def live_notice_send_now(notice: LiveNotice) -> None:
    """Send what is not stored: who is there, and their cursors. Raises one of REDIS_ERRORS."""
    async with redis_client().pipeline(transaction=False) as pipeline:
        pipeline.xadd(key(STREAM), notice.fields, maxlen=MAX_NOTICES)
        pipeline.expire(key(STREAM), EXPIRY_S)
        await pipeline.execute()


def _send(notice: LiveNotice) -> None:
    try:
        with sync_client().pipeline(transaction=False) as pipeline:
            pipeline.xadd(key(STREAM), notice.fields, maxlen=MAX_NOTICES)
            pipeline.expire(key(STREAM), EXPIRY_S)
            pipeline.execute()
    except REDIS_ERRORS as error:
        log.warning("live_notice_not_sent", kind=notice.kind, reason=type(error).__name__)


class LiveNotices(StreamListener[LiveNotice]):
    """Hands the notices to who wants them on this event loop."""

    stream = STREAM

    def read(self, fields: dict[bytes, bytes]) -> LiveNotice | None:
        kind = fields[b"kind"].decode()
        if kind not in KINDS:  # of a newer process
            return None
        return LiveNotice(UUID(fields[b"artifact"].decode()), cast(Kind, kind), int(fields[b"seq"]), fields[b"content"])
