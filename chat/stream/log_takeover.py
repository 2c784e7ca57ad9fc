"""What the next owner of a run does first with the event log that the former owner left."""

from __future__ import annotations

import asyncio
from uuid import UUID

from chat.stream.event_log import LeaseLost, LogKeys, read_log
from chat.stream.log_flusher import REDIS_PAUSE_S, AppendCall, append_to_logs
from tenants.redis.clients import REDIS_ERRORS

_STEP_START = b'{"type":"start-step"}'


async def fence_and_read(run_id: UUID, epoch: int) -> tuple[int, int, bool]:
    """Return the last sequence number of the log, how many steps it shows and whether it has an end.

    The former owner can't append any more. Waits while Redis is down. Raises LeaseLost.
    """
    while True:
        try:
            await _fence(run_id, epoch)  # before the read, which would miss what the former owner appends
            return await _read(run_id)
        except REDIS_ERRORS:
            await asyncio.sleep(REDIS_PAUSE_S)


async def _fence(run_id: UUID, epoch: int) -> None:
    """Raise the epoch of the log with an empty flush."""
    (reply,) = await append_to_logs([AppendCall(LogKeys.of(run_id).log.encode(), b"%d 0 0 -" % epoch, b"")])
    if isinstance(reply, Exception):
        raise reply
    if reply == -1:
        raise LeaseLost


async def _read(run_id: UUID) -> tuple[int, int, bool]:
    seq, steps, has_ended = 0, 0, False
    while page := await read_log(run_id, after=seq):
        seq, has_ended = page[-1].seq, page[-1].end
        steps += sum(chunk == _STEP_START for entry in page for chunk in entry.chunks)
    return seq, steps, has_ended
