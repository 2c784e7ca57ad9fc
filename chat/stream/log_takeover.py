"""What the next owner of a run does first with the event log that the former owner left."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from uuid import UUID

from chat.stream.event_log import LeaseLost, LogKeys, read_log
from chat.stream.log_append import AppendCall, append_to_logs
from chat.stream.log_flusher import REDIS_PAUSE_S
from chat.stream.shown_length import ShownLength
from tenants.redis.clients import REDIS_ERRORS

_STEP_START = b'{"type":"start-step"}'


@dataclass(slots=True)
class FormerLog:
    """The event log that a former owner left."""

    seq: int = 0  # the last number
    steps: int = 0  # how many it shows
    has_ended: bool = False
    shown_length: ShownLength = field(default_factory=ShownLength)  # of the last step


async def fence_and_read(run_id: UUID, epoch: int) -> FormerLog:
    """Return what the log has.

    The former owner can't append any more. Waits while Redis is down. Raises LeaseLost.
    """
    while True:
        try:
            await _raise_epoch(run_id, epoch)  # before the read, which would miss what the former owner appends
            return await _read(run_id)
        except REDIS_ERRORS:
            await asyncio.sleep(REDIS_PAUSE_S)


async def _raise_epoch(run_id: UUID, epoch: int) -> None:
    """Raise the epoch of the log with an empty flush."""
    (reply,) = await append_to_logs([AppendCall(LogKeys.of(run_id).log.encode(), b"%d 0 0 -" % epoch, b"")])
    if isinstance(reply, Exception):
        raise reply
    if reply == -1:
        raise LeaseLost


async def _read(run_id: UUID) -> FormerLog:
    former_log = FormerLog()
    while page := await read_log(run_id, after=former_log.seq):
        former_log.seq, former_log.has_ended = page[-1].seq, page[-1].end
        for entry in page:
            former_log.steps += sum(chunk == _STEP_START for chunk in entry.chunks)
            former_log.shown_length.read(entry.chunks)
    return former_log
