"""Writes the event log of one run for its owner. Chunks wait in memory; chat.stream.log_flusher does the I/O."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Literal
from uuid import UUID

from chat.stream.chunks import Chunk
from chat.stream.delta_merging import merge_delta
from chat.stream.event_log import LeaseLost, LogEntry, LogKeys, decode_entry, encode_entry, read_log
from chat.stream.log_flusher import APPEND, REDIS_PAUSE_S, LogFlusher
from tenants.redis.clients import REDIS_ERRORS, redis_client
from tenants.redis.pipeline import ScriptCall

log = logging.getLogger(__name__)

SEQ_PER_EPOCH = 1_000_000  # each epoch starts at least at this multiple, so that its numbers are above those of former owners
CLOSE_TIMEOUT_S = 10.0  # how long `close` waits for a Redis that is down or hangs

_STEP_START = b'{"type":"start-step"}'

OnEnd = Callable[[Literal["stop", "lost"]], None]


@dataclass(frozen=True, slots=True)
class WriterCallbacks:
    """What a writer calls on the run's owner."""

    snapshot: Callable[[], list[Chunk]]  # returns all chunks of the run so far, compact; called when Redis lost the log
    on_end: OnEnd  # a flush found a stop request or a newer owner
    on_input: Callable[[], None]  # a flush found new inputs
    on_entry: Callable[[LogEntry], None] = lambda entry: None  # the entry is in the log now


@dataclass(slots=True)
class _Flush:
    """A flush that has no reply yet."""

    entry: bytes | None  # None: an empty flush
    final: bool  # the entry ends the log
    closing: bool  # the writer's last flush
    snapshot: bool = False

    @property
    def kind(self) -> bytes:
        """The kind of entry, as in chat.stream.log_flusher.APPEND."""
        if self.entry is None:
            return b"-"
        return (b"s" if self.snapshot else b"") + (b"e" if self.final else b"")


class EventLogWriter:
    """Collects the chunks of one run and turns them into flushes. Implements chat.stream.log_flusher.Flushable.

    `publish` never waits.
    """

    def __init__(self, run_id: UUID, epoch: int, *, first_seq: int, callbacks: WriterCallbacks) -> None:
        self.flushed_at = 0.0
        self.urgent = False
        self.name = str(run_id)
        self._keys = list(astuple(LogKeys.of(run_id)))
        self._append = ScriptCall(APPEND, self._keys, [b"%d" % epoch], more=4)
        self._epoch = epoch
        self._seq = first_seq
        self._previous_seq = first_seq - 1
        self._callbacks = callbacks
        self._inputs = 0
        self._buffer: list[Chunk] = []
        self._in_flight: _Flush | None = None
        self._final = False
        self._flusher: LogFlusher | None = None
        self._closed: asyncio.Future[None] | None = None
        self._failure: BaseException | None = None

    @classmethod
    async def resume(cls, run_id: UUID, epoch: int, *, callbacks: WriterCallbacks) -> tuple[EventLogWriter, int | None]:
        """Return a writer that continues the log, and how many steps the log shows (None: there is no log to continue).

        Its sequence numbers are above all that any viewer can have seen. So a viewer of entries that Redis has lost notices the loss
        (chat.stream.hub). Without a log, the first flush writes a snapshot. Waits while Redis is down. Raises LeaseLost.
        """
        writer = cls(run_id, epoch, first_seq=0, callbacks=callbacks)
        seq, steps, has_ended = await writer._fence_and_read_patiently(run_id)
        writer._seq = max(seq + 2, epoch * SEQ_PER_EPOCH)
        writer._previous_seq = seq
        if not seq or has_ended:  # the log is lost, or ended with a pause: a snapshot replaces it
            writer._previous_seq = writer._seq - 1
            return writer, None
        return writer, steps

    def start(self) -> None:
        """Start to flush what is and will be published."""
        self._flusher = LogFlusher.current()
        self._flusher.attach(self)
        if self._buffer:
            self._flusher.wake(self)

    def publish(self, chunk: Chunk) -> None:
        """Add a chunk. Waiting deltas of one part are merged. The caller must not change the chunk afterwards."""
        buffer = self._buffer
        if buffer and merge_delta(buffer[-1], chunk):
            return
        buffer.append(chunk)
        if len(buffer) == 1 and self._flusher is not None:
            self._flusher.wake(self)

    async def close(self, *, final: bool) -> None:
        """Flush what is left and end. `final`: the run is over or waits, so viewers stop following. Raises LeaseLost.

        Gives up after CLOSE_TIMEOUT_S while Redis is down.
        """
        if self._failure is not None:
            raise self._failure
        self._final = final
        self.urgent = True
        if self._flusher is None:
            self.start()
            assert self._flusher, "it was started"
        self._closed = asyncio.get_running_loop().create_future()
        self._flusher.wake(self)
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await asyncio.shield(self._closed)  # a flush must not be cancelled, or its chunks would be lost
        except TimeoutError:
            log.warning("event log: giving up, Redis is down")
            self._in_flight = None
            self._end()

    async def abandon(self) -> None:
        """Flush what is left and leave the log to the run's next owner. Does nothing after `close`."""
        if self._flusher is None:
            return
        try:
            await self.close(final=False)
        except LeaseLost:
            log.info("the run has another owner already")

    # Called by the flusher.

    def prepare(self) -> bytes:
        """Return the flush that has no reply yet, or else the next one, as a call of chat.stream.log_flusher.APPEND."""
        flush = self._in_flight = self._in_flight or self._next_flush()
        return self._append.with_arguments(b"%d" % self._seq, b"%d" % self._previous_seq, flush.kind, flush.entry or b"")

    def settle(self, reply: int | BaseException) -> bool:
        """Handle the reply. Return whether there is more to flush."""
        flush = self._in_flight
        if flush is None:
            return False  # `close` gave up in the meantime
        if not isinstance(reply, int):
            return self._handle_failure(reply)
        if reply == -1:
            self.fail(LeaseLost())
            self._callbacks.on_end("lost")
            return False
        if reply == -2:
            self._buffer.clear()  # the snapshot contains these chunks, too
            self._seq += 1  # viewers may have seen the number, if a flush without a reply was in the lost log
            self._in_flight = _Flush(encode_entry(self._callbacks.snapshot()), flush.final, flush.closing, snapshot=True)
            return True
        return self._confirm(flush, reply)

    def fail(self, reason: BaseException) -> None:
        """Stop flushing. `close` raises `reason`."""
        self._failure = reason
        self._end()

    def _next_flush(self) -> _Flush:
        closing = self._closed is not None
        final = closing and self._final
        batch, self._buffer = self._buffer, []
        return _Flush(encode_entry(batch) if batch or final else None, final, closing)

    def _handle_failure(self, reason: BaseException) -> bool:
        if isinstance(reason, REDIS_ERRORS):
            return True  # the flush is kept and sent again, until `close` gives up
        self.fail(reason)
        return False

    def _confirm(self, flush: _Flush, reply: int) -> bool:
        self._in_flight = None
        if flush.entry is not None:
            self._callbacks.on_entry(LogEntry(self._seq, decode_entry(flush.entry), flush.snapshot, flush.final))
            self._previous_seq = self._seq
            self._seq += 1
        if flush.closing:
            self._end()
        inputs, has_stop = divmod(reply, 2)
        if has_stop:
            self._callbacks.on_end("stop")
        if inputs > self._inputs:
            self._inputs = inputs
            self._callbacks.on_input()
        return not flush.closing and bool(self._buffer or self._closed)

    def _end(self) -> None:
        if self._flusher is not None:
            self._flusher.detach(self)
        self._flusher = None
        closed, self._closed = self._closed, None
        if closed is None or closed.done():
            return
        if self._failure is not None:
            closed.set_exception(self._failure)
        else:
            closed.set_result(None)

    async def _fence_and_read_patiently(self, run_id: UUID) -> tuple[int, int, bool]:
        """Do what `_fence_and_read` does, but wait while Redis is down."""
        while True:
            try:
                return await self._fence_and_read(run_id)
            except REDIS_ERRORS:
                await asyncio.sleep(REDIS_PAUSE_S)

    async def _fence_and_read(self, run_id: UUID) -> tuple[int, int, bool]:
        """Return the last sequence number of the log, how many steps it shows and whether it has an end. Raises LeaseLost."""
        # Raise the epoch before the read, so that the former owner can't append entries that the read would miss.
        script = redis_client().register_script(APPEND)
        if (await script(keys=self._keys, args=[self._epoch, 0, 0, "-", ""])) == -1:
            raise LeaseLost
        seq, steps, has_ended = 0, 0, False
        while page := await read_log(run_id, after=seq):
            seq, has_ended = page[-1].seq, page[-1].end
            steps += sum(chunk == _STEP_START for entry in page for chunk in entry.chunks)
        return seq, steps, has_ended
