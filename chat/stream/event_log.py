"""A run's event log: one Redis stream per run, one sequence (ARCHITECTURE 3), gapless as long as the run has the same owner.

An entry `<seq>-0` holds the chunks of one flush, one JSON text a line. chat.stream.log_writer writes it: one script per flush checks the
epoch, appends and reads the stop flag; a repeated flush is skipped by its sequence number, so a flush can be tried again after a lost
answer. A *snapshot* entry starts the log anew after Redis lost it: it holds everything up to its own place.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from chat.entries import as_json
from chat.stream.chunks import Chunk
from tenants.redis.clients import REDIS_ERRORS, key, redis_client

log = logging.getLogger(__name__)

ACTIVE_TTL_MS = 24 * 3600 * 1000
SIGNAL_TIMEOUT_S = 1.0  # how long a call that the database holds already waits to tell Redis too
ENDED_TTL_MS = 60 * 1000  # how long a late viewer still gets the replay (docs/protocol.md)


class LeaseLost(Exception):
    """Another process owns the run now; this one must not write any more."""


@dataclass(frozen=True, slots=True)
class LogKeys:
    """Redis keys of one run; the braces keep them on one cluster node."""

    log: str
    epoch: str
    stop: str
    inputs: str

    @classmethod
    @lru_cache(maxsize=1000)  # asked for with each entry
    def of(cls, run_id: UUID) -> LogKeys:
        tag = f"{{{run_id}}}"
        return cls(key("run", tag, "log"), key("run", tag, "epoch"), key("run", tag, "stop"), key("run", tag, "inputs"))


def encode_entry(chunks: Iterable[Chunk]) -> bytes:
    return b"\n".join(map(as_json, chunks))


class LogEntry(NamedTuple):
    """One read entry. `snapshot`: it holds everything before it too; `end`: nothing follows."""

    seq: int
    chunks: tuple[bytes, ...]
    snapshot: bool
    end: bool

    @classmethod
    def of(cls, entry_id: bytes, fields: dict[bytes, bytes]) -> LogEntry:
        kind = fields[b"k"]
        return cls(int(entry_id.split(b"-", 1)[0]), decode_entry(fields[b"c"]), kind.startswith(b"s"), kind.endswith(b"e"))


def decode_entry(lines: bytes) -> tuple[bytes, ...]:
    """The other way round: an entry's JSON texts."""
    return tuple(lines.split(b"\n")) if lines else ()


async def read_log(run_id: UUID, *, after: int = 0, count: int = 500) -> list[LogEntry]:
    """Entries with a higher sequence number than `after`, oldest first, at most `count`."""
    rows = await redis_client().xrange(LogKeys.of(run_id).log, f"({after}-0" if after else "-", "+", count=count)
    return [LogEntry.of(entry_id, fields) for entry_id, fields in rows]


async def log_has_ended(run_id: UUID) -> bool:
    """Whether the run's log is still there and whole, with its end: a late viewer can have the replay."""
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            rows = await redis_client().xrevrange(LogKeys.of(run_id).log, count=1)
    except REDIS_ERRORS:
        return False  # the rows have the answer too
    return bool(rows) and LogEntry.of(*rows[0]).end


async def signal_stop(run_id: UUID) -> None:
    """Tell the run's owner to stop; it reads the flag with its next flush, and without Redis the run's row within a second."""
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            await redis_client().set(LogKeys.of(run_id).stop, 1, px=600_000)
    except REDIS_ERRORS as exc:
        log.warning("stop_not_signalled", extra={"run_id": str(run_id), "reason": type(exc).__name__})


async def signal_input(run_id: UUID) -> None:
    """Tell the run's owner that something was sent into it; like `signal_stop`."""
    inputs = LogKeys.of(run_id).inputs
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            await redis_client().incr(inputs)
            await redis_client().pexpire(inputs, ACTIVE_TTL_MS)
    except REDIS_ERRORS as exc:
        log.warning("input_not_signalled", extra={"run_id": str(run_id), "reason": type(exc).__name__})


# KEYS: log, epoch. ARGV: epoch.
_RESET_SCRIPT = """
if tonumber(redis.call('get', KEYS[2]) or '0') < tonumber(ARGV[1]) then
  redis.call('set', KEYS[2], ARGV[1], 'px', 86400000)
  redis.call('del', KEYS[1])
end
"""


async def log_reset(run_id: UUID, epoch: int) -> None:
    """Drop the log of a paused run that goes on under `epoch`: who attaches now must not get the pause again, nor a late flush of it."""
    keys = LogKeys.of(run_id)
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            await redis_client().register_script(_RESET_SCRIPT)(keys=[keys.log, keys.epoch], args=[epoch])
    except REDIS_ERRORS as exc:
        log.warning("log_not_forgotten", extra={"run_id": str(run_id), "reason": type(exc).__name__})
