"""One follower of a run.

A viewer gets entries pushed while it keeps up. When it lags or has a gap, it pulls: from the log, and from the run's writer what is not in
the log yet. So its memory is bounded, and nothing is lost or delivered twice.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol
from uuid import UUID

from chat.stream.event_log import LogEntry, read_log
from tenants.redis.clients import REDIS_ERRORS

MAX_QUEUE_ENTRIES = 64
SILENCE_TIMEOUT_S = 10.0  # after this time without an entry, a viewer checks whether the run is over
FINAL_FLUSH_GRACE_S = 1.0  # the end of a run is in the database before it is in the log
PAGE_ENTRIES = 500
# Chunks that a take-over does not replace: it drops only what came since the last one ("reset-step").
_STEP_BOUNDARIES = (b'{"type":"start', b'{"type":"finish', b'{"type":"error"', b'{"type":"reset-step"')
_SILENCE = LogEntry(0, (), snapshot=False, end=False)


class LogRebuilt(Exception):
    """The log was lost and rewritten, or it has no end although the run is over. The viewer must attach again."""


class LocalLog(Protocol):
    """What this process has written of a run's log. chat.stream.log_writer.EventLogWriter implements it."""

    logged_seq: int  # the log has everything up to this number
    unlogged: list[LogEntry]  # what comes after it


class Viewer:
    """One follower of one run. `next` returns every chunk once, in order, from the start of the log.

    `local_log` returns what this process has written of the log; None when another process works on the run.
    """

    def __init__(self, run_id: UUID, local_log: Callable[[], LocalLog | None] = lambda: None) -> None:
        self.run_id = run_id
        self._local_log = local_log
        self.seq = 0
        self._boundary_seq = 0  # of the last step boundary that this viewer got
        self.was_active = True  # since the last call of `check_silence`
        self._loop = asyncio.get_running_loop()
        self._active_at = self._loop.time()
        self._queue: deque[LogEntry | None] = deque()
        self._arrival: asyncio.Future[None] | None = None
        self._has_gap = True

    def push(self, entry: LogEntry | None) -> None:
        """Queue an entry. None lets the viewer read the log itself. A full queue drops it, and the viewer reads the log later."""
        if len(self._queue) >= MAX_QUEUE_ENTRIES:
            self._has_gap = True
            return
        self._queue.append(entry)
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def next(self) -> list[LogEntry]:
        """Wait for the next entries and return them; empty after SILENCE_TIMEOUT_S without an entry. Raises LogRebuilt."""
        while True:
            if self._has_gap:
                if page := await self.pull():
                    return page
                continue
            if not self._queue:
                # Not an asyncio.Queue: it looks up the running loop on each call, which costs a system call on Python 3.11.
                self._arrival = self._loop.create_future()
                await self._arrival
            entry = self._queue.popleft()
            if entry is _SILENCE:
                return []
            if entry is None or entry.first > self.seq + 1:
                self._has_gap = True
            elif entry.seq > self.seq:
                return self._take([entry])

    def check_silence(self, now: float) -> None:
        """Queue a silence marker when nothing was pushed for SILENCE_TIMEOUT_S. `now`: the loop's time."""
        if self.was_active:
            self.was_active, self._active_at = False, now
        elif now - self._active_at > SILENCE_TIMEOUT_S:
            self._active_at = now
            self.push(_SILENCE)

    async def pull(self) -> list[LogEntry]:
        """Return the next entries; empty when there are none, or Redis is down. Raises LogRebuilt.

        Reads the log only for what is not in this process.
        """
        self._has_gap = False  # before the read, because a push that finds the queue full during it sets the flag again
        local = self._local_log()
        logged_seq, unlogged = (local.logged_seq, local.unlogged[:]) if local is not None else (None, [])
        if self._is_continued(logged_seq, unlogged):
            return self._take(unlogged)
        try:
            page = await read_log(self.run_id, after=self.seq, count=PAGE_ENTRIES)
            if page and page[0].first > self.seq + 1 and await self._has_lost_step():
                raise LogRebuilt
        except REDIS_ERRORS:
            self._has_gap = True
            await asyncio.sleep(0.3)
            return []
        entries = self._take(page)
        if len(page) == PAGE_ENTRIES:
            self._has_gap = True
        elif self._is_continued(logged_seq, unlogged):
            entries += self._take(unlogged)
        return entries

    def _is_continued(self, logged_seq: int | None, unlogged: Sequence[LogEntry]) -> bool:
        """Return whether nothing is missing between what this viewer has and `unlogged`, which follows number `logged_seq`."""
        return self.seq == logged_seq or bool(unlogged and unlogged[0].first <= self.seq + 1)

    def _take(self, entries: Sequence[LogEntry]) -> list[LogEntry]:
        """Return what is new to this viewer of entries that continue what it has."""
        new = [entry.after(self.seq) for entry in entries if entry.seq > self.seq]
        if new:
            self.seq = new[-1].seq
        for entry in new:
            for number, chunk in enumerate(entry.chunks, start=entry.first):
                if chunk.startswith(_STEP_BOUNDARIES):
                    self._boundary_seq = entry.seq if entry.snapshot else number
        return new

    async def _has_lost_step(self) -> bool:
        """Return whether the log lacks the last step boundary that this viewer got, so that the next owner's "reset-step" is not meant for it.

        Redis failed over, or the owner died before it logged what viewers in its process had seen. What else is missing is replaced.
        """
        boundary = self._boundary_seq
        return bool(boundary) and not any(entry.first <= boundary for entry in await read_log(self.run_id, after=boundary - 1, count=1))


async def read_after_silence(viewer: Viewer, is_over: Callable[[], Awaitable[bool]]) -> list[LogEntry]:
    """Check whether a silent run is over. Return the entries that arrived in the meantime; empty while the run is active.

    Raises LogRebuilt when the run is over and its log has no end.
    """
    if not await is_over():
        return []
    await asyncio.sleep(FINAL_FLUSH_GRACE_S)
    page = await viewer.pull()
    if not page:
        raise LogRebuilt
    return page
