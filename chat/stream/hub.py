"""The hub: reads the event logs of all runs that viewers of this process follow (ARCHITECTURE 3).

There is one blocking Redis reader per event loop. Runs that this process works on are not read back: their writers hand over each entry
as soon as it is in the log, with its sequence number there, so viewers see no difference.

A viewer gets entries pushed while it keeps up. When it lags or has a gap, it pulls from the log. So its memory is bounded, and nothing
is lost or delivered twice.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import secrets
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson

from chat.entries import as_json
from chat.stream.delta_merging import merge_deltas
from chat.stream.event_log import LogEntry, LogKeys, read_log
from tenants.redis.clients import REDIS_ERRORS, blocking_client, key, redis_client

log = logging.getLogger(__name__)

MAX_QUEUE_ENTRIES = 64
SILENCE_TIMEOUT_S = 10.0  # after this time without an entry, a viewer checks whether the run is over
FINAL_FLUSH_GRACE_S = 1.0  # the end of a run is in the database before it is in the log
PAGE_ENTRIES = 500
MAX_BLOCK_S = 10.0
_SILENCE = LogEntry(0, (), False, False)


class LogRebuilt(Exception):
    """The log was lost and rewritten, or it has no end although the run is over. The viewer must attach again."""


class Viewer:
    """One follower of one run. `next` returns every log entry once, in order, from the start of the log."""

    def __init__(self, run_id: UUID) -> None:
        self.run_id = run_id
        self.seq = 0
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
            if entry is None or entry.seq > self.seq + 1:
                self._has_gap = True
            elif entry.seq == self.seq + 1:
                self.seq = entry.seq
                return [entry]

    def begin(self) -> None:
        """Skip the first read of the log, which is still empty: all entries will be pushed."""
        self._has_gap = False

    def check_silence(self, now: float) -> None:
        """Queue a silence marker when nothing was pushed for SILENCE_TIMEOUT_S. `now`: the loop's time."""
        if self.was_active:
            self.was_active, self._active_at = False, now
        elif now - self._active_at > SILENCE_TIMEOUT_S:
            self._active_at = now
            self.push(_SILENCE)

    async def pull(self) -> list[LogEntry]:
        """Read the next entries from the log; empty when there are none, or Redis is down. Raises LogRebuilt."""
        self._has_gap = False  # before the read, because a push that finds the queue full during it sets the flag again
        try:
            page = await read_log(self.run_id, after=self.seq, count=PAGE_ENTRIES)
            if page and page[0].seq > self.seq + 1 and await self._has_seen_more():
                raise LogRebuilt
        except REDIS_ERRORS:
            self._has_gap = True
            await asyncio.sleep(0.3)
            return []
        if len(page) == PAGE_ENTRIES:
            self._has_gap = True
        if page:
            self.seq = page[-1].seq
        return page

    async def _has_seen_more(self) -> bool:
        """Return whether the log has lost the last entry that this viewer got, e.g. because Redis failed over.

        Then the run's next owner continued from an earlier entry.
        """
        return bool(self.seq) and [entry.seq for entry in await read_log(self.run_id, after=self.seq - 1, count=1)] != [self.seq]


class Hub:
    """The reader of event logs for one event loop. `current()` creates it on first use."""

    _of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()

    @classmethod
    def current(cls) -> Hub:
        loop = asyncio.get_running_loop()
        hub = cls._of_loop.get(loop)
        if hub is None:
            hub = cls._of_loop[loop] = cls()
        return hub

    def __init__(self) -> None:
        self._control = key("hub", secrets.token_hex(8))
        self._viewers: dict[str, set[Viewer]] = {}
        self._last_ids: dict[str, str] = {}
        self._owned: Counter[str] = Counter()  # counts, because a paused run may resume here before its former owner has closed
        self._empty_logs: set[str] = set()  # logs of own runs without an entry yet
        self._next_silence_check = 0.0
        self._task: asyncio.Task[None] | None = None

    async def follow(self, run_id: UUID, is_over: Callable[[], Awaitable[bool]]) -> AsyncGenerator[list[bytes], None]:
        """Yield a run's chunks (JSON texts) from its start: first a compact replay, then live ones, up to the end of the run.

        Raises LogRebuilt when the log was lost in between, so that the replay has to start over. Also raises it when the run is over but
        its log has no end, because its owner died or Redis was down at the last moment; `is_over` is called to check after a silence.
        """
        viewer = Viewer(run_id)
        replaying = True
        try:
            await self._attach(viewer)
            while True:
                page = await viewer.next() or await read_after_silence(viewer, is_over)
                if not page:
                    continue
                if not replaying and any(entry.snapshot for entry in page):
                    raise LogRebuilt
                yield merged_chunks(page) if len(page) > 1 else list(page[0].chunks)
                replaying = False
                if page[-1].end:
                    return
        finally:
            self._detach(viewer)

    def own(self, run_id: UUID, *, is_new: bool = False) -> None:
        """Stop reading the run's log, because this process writes it and pushes its entries. `is_new`: the log is still empty."""
        stream = LogKeys.of(run_id).log
        self._owned[stream] += 1
        self._last_ids.pop(stream, None)
        if is_new:
            self._empty_logs.add(stream)

    async def disown(self, run_id: UUID) -> None:
        """Read the log from Redis again, because this process has stopped working on the run."""
        stream = LogKeys.of(run_id).log
        self._owned[stream] -= 1
        if not self._owned[stream]:
            del self._owned[stream]
            self._empty_logs.discard(stream)
            if stream in self._viewers:
                await self._add_stream(stream)

    def pusher(self, run_id: UUID) -> Callable[[LogEntry], None]:
        """Return the function that the writer of an own run calls with each entry that is in the log."""
        return partial(self._offer, LogKeys.of(run_id).log)

    async def close(self) -> None:
        """Stop the reader, at the end of the process or of a test."""
        self._of_loop.pop(asyncio.get_running_loop(), None)
        while self._task is not None and not self._task.done():
            self._task.cancel()  # repeated, because redis-py loses a cancellation while it connects on Python 3.11
            await asyncio.wait({self._task}, timeout=0.2)

    async def _attach(self, viewer: Viewer) -> None:
        stream = LogKeys.of(viewer.run_id).log
        self._viewers.setdefault(stream, set()).add(viewer)
        if stream in self._empty_logs:
            viewer.begin()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read_forever(), name="event-log-hub", context=contextvars.Context())
        if stream not in self._last_ids and not self._owned[stream]:
            await self._add_stream(stream)

    async def _add_stream(self, stream: str) -> None:
        # From the start: "$" would miss entries between now and the read. The viewer skips those that it has pulled already.
        self._last_ids[stream] = "0-0"
        await self._wake()

    def _detach(self, viewer: Viewer) -> None:
        stream = LogKeys.of(viewer.run_id).log
        viewers = self._viewers.get(stream, set())
        viewers.discard(viewer)
        if not viewers:
            self._viewers.pop(stream, None)
            self._last_ids.pop(stream, None)

    async def _wake(self) -> None:
        """Restart the blocking read with the new list of streams."""
        try:
            client = redis_client()
            await client.xadd(self._control, {"w": "1"}, maxlen=4)
            await client.pexpire(self._control, 3_600_000)
        except REDIS_ERRORS:
            log.warning("hub: Redis is down; viewers wait")

    async def _read_forever(self) -> None:
        client = blocking_client()
        control = "0-0"
        try:
            while True:
                try:
                    async with asyncio.timeout(MAX_BLOCK_S):  # notices a connection that died silently
                        reply = await client.xread(
                            dict[Any, Any]({self._control: control, **self._last_ids}), count=PAGE_ENTRIES, block=2000
                        )
                except REDIS_ERRORS as exc:
                    log.warning("hub: Redis is down (%s)", type(exc).__name__)
                    await asyncio.sleep(0.3)
                    self._push_all(None)
                    continue
                for name, rows in reply or []:
                    stream = name.decode()
                    if stream == self._control:
                        control = rows[-1][0].decode()
                    elif stream in self._last_ids:
                        self._last_ids[stream] = rows[-1][0].decode()
                        self._offer_rows(stream, rows)
                self._check_silences()
        finally:
            await client.aclose()

    def _offer_rows(self, stream: str, rows: list[Any]) -> None:
        try:
            for entry_id, fields in rows:
                self._offer(stream, LogEntry.of(entry_id, fields))
        except Exception:  # the reader must go on serving the other runs; this run's viewers fail on the entry themselves
            log.exception("hub: %s has an entry that cannot be read", stream)

    def _offer(self, stream: str, entry: LogEntry) -> None:
        self._empty_logs.discard(stream)
        for viewer in self._viewers.get(stream, ()):
            viewer.was_active = True
            viewer.push(entry)

    def _check_silences(self) -> None:
        """Check all viewers for silence, at most once a second."""
        now = asyncio.get_running_loop().time()
        if now < self._next_silence_check:
            return
        self._next_silence_check = now + 1
        for viewers in self._viewers.values():
            for viewer in viewers:
                viewer.check_silence(now)

    def _push_all(self, entry: LogEntry | None) -> None:
        for viewers in self._viewers.values():
            for viewer in viewers:
                viewer.push(entry)


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


def merged_chunks(page: list[LogEntry]) -> list[bytes]:
    """Return the chunks of several entries, with deltas merged."""
    return [as_json(chunk) for chunk in merge_deltas(orjson.loads(chunk) for entry in page for chunk in entry.chunks)]
