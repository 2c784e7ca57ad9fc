"""The hub: reads the event logs of all runs that viewers of this process follow (ARCHITECTURE 3).

There is one blocking Redis reader per event loop. Runs that this process works on are not read back: their writers hand over each chunk
at once, with the sequence number that it will have in the log, so viewers see no difference and need no Redis.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson

from chat.entries import as_json
from chat.stream.delta_merging import merge_deltas
from chat.stream.event_log import LogEntry, LogKeys
from chat.stream.viewer import PAGE_ENTRIES, LocalLog, LogRebuilt, Viewer, read_after_silence
from tenants.redis.clients import REDIS_ERRORS, blocking_client, key, redis_client

log = logging.getLogger(__name__)

MAX_BLOCK_S = 10.0


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
        self._owned: dict[str, list[LocalLog]] = {}  # the last one counts: a paused run may resume here before its former owner has closed
        self._next_silence_check = 0.0
        self._task: asyncio.Task[None] | None = None

    async def follow(self, run_id: UUID, is_over: Callable[[], Awaitable[bool]]) -> AsyncGenerator[list[bytes], None]:
        """Yield a run's chunks (JSON texts) from its start: first a compact replay, then live ones, up to the end of the run.

        Raises LogRebuilt when the log was lost in between, so that the replay has to start over. Also raises it when the run is over but
        its log has no end, because its owner died or Redis was down at the last moment; `is_over` is called to check after a silence.
        """
        viewer = Viewer(run_id, partial(self._local_log, LogKeys.of(run_id).log))
        replaying = True
        try:
            await self._attach(viewer)
            while True:
                page = await viewer.next() or await read_after_silence(viewer, is_over)
                if not page:
                    continue
                if not replaying and any(entry.snapshot for entry in page):
                    raise LogRebuilt
                if chunks := merged_chunks(page) if len(page) > 1 else list(page[0].chunks):
                    yield chunks
                replaying = False
                if page[-1].end:
                    return
        finally:
            self._detach(viewer)

    def own(self, run_id: UUID, local_log: LocalLog) -> None:
        """Stop reading the run's log, because this process writes it and pushes its entries."""
        stream = LogKeys.of(run_id).log
        self._owned.setdefault(stream, []).append(local_log)
        self._last_ids.pop(stream, None)

    async def disown(self, run_id: UUID, local_log: LocalLog) -> None:
        """Read the log from Redis again, because this process has stopped working on the run."""
        stream = LogKeys.of(run_id).log
        self._owned[stream].remove(local_log)
        if not self._owned[stream]:
            del self._owned[stream]
            if stream in self._viewers:
                await self._add_stream(stream)

    def pusher(self, run_id: UUID) -> Callable[[LogEntry], None]:
        """Return the function that the writer of an own run calls with each entry."""
        return partial(self._offer, LogKeys.of(run_id).log)

    def _local_log(self, stream: str) -> LocalLog | None:
        logs = self._owned.get(stream)
        return logs[-1] if logs else None

    async def close(self) -> None:
        """Stop the reader, at the end of the process or of a test."""
        self._of_loop.pop(asyncio.get_running_loop(), None)
        while self._task is not None and not self._task.done():
            self._task.cancel()  # repeated, because redis-py loses a cancellation while it connects on Python 3.11
            await asyncio.wait({self._task}, timeout=0.2)

    async def _attach(self, viewer: Viewer) -> None:
        stream = LogKeys.of(viewer.run_id).log
        self._viewers.setdefault(stream, set()).add(viewer)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._read_forever(), name="event-log-hub", context=contextvars.Context())
        if stream not in self._last_ids and stream not in self._owned:
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


def merged_chunks(page: list[LogEntry]) -> list[bytes]:
    """Return the chunks of several entries, with deltas merged."""
    return [as_json(chunk) for chunk in merge_deltas(orjson.loads(chunk) for entry in page for chunk in entry.chunks)]
