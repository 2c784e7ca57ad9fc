"""Following runs: one blocking reader per process and loop serves all viewers (ARCHITECTURE 3).

A run that this process works on is not read back: its writer hands over each entry as soon as it is in the log, under the number that it has
there, so a viewer can't tell the difference, and one that misses something finds it in the log.

A viewer gets pushed entries while it keeps up and pulls from the log when it has a gap or lags, so its memory is bounded and nothing is
lost or doubled.
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
SILENCE_TIMEOUT_S = 10.0  # after this long without an entry a viewer asks whether the run is over
FINAL_FLUSH_GRACE_S = 1.0  # a run's rows end before its log does
PAGE_ENTRIES = 500
MAX_BLOCK_S = 10.0
_SILENCE = LogEntry(0, (), False, False)


class LogRebuilt(Exception):
    """The log was lost and written anew: the viewer must attach again."""


class Viewer:
    """One follower of one run; `next` gives every log entry once, in order, from the log's start."""

    def __init__(self, run_id: UUID) -> None:
        self.run_id = run_id
        self.seq = 0
        self.was_active = True  # since `check_silence` was called last
        self._loop = asyncio.get_running_loop()
        self._active_at = self._loop.time()
        self._queue: deque[LogEntry | None] = deque()
        self._arrival: asyncio.Future[None] | None = None
        self._has_gap = True

    def push(self, entry: LogEntry | None) -> None:
        """Offer an entry (None: look into the log yourself)."""
        if len(self._queue) >= MAX_QUEUE_ENTRIES:
            self._has_gap = True
            return
        self._queue.append(entry)
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def next(self) -> list[LogEntry]:
        """The next entries; empty is silence. Raises LogRebuilt."""
        while True:
            if self._has_gap:
                if page := await self.pull():
                    return page
                continue
            if not self._queue:
                # An asyncio.Queue asks for the running loop each time, which is a system call on Python 3.11.
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
        """There is nothing in the log yet: all of it will be offered."""
        self._has_gap = False

    def check_silence(self, now: float) -> None:
        """Offer silence when nothing has been offered for SILENCE_TIMEOUT_S."""
        if self.was_active:
            self.was_active, self._active_at = False, now
        elif now - self._active_at > SILENCE_TIMEOUT_S:
            self._active_at = now
            self.push(_SILENCE)

    async def pull(self) -> list[LogEntry]:
        """The next entries as the log has them now; empty when there are none, or Redis is away. Raises LogRebuilt."""
        self._has_gap = False  # before the read: a push that finds the queue full meanwhile sets it again
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
        """Whether the log has lost what came last here: another owner goes on from before that (a Redis that failed over, say)."""
        return bool(self.seq) and [entry.seq for entry in await read_log(self.run_id, after=self.seq - 1, count=1)] != [self.seq]


class Hub:
    """The process's reader; made on first use in a loop."""

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
        self._owned: Counter[str] = Counter()  # a run that paused may go on before its former owner here has ended
        self._empty_logs: set[str] = set()  # logs of own runs that have nothing in them yet
        self._next_silence_check = 0.0
        self._task: asyncio.Task[None] | None = None

    async def follow(self, run_id: UUID, is_over: Callable[[], Awaitable[bool]]) -> AsyncGenerator[list[bytes], None]:
        """Yield a run's chunks (JSON texts) from its start: a compact replay first, then live; ends after the final one.

        Raises LogRebuilt when the log was lost in between and the replay has to start over, or when the run is over (`is_over`,
        asked in silence) and its log has no end: its owner died or Redis was away at the last moment.
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
        """This process writes the run's log from now on: its entries come through `push`. `is_new`: nobody has written it before."""
        stream = LogKeys.of(run_id).log
        self._owned[stream] += 1
        self._last_ids.pop(stream, None)
        if is_new:
            self._empty_logs.add(stream)

    async def disown(self, run_id: UUID) -> None:
        """The run is over here, or another process goes on with it."""
        stream = LogKeys.of(run_id).log
        self._owned[stream] -= 1
        if not self._owned[stream]:
            del self._owned[stream]
            self._empty_logs.discard(stream)
            if stream in self._viewers:
                await self._add_stream(stream)

    def pusher(self, run_id: UUID) -> Callable[[LogEntry], None]:
        """What takes each entry of an own run that is in the log now."""
        return partial(self._offer, LogKeys.of(run_id).log)

    async def close(self) -> None:
        """End the reader (process end, tests)."""
        self._of_loop.pop(asyncio.get_running_loop(), None)
        while self._task is not None and not self._task.done():
            self._task.cancel()  # again: a cancel that meets redis-py connecting is lost on Python 3.11
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
        # "$" would miss what comes between now and the read; the viewer skips what it has pulled already.
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
        """Let the blocked read begin again with the new list of streams."""
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
                    async with asyncio.timeout(MAX_BLOCK_S):  # a connection that died without a word
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
        except Exception:  # the reader serves all runs; this one's viewers meet the same entry when they look themselves
            log.exception("hub: %s has an entry that cannot be read", stream)

    def _offer(self, stream: str, entry: LogEntry) -> None:
        self._empty_logs.discard(stream)
        for viewer in self._viewers.get(stream, ()):
            viewer.was_active = True
            viewer.push(entry)

    def _check_silences(self) -> None:
        """Look after silent viewers, at most once a second."""
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
    """What came while `is_over` was asked, which can take long; empty while the run goes on. Raises LogRebuilt: it is over without an end."""
    if not await is_over():
        return []
    await asyncio.sleep(FINAL_FLUSH_GRACE_S)
    page = await viewer.pull()
    if not page:
        raise LogRebuilt
    return page


def merged_chunks(page: list[LogEntry]) -> list[bytes]:
    """The chunks of several entries, deltas merged."""
    return [as_json(chunk) for chunk in merge_deltas(orjson.loads(chunk) for entry in page for chunk in entry.chunks)]
