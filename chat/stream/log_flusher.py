"""The flusher: sends the pending chunks of all runs of an event loop to Redis in one round trip (docs/decisions/0005).

A run is flushed at once after a pause, else FLUSH_INTERVAL_S after its last flush. Flushes of different runs that are due at about the
same time share a pipeline. While the event loop lags, both intervals grow, so that a busy process flushes less often.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, ReadOnlyError, ResponseError

from chat.stream.event_log import ACTIVE_TTL_MS, ENDED_TTL_MS, LeaseLost
from tenants.redis.clients import REDIS_ERRORS
from tenants.redis.pipeline import PipelinedRedis, pack_command

FLUSH_INTERVAL_S = 0.015  # between flushes of one run (PERFORMANCE: merge with a leading edge)
TICK_S = 0.003  # between flushes of the process
BUSY_INTERVAL_S = 0.05  # replaces both while the event loop lags
LAG_S = 0.005  # a timer that fires later than this counts as lagging
LAGGY_TICKS = 4  # in a row before the intervals grow, so that the first tokens of a busy moment are not delayed
IDLE_FLUSH_S = 0.4  # between empty flushes, which read the stop flag and notice a lost log
FLUSH_FAILED = "the event log of run %s can't be flushed"
REDIS_PAUSE_S = 0.5  # before the same flush is tried again
# KEYS: log, epoch, stop, inputs. ARGV: epoch, sequence number of the entry, that of the previous entry, kind, entry.
# Kinds: empty for a normal entry, "s" for a snapshot, "e" for the last one, "se" for both, "-" for no entry.
# Returns one number, which is the cheapest reply to parse: -1 for a newer owner, -2 when the log lacks the previous entry, else the
# stop flag plus twice the number of inputs. Flushes without an entry, which every pause brings, renew the log's time to live.
APPEND = f"""
local held = redis.call('mget', KEYS[2], KEYS[3], KEYS[4])
if held[1] ~= ARGV[1] then
  if tonumber(held[1] or '0') > tonumber(ARGV[1]) then return -1 end
  redis.call('set', KEYS[2], ARGV[1], 'px', 86400000)
end
local kind, last = ARGV[4], 0
if kind == 's' or kind == 'se' then
  redis.call('del', KEYS[1])
else
  local top = redis.call('xrevrange', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if top then last = tonumber(string.match(top[1], '^%d+')) end
  if last < tonumber(ARGV[3]) then return -2 end
end
if kind ~= '-' and last < tonumber(ARGV[2]) then
  redis.call('xadd', KEYS[1], ARGV[2] .. '-0', 'c', ARGV[5], 'k', kind)
end
if kind ~= '' or last == 0 then
  redis.call('pexpire', KEYS[1], (kind == 'e' or kind == 'se') and {ENDED_TTL_MS} or {ACTIVE_TTL_MS})
end
return (held[2] and 1 or 0) + 2 * tonumber(held[3] or '0')
"""


class PipelinedScript(PipelinedRedis):
    """A Redis connection that calls one script, which returns a number."""

    STALE_CONNECTION_ERRORS = (NoScriptError, ReadOnlyError)  # then a new connection is made, which loads the script

    def __init__(self, script: str) -> None:
        super().__init__()
        self._script = script

    async def on_connect(self, connection: AbstractConnection) -> None:
        await connection.send_packed_command(pack_command(b"SCRIPT", b"LOAD", self._script.encode()), check_health=False)
        await connection.read_response()


log = logging.getLogger(__name__)


class Flushable(Protocol):
    """A run, as the flusher sees it."""

    flushed_at: float  # the loop's time of the last flush
    urgent: bool  # flush without waiting for the interval
    name: str  # for log messages

    def prepare(self) -> bytes:
        """Return a call of APPEND (tenants.redis.pipeline.ScriptCall); the same call again until it has a reply."""
        ...

    def settle(self, reply: int | BaseException) -> bool:
        """Handle APPEND's reply, or the error instead of one. Return whether there is more to flush."""
        ...

    def fail(self, reason: Exception) -> None:
        """Give up, because one of the methods above raised `reason`. The run is not flushed any more."""
        ...


class LogFlusher:
    """The flusher of one event loop. `current()` creates it on first use. Its task lives as long as there are runs."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, LogFlusher] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> LogFlusher:
        loop = asyncio.get_running_loop()
        flusher = cls._of_loop.get(loop)
        if flusher is None:
            flusher = cls._of_loop[loop] = cls(loop)
        return flusher

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._runs: set[Flushable] = set()
        self._waiting: dict[Flushable, float] = {}  # the loop's time at which each is due
        self._retry_at: dict[Flushable, float] = {}  # runs whose flush Redis refused
        self._wakeup = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._armed_for = self._fires_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._last = self._next_idle_flush = 0.0
        self._laggy_ticks = 0
        self._line = PipelinedScript(APPEND)

    def attach(self, run: Flushable) -> None:
        """Flush the run from now on, with empty flushes while it has no chunks."""
        self._runs.add(run)
        if self._task is None or self._task.done():
            self._next_idle_flush = self._loop.time() + IDLE_FLUSH_S
            self._task = self._loop.create_task(self._flush_forever(), name="event-log-flusher", context=contextvars.Context())
            self._arm(self._next_idle_flush)

    def detach(self, run: Flushable) -> None:
        """Stop flushing the run."""
        self._runs.discard(run)
        self._waiting.pop(run, None)
        self._retry_at.pop(run, None)
        if not self._runs:
            self._wakeup.set()

    def wake(self, run: Flushable) -> None:
        """Schedule a flush of the run: at once if it is `urgent`, else after its interval."""
        if run in self._runs:
            self._waiting[run] = due = self._due(run)
            self._arm(due)

    async def close(self) -> None:
        """Stop flushing and close the connection, at the end of a worker's event loop. Otherwise the loop would not be freed."""
        self._of_loop.pop(self._loop, None)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._line.close()

    def _due(self, run: Flushable) -> float:
        due = 0.0 if run.urgent else run.flushed_at + self._interval(FLUSH_INTERVAL_S)
        return max(due, self._retry_at.get(run, 0.0)) if self._retry_at else due

    def _interval(self, usual_s: float) -> float:
        return BUSY_INTERVAL_S if self._laggy_ticks >= LAGGY_TICKS else usual_s

    def _arm(self, at: float) -> None:
        """Set the timer so that the flusher runs at `at` or earlier, but not within a tick of its last run."""
        at = max(at, self._last + self._interval(TICK_S))
        if self._timer is not None:
            if self._armed_for <= at:
                return
            self._timer.cancel()
        self._armed_for = at
        self._fires_at = max(at, self._loop.time())
        self._timer = self._loop.call_at(self._fires_at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        late = self._loop.time() - self._fires_at > LAG_S
        self._laggy_ticks = self._laggy_ticks + 1 if late else 0
        self._wakeup.set()

    async def _flush_forever(self) -> None:
        try:
            while self._runs:
                await self._wakeup.wait()
                self._wakeup.clear()
                if batch := self._batch():
                    await self._flush(batch)
                self._arm(min([self._next_idle_flush, *self._waiting.values()]))
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            for run in list(self._runs):  # the loop ends before its runs
                self.detach(run)
                run.fail(LeaseLost())

    def _batch(self) -> list[Flushable]:
        now = self._last = self._loop.time()
        soon = now + TICK_S / 3  # a tolerance for the resolution of timers
        batch = [run for run, due in self._waiting.items() if due <= soon]
        if now >= self._next_idle_flush:
            self._next_idle_flush = now + IDLE_FLUSH_S
            batch += [run for run in self._runs if now - run.flushed_at >= IDLE_FLUSH_S / 2 and run not in self._waiting]
        for run in batch:
            self._waiting.pop(run, None)
            run.flushed_at = now
        return batch

    async def _flush(self, batch: list[Flushable]) -> None:
        calls_by_run = [(run, call) for run in batch if (call := self._prepared_call(run)) is not None]
        replies = await self._replies([call for _, call in calls_by_run])
        for (run, _), reply in zip(calls_by_run, replies, strict=True):
            self._settle(run, reply)
        if any(isinstance(reply, REDIS_ERRORS) and not isinstance(reply, ResponseError) for reply in replies if not isinstance(reply, int)):
            await asyncio.sleep(REDIS_PAUSE_S)

    def _prepared_call(self, run: Flushable) -> bytes | None:
        """Return the run's call; None when `prepare` failed."""
        try:
            return run.prepare()
        except Exception as exc:
            log.exception(FLUSH_FAILED, run.name)
            self._drop(run, exc)
            return None

    def _settle(self, run: Flushable, reply: int | BaseException) -> None:
        self._delay_retry(run, reply)
        try:
            if run.settle(reply):
                self.wake(run)
        except Exception as exc:
            log.exception(FLUSH_FAILED, run.name)
            self._drop(run, exc)

    def _delay_retry(self, run: Flushable, reply: object) -> None:
        """Delay the next flush of a run whose call Redis refused. While Redis is down, `_flush` delays all runs instead."""
        if run not in self._runs:
            return  # it was detached in the meantime
        if isinstance(reply, ResponseError):
            self._retry_at[run] = self._loop.time() + REDIS_PAUSE_S
        elif self._retry_at:
            self._retry_at.pop(run, None)

    def _drop(self, run: Flushable, reason: Exception) -> None:
        """Detach a run that failed, so that it does not affect the others."""
        self.detach(run)
        run.fail(reason)

    async def _replies(self, calls: Sequence[bytes]) -> Sequence[int | BaseException]:
        try:
            return await self._line.call(calls)
        except Exception as exc:
            if not isinstance(exc, REDIS_ERRORS):
                log.exception("the event log's flush failed")
            return [exc] * len(calls)
