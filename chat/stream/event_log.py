"""The event log of a run: one Redis stream with one sequence of entries (ARCHITECTURE 3), and the signals to the run's owner.

Chunks are numbered, and so is the end. An entry `<seq>-0` holds the chunks of one flush, one JSON text per line; `seq` is the number of the
last one. The sequence has no gaps as long as the run has the same owner.

chat.stream.log_writer writes the log. A script checks the epoch, appends and reads the stop flag. It skips a sequence number that is in
the log already, so a flush can be repeated when its reply was lost. After Redis has lost the log, a *snapshot* entry starts a new one: it
holds everything up to its own position.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from redis.exceptions import RedisError

from chat.entries import as_json
from chat.stream.chunks import Chunk
from tenants.redis.clients import REDIS_ERRORS, key, redis_client, sync_client
from tenants.redis.scripts import Script
from tenants.redis.stores import is_in_cluster

log = logging.getLogger(__name__)

LOG_TAGS = 16  # at most so many nodes of a Redis Cluster share the logs; each costs a process one connection and one call per flush
ACTIVE_TTL_MS = 24 * 3600 * 1000
SIGNAL_TIMEOUT_S = 1.0  # how long to wait for Redis; what is signalled is in the database already
ENDED_TTL_MS = 60 * 1000  # how long a late viewer still gets a replay after the end (docs/protocol.md)


class LeaseLost(Exception):
    """Another process owns the run, or it has ended; this process must not write any more."""


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The Redis keys of one run. The flusher derives all from the first.

    Their tag in braces keeps them, and those of other runs with the same tag, on one node of a Redis Cluster (docs/decisions/0075).
    """

    log: str  # the stream
    epoch: str  # the epoch of the last writer
    stop: str  # set: the run should stop
    inputs: str  # counts the signals that inputs have arrived

    @classmethod
    @lru_cache(maxsize=1000)  # called for each entry
    def of(cls, run_id: UUID) -> LogKeys:
        tag = f"{{log-{run_id.int % LOG_TAGS:02}}}"
        return cls(*(key("run", tag, run_id, name) for name in ("log", "epoch", "stop", "inputs")))

    @property
    def all(self) -> tuple[str, ...]:
        return self.log, self.epoch, self.stop, self.inputs


def log_tag(log: str) -> str:
    """Return the tag of a log's key, with its braces. Without a cluster all logs are together: the tag is empty."""
    if not is_in_cluster("event_log"):
        return ""
    return log[log.index("{") : log.index("}") + 1]


def encode_entry(chunks: Iterable[Chunk]) -> bytes:
    """Return the chunks as the stored form of a log entry: one JSON text per line."""
    return b"\n".join(map(as_json, chunks))


class LogEntry(NamedTuple):
    """Consecutive chunks of a run: an entry of the log, or a part of one that is not in the log yet."""

    seq: int  # the number of the last chunk, or of the end
    chunks: tuple[bytes, ...]  # JSON texts
    snapshot: bool  # it holds everything from the start of the answer
    end: bool  # nothing follows

    @property
    def first(self) -> int:
        """The number of the first chunk, or of the end when there is no chunk."""
        return 1 if self.snapshot else self.seq - len(self.chunks) - self.end + 1

    def after(self, seq: int) -> LogEntry:
        """Return the entry without its chunks up to number `seq`, which is less than its own. A snapshot stays whole."""
        return self if self.first > seq or self.snapshot else self._replace(chunks=self.chunks[seq - self.first + 1 :])

    @classmethod
    def of(cls, entry_id: bytes, fields: dict[bytes, bytes]) -> LogEntry:
        kind = fields[b"k"]
        return cls(int(entry_id.split(b"-", 1)[0]), decode_entry(fields[b"c"]), kind.startswith(b"s"), kind.endswith(b"e"))


def decode_entry(lines: bytes) -> tuple[bytes, ...]:
    """Return the JSON texts of an entry's stored form."""
    return tuple(lines.split(b"\n")) if lines else ()


async def read_log(run_id: UUID, *, after: int = 0, count: int = 500) -> list[LogEntry]:
    """Return the entries with a higher sequence number than `after`, oldest first, at most `count`."""
    rows = await redis_client("event_log").xrange(LogKeys.of(run_id).log, f"({after}-0" if after else "-", "+", count=count)
    return [LogEntry.of(entry_id, fields) for entry_id, fields in rows]


async def log_has_ended(run_id: UUID) -> bool:
    """Return whether Redis still has the run's complete log with its end, so that a late viewer can get a replay.

    Returns False when Redis is down.
    """
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            rows = await redis_client("event_log").xrevrange(LogKeys.of(run_id).log, count=1)
    except REDIS_ERRORS:
        return False  # the database has the answer, too
    return bool(rows) and LogEntry.of(*rows[0]).end


async def signal_stop(run_id: UUID) -> None:
    """Signal the run's owner to stop. It reads the flag with its next flush; without Redis, it reads the run's row within a second."""
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            await redis_client("event_log").set(LogKeys.of(run_id).stop, 1, px=600_000)
    except REDIS_ERRORS as exc:
        log.warning("stop_not_signalled", extra={"run_id": str(run_id), "reason": type(exc).__name__})


async def signal_input(run_id: UUID) -> None:
    """Signal the run's owner that an input was stored. It reads the signal in the same way as that of `signal_stop`."""
    inputs = LogKeys.of(run_id).inputs
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            await redis_client("event_log").incr(inputs)
            await redis_client("event_log").pexpire(inputs, ACTIVE_TTL_MS)
    except REDIS_ERRORS as exc:
        log.warning("input_not_signalled", extra={"run_id": str(run_id), "reason": type(exc).__name__})


# KEYS: log, epoch. ARGV: epoch.
_RESET_SCRIPT = Script("""
if tonumber(redis.call('get', KEYS[2]) or '0') < tonumber(ARGV[1]) then
  redis.call('set', KEYS[2], ARGV[1], 'px', 86400000)
  redis.call('del', KEYS[1])
end
""")


async def log_reset(run_id: UUID, epoch: int) -> None:
    """Delete the log of a paused run that resumes under `epoch`.

    New viewers must not get the chunks of the pause again, nor those of a late flush by the former owner.
    """
    keys = LogKeys.of(run_id)
    try:
        async with asyncio.timeout(SIGNAL_TIMEOUT_S):
            await _RESET_SCRIPT.run(redis_client("event_log"), [keys.log, keys.epoch], [epoch])
    except REDIS_ERRORS as exc:
        log.warning("log_not_forgotten", extra={"run_id": str(run_id), "reason": type(exc).__name__})


def logs_delete(organization_id: UUID, run_ids: Collection[UUID]) -> None:
    """Delete what Redis still has of these runs. While it is away, its own time limits do that, within a day."""
    keys = [key for run_id in run_ids for key in LogKeys.of(run_id).all]
    try:
        sync_client("event_log").unlink(*keys)
    except RedisError:
        return
