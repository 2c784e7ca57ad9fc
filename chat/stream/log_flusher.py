"""The flusher: appends what all runs of an event loop have shown to their logs in Redis (docs/decisions/0018).

Viewers in this process do not wait for it (chat.stream.hub). So it works in groups: one script call for all runs, at most one in
LOG_INTERVAL_S. A run that ends is flushed at once.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from redis.exceptions import ResponseError

from chat.stream.event_log import LeaseLost
from chat.stream.log_append import AppendCall, Reply, append_to_logs
from telemetry.families import FLUSH_SECONDS, TOKEN_AGE
from tenants.redis.clients import REDIS_ERRORS

LOG_INTERVAL_S = 0.05  # between flushes of the process
SHOW_INTERVAL_S = 0.015  # between what one run shows to viewers in this process, the first at once
BUSY_INTERVAL_S = 0.05  # replaces SHOW_INTERVAL_S while the event loop lags, so that a busy process shows less often
URGENT_INTERVAL_S = 0.003  # between flushes while runs end
LAG_S = 0.005  # a timer that fires later than this counts as lagging
LAGGY_TICKS = 2  # in a row before the interval grows, so that the first tokens of a busy moment are not delayed
IDLE_FLUSH_S = 0.4  # between empty flushes, which read the stop flag and notice a lost log
MAX_RUNS_PER_CALL = 64  # Redis does nothing else during a script call
FLUSH_FAILED = "the event log of run %s can't be flushed"
REDIS_PAUSE_S = 0.5  # before the same flush is tried again

log = logging.getLogger(__name__)


class Flushable(Protocol):
    """A run, as the flusher sees it."""

    flushed_at: float  # the loop's time of the last flush
    is_urgent: bool  # flush without waiting for the interval
    name: str  # for log messages
    longest_wait_s: float  # of the text that was shown since this was set to 0

    def prepare(self) -> AppendCall:
        """Return what to append; the same again until it has a reply."""
        ...

    def settle(self, reply: Reply) -> bool:
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
        self._waiting: set[Flushable] = set()
        self._retry_at: dict[Flushable, float] = {}  # runs whose flush Redis refused
        self._wakeup = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._armed_for = self._fires_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._last = self._next_idle_flush = 0.0
        self._laggy_ticks = 0

    @property
    def show_interval_s(self) -> float:
        """The least time between what one run shows: longer while the event loop lags."""
        return BUSY_INTERVAL_S if self._laggy_ticks >= LAGGY_TICKS else SHOW_INTERVAL_S

    def attach(self, run: Flushable) -> None:
        """Flush the run from now on, with empty flushes while it has no chunks."""
        self._runs.add(run)
        if self._task is None or self._task.done():
            self._laggy_ticks = 0  # nothing was measured while there were no runs
            self._next_idle_flush = self._loop.time() + IDLE_FLUSH_S
            self._task = self._loop.create_task(self._flush_forever(), name="event-log-flusher", context=contextvars.Context())
            self._arm(self._next_idle_flush)

    def detach(self, run: Flushable) -> None:
        """Stop flushing the run."""
        self._runs.discard(run)
        self._waiting.discard(run)
        self._retry_at.pop(run, None)
        if not self._runs:
            self._wakeup.set()

    def wake(self, run: Flushable) -> None:
        """Flush the run with the next group: at once if it `is_urgent` or the last group was LOG_INTERVAL_S ago."""
        if run in self._runs:
            self._waiting.add(run)
            self._arm(self._due(run))

    async def close(self) -> None:
        """Stop flushing, at the end of a worker's event loop. Otherwise the loop would not be freed."""
        self._of_loop.pop(self._loop, None)
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _due(self, run: Flushable) -> float:
        due = self._last + (URGENT_INTERVAL_S if run.is_urgent else LOG_INTERVAL_S)
        return max(due, self._retry_at.get(run, 0.0)) if self._retry_at else due

    def _arm(self, at: float) -> None:
        """Set the timer so that the flusher runs at `at` or earlier."""
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
                    for start in range(0, len(batch), MAX_RUNS_PER_CALL):
                        await self._flush(batch[start : start + MAX_RUNS_PER_CALL])
                self._arm(min([self._next_idle_flush, *map(self._due, self._waiting)]))
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            for run in list(self._runs):  # the loop ends before its runs
                self.detach(run)
                run.fail(LeaseLost())

    def _batch(self) -> list[Flushable]:
        """Return the runs that wait, except those that Redis refused a moment ago, and now and then those that are idle."""
        now = self._loop.time()
        batch = [run for run in self._waiting if self._retry_at.get(run, 0.0) <= now]
        if now >= self._next_idle_flush:
            self._next_idle_flush = now + IDLE_FLUSH_S
            batch += [run for run in self._runs if now - run.flushed_at >= IDLE_FLUSH_S / 2 and run not in self._waiting]
        self._waiting.difference_update(batch)
        if batch:
            self._last = now
        for run in batch:
            run.flushed_at = now
        return batch

    async def _flush(self, batch: Sequence[Flushable]) -> None:
        calls_by_run = [(run, call) for run in batch if run in self._runs and (call := self._prepared_call(run)) is not None]
        if oldest_s := max(run.longest_wait_s for run in batch):
            TOKEN_AGE.observe(oldest_s)
        for run in batch:
            run.longest_wait_s = 0.0
        begun_s = self._loop.time()
        replies = await self._replies([call for _, call in calls_by_run])
        FLUSH_SECONDS.observe(self._loop.time() - begun_s)
        for (run, _), reply in zip(calls_by_run, replies, strict=True):
            self._settle(run, reply)
        if any(isinstance(reply, REDIS_ERRORS) and not isinstance(reply, ResponseError) for reply in replies):
            await asyncio.sleep(REDIS_PAUSE_S)

    def _prepared_call(self, run: Flushable) -> AppendCall | None:
        """Return the run's call; None when `prepare` failed."""
        try:
            return run.prepare()
        except Exception as exc:
            log.exception(FLUSH_FAILED, run.name)
            self._drop(run, exc)
            return None

    def _settle(self, run: Flushable, reply: Reply) -> None:
        self._delay_retry(run, reply)
        try:
            if run.settle(reply):
                self.wake(run)
        except Exception as exc:
            log.exception(FLUSH_FAILED, run.name)
            self._drop(run, exc)

    def _delay_retry(self, run: Flushable, reply: Reply) -> None:
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

    async def _replies(self, calls: Sequence[AppendCall]) -> Sequence[Reply]:
        try:
            return await append_to_logs(calls) if calls else ()
        except Exception as exc:
            if not isinstance(exc, REDIS_ERRORS):
                log.exception("the event log's flush failed")
            return [exc] * len(calls)
