"""The hub: reads the event logs of all runs that viewers of this process follow (ARCHITECTURE 3).

There is one blocking Redis reader per event loop (LogReader); in a Redis Cluster, one for each tag of logs that somebody follows. A viewer
who comes late pulls what the log has already (chat.stream.viewer). Runs that this process works on are not read back: their writers hand
over each chunk at once, with the sequence number that it will have in the log, so viewers see no difference and need no Redis.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import orjson
import redis.asyncio

from chat.entries import as_json
from chat.stream.delta_merging import merge_deltas
from chat.stream.event_log import LogEntry, LogKeys, log_tag
from chat.stream.log_reader import LogReader
from chat.stream.viewer import LocalLog, LogRebuilt, Viewer, read_after_silence
from tenants.redis.clients import blocking_client

log = logging.getLogger(__name__)


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
        self._viewers: dict[str, set[Viewer]] = {}
        self._readers: dict[str, LogReader] = {}  # by tag
        self._owned: dict[str, list[LocalLog]] = {}  # the last one counts: a paused run may resume here before its former owner has closed
        self._next_silence_check = 0.0
        self._client: redis.asyncio.Redis | None = None  # of all readers

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
        self._reader(stream).remove(stream)

    async def disown(self, run_id: UUID, local_log: LocalLog) -> None:
        """Read the log from Redis again, because this process has stopped working on the run."""
        stream = LogKeys.of(run_id).log
        self._owned[stream].remove(local_log)
        if not self._owned[stream]:
            del self._owned[stream]
            if stream in self._viewers:
                await self._reader(stream).add(stream)

    def pusher(self, run_id: UUID) -> Callable[[LogEntry], None]:
        """Return the function that the writer of an own run calls with each entry."""
        return partial(self._offer, LogKeys.of(run_id).log)

    def _local_log(self, stream: str) -> LocalLog | None:
        logs = self._owned.get(stream)
        return logs[-1] if logs else None

    async def close(self) -> None:
        """Stop the reader, at the end of the process or of a test."""
        self._of_loop.pop(asyncio.get_running_loop(), None)
        for reader in self._readers.values():
            await reader.close()
        if self._client is not None:
            await self._client.aclose()

    def _reader(self, stream: str) -> LogReader:
        tag = log_tag(stream)
        self._client = self._client or blocking_client("event_log")
        if tag not in self._readers:
            self._readers[tag] = LogReader(
                tag, self._client, on_rows=self._offer_rows, on_loss=partial(self._push_all, None), on_pause=self._check_silences
            )
        return self._readers[tag]

    async def _attach(self, viewer: Viewer) -> None:
        stream = LogKeys.of(viewer.run_id).log
        self._viewers.setdefault(stream, set()).add(viewer)
        reader = self._reader(stream)
        reader.ensure_started()
        if stream not in reader and stream not in self._owned:
            await reader.add(stream)

    def _detach(self, viewer: Viewer) -> None:
        stream = LogKeys.of(viewer.run_id).log
        viewers = self._viewers.get(stream, set())
        viewers.discard(viewer)
        if not viewers:
            self._viewers.pop(stream, None)
            self._reader(stream).remove(stream)

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
