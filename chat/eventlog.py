"""A run's event log: one Redis stream per run, one gapless sequence (ARCHITECTURE 3).

An entry `<seq>-0` holds the chunks of one flush, one JSON text a line. One script per flush checks the epoch, appends and reads the stop
flag; a repeated flush is skipped by its sequence number, so a flush can be tried again after a lost answer. A *snapshot* entry
starts the log anew after Redis lost it: it holds everything up to its own place.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from typing import Any, Literal
from uuid import UUID

import orjson

from chat.chunks import Chunk, merge_delta
from tenants.redis import REDIS_DOWN, key, redis_client

log = logging.getLogger(__name__)

FLUSH_INTERVAL_S = 0.015  # at once after a pause, else gathered for this long (PERFORMANCE: merge with a leading edge)
BUSY_INTERVAL_S = 0.05
LAG_S = 0.005
LAGGY_PAUSES = 4  # so many in a row, so that the first tokens of a busy moment are not held back
BEAT_S = 0.4  # an empty flush: reads the stop flag and notices a lost log
ACTIVE_TTL_MS = 24 * 3600 * 1000
ENDED_TTL_MS = 60 * 1000  # how long a late viewer still gets the replay (docs/protocol.md)

# KEYS: log, epoch, stop, inputs. ARGV: epoch, ttl in ms, first sequence number, "1" when the first entry is a snapshot, "1" when final, entries...
# Answers: {-1} a newer owner; {-2, last} the log misses entries before the first; {1, stop flag, number of inputs}.
_APPEND = """
local epoch = tonumber(ARGV[1])
local fence = tonumber(redis.call('get', KEYS[2]) or '0')
if fence > epoch then return {-1} end
if fence < epoch then redis.call('set', KEYS[2], epoch, 'px', 86400000) end
local top = redis.call('xrevrange', KEYS[1], '+', '-', 'COUNT', 1)
local last = 0
if #top > 0 then last = tonumber(string.match(top[1][1], '^%d+')) end
local seq = tonumber(ARGV[3])
if ARGV[4] == '1' then
  redis.call('del', KEYS[1])
  last = seq - 1
elseif seq > last + 1 then
  return {-2, last}
end
for i = 6, #ARGV do
  if seq > last then
    local kind = ''
    if i == 6 and ARGV[4] == '1' then kind = 's' end
    if i == #ARGV and ARGV[5] == '1' then kind = kind .. 'e' end
    redis.call('xadd', KEYS[1], seq .. '-0', 'c', ARGV[i], 'k', kind)
  end
  seq = seq + 1
end
redis.call('pexpire', KEYS[1], ARGV[2])
return {1, redis.call('exists', KEYS[3]), tonumber(redis.call('get', KEYS[4]) or '0')}
"""


_STEP_START = b'{"type":"start-step"}'


OnEnd = Callable[[Literal["stop", "lost"]], None]


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
    def of(cls, run_id: UUID) -> LogKeys:
        tag = f"{{{run_id}}}"
        return cls(key("run", tag, "log"), key("run", tag, "epoch"), key("run", tag, "stop"), key("run", tag, "inputs"))


def encode_entry(chunks: Iterable[Chunk]) -> bytes:
    return b"\n".join(map(orjson.dumps, chunks))


@dataclass(frozen=True, slots=True)
class Watch:
    """How a writer asks and tells the run's owner.

    `snapshot()` returns all chunks of the run so far, compact; it is asked for when Redis lost the log. `on_end` is told when a flush
    found a stop request or a newer owner, `on_input` when one found that something was sent into the run.
    """

    snapshot: Callable[[], list[Chunk]]
    on_end: OnEnd
    on_input: Callable[[], None]


class EventLogWriter:
    """Writes one run's chunks for its owner. `publish` never waits; a pump task does the I/O."""

    def __init__(
        self,
        run_id: UUID,
        epoch: int,
        *,
        first_seq: int,
        watch: Watch,
    ) -> None:
        self._keys = LogKeys.of(run_id)
        self._epoch = epoch
        self._seq = first_seq
        self._watch = watch
        self._inputs = 0
        self._buffer: list[Chunk] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._laggy_pauses = 0
        self._pump: asyncio.Task[None] | None = None
        self._script = redis_client().register_script(_APPEND)

    @classmethod
    async def resume(cls, run_id: UUID, epoch: int, *, watch: Watch) -> tuple[EventLogWriter, int | None]:
        """A writer that goes on after the log's last entry, and the number of steps that the log shows (None: no log to go on with).

        Without a log the first flush writes a snapshot, numbered above all that any viewer can have seen. Raises LeaseLost.
        """
        writer = cls(run_id, epoch, first_seq=0, watch=watch)
        # The fence before the read: from here on the former owner can't append what would be missed.
        if (await writer._append(None, final=False))[0] == -1:
            raise LeaseLost
        seq, steps, has_ended = 0, 0, False
        while page := await read_log(run_id, after=seq):
            seq, has_ended = page[-1].seq, page[-1].end
            steps += sum(chunk == _STEP_START for entry in page for chunk in entry.chunks)
        if not seq or has_ended:  # lost, or of the execution before a pause: a snapshot takes its place
            writer._seq = max(seq + 2, epoch * 1_000_000)
            return writer, None
        writer._seq = seq + 1
        return writer, steps

    def start(self) -> None:
        self._pump = asyncio.create_task(self._run_pump(), name="event-log-pump")

    def publish(self, chunk: Chunk) -> None:
        """Add a chunk; deltas of one part that wait together become one. The chunk must not be changed afterwards."""
        if not (self._buffer and merge_delta(self._buffer[-1], chunk)):
            self._buffer.append(chunk)
        self._wake.set()

    async def close(self, *, final: bool) -> None:
        """Flush what is left and end the pump. `final`: the run is over, viewers stop following.

        Never cancels a flush (its batch would be lost).
        """
        self._closing = True
        self._wake.set()
        if self._pump is not None:
            await self._pump
        await self._flush(final=final)

    async def abandon(self) -> None:
        """End the pump after a last flush and leave the log to the run's next owner; nothing happens after `close`."""
        self._closing = True
        self._wake.set()
        if self._pump is not None:
            [failure] = await asyncio.gather(self._pump, return_exceptions=True)
            if isinstance(failure, Exception) and not isinstance(failure, LeaseLost):
                log.error("the event log's pump failed", exc_info=failure)

    async def _pause(self) -> None:
        """Gather for a while, longer while the loop lags again and again: a busy process flushes less often."""
        loop = asyncio.get_running_loop()
        interval_s = BUSY_INTERVAL_S if self._laggy_pauses >= LAGGY_PAUSES else FLUSH_INTERVAL_S
        due = loop.time() + interval_s
        await asyncio.sleep(interval_s)
        self._laggy_pauses = self._laggy_pauses + 1 if loop.time() - due > LAG_S else 0

    async def _run_pump(self) -> None:
        while not self._closing:
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._wake.wait()
            except TimeoutError:
                pass
            await self._flush()
            if not self._closing:
                await self._pause()

    async def _flush(self, *, final: bool = False) -> None:
        self._wake.clear()
        entry = encode_entry(self._take()) if self._buffer or final else None
        reply = await self._append(entry, final=final)
        if reply[0] == -2:
            self._take()  # the snapshot holds what waits here too
            entry = encode_entry(self._watch.snapshot())
            reply = await self._append(entry, final=final, snapshot=True)
        if reply[0] == -1:
            self._watch.on_end("lost")
            raise LeaseLost
        self._seq += entry is not None
        if reply[1]:
            self._watch.on_end("stop")
        if reply[2] > self._inputs:
            self._inputs = reply[2]
            self._watch.on_input()

    def _take(self) -> list[Chunk]:
        batch, self._buffer = self._buffer, []
        return batch

    async def _append(self, entry: bytes | None, *, final: bool, snapshot: bool = False) -> list[Any]:
        """Run the script; while Redis is away the batch is kept and sent again (a closing writer gives up after 10 s)."""
        ttl = ENDED_TTL_MS if final else ACTIVE_TTL_MS
        args: list[Any] = [self._epoch, ttl, self._seq, int(snapshot), int(final)]
        if entry is not None:
            args.append(entry)
        attempts = 0
        while True:
            try:
                reply: list[Any] = await self._script(keys=list(astuple(self._keys)), args=args)
                return reply
            except REDIS_DOWN as exc:
                attempts += 1
                if (final or self._closing) and attempts > 20:
                    log.warning("event log: giving up, Redis is down (%s)", type(exc).__name__)
                    return [1, 0, self._inputs]
                await asyncio.sleep(0.5)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One read entry. `snapshot`: it holds everything before it too; `end`: nothing follows."""

    seq: int
    chunks: tuple[bytes, ...]
    snapshot: bool
    end: bool

    @classmethod
    def of(cls, entry_id: bytes, fields: dict[bytes, bytes]) -> LogEntry:
        kind = fields[b"k"]
        lines = fields[b"c"]
        return cls(int(entry_id.split(b"-", 1)[0]), tuple(lines.split(b"\n")) if lines else (), kind.startswith(b"s"), kind.endswith(b"e"))


async def read_log(run_id: UUID, *, after: int = 0, count: int = 500) -> list[LogEntry]:
    """Entries with a higher sequence number than `after`, oldest first, at most `count`."""
    rows = await redis_client().xrange(LogKeys.of(run_id).log, f"({after}-0" if after else "-", "+", count=count)
    return [LogEntry.of(entry_id, fields) for entry_id, fields in rows]


async def log_has_ended(run_id: UUID) -> bool:
    """Whether the run's log is still there and whole, with its end: a late viewer can have the replay."""
    try:
        rows = await redis_client().xrevrange(LogKeys.of(run_id).log, count=1)
    except REDIS_DOWN:
        return False  # the rows have the answer too
    return bool(rows) and LogEntry.of(*rows[0]).end


async def wake_stop(run_id: UUID) -> None:
    """Tell the run's owner to stop; it reads the flag with its next flush, and without Redis the run's row within a second."""
    try:
        await redis_client().set(LogKeys.of(run_id).stop, 1, px=600_000)
    except REDIS_DOWN as exc:
        log.warning("stop_not_signalled", extra={"run_id": str(run_id), "reason": type(exc).__name__})


async def wake_input(run_id: UUID) -> None:
    """Tell the run's owner that something was sent into it; like `wake_stop`."""
    inputs = LogKeys.of(run_id).inputs
    try:
        await redis_client().incr(inputs)
        await redis_client().pexpire(inputs, ACTIVE_TTL_MS)
    except REDIS_DOWN as exc:
        log.warning("input_not_signalled", extra={"run_id": str(run_id), "reason": type(exc).__name__})


async def log_forget(run_id: UUID) -> None:
    """Drop the log of a paused run that goes on: who attaches now must not get the pause again."""
    try:
        await redis_client().delete(LogKeys.of(run_id).log)
    except REDIS_DOWN as exc:
        log.warning("log_not_forgotten", extra={"run_id": str(run_id), "reason": type(exc).__name__})
