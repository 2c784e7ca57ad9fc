"""Writing one run's event log for its owner. What is written waits in memory; the process's flusher does the I/O."""

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

SEQ_PER_EPOCH = 1_000_000  # of entries, between the first of two owners
CLOSE_TIMEOUT_S = 10.0  # how long a writer that closes waits for a Redis that is away or hangs

_STEP_START = b'{"type":"start-step"}'

OnEnd = Callable[[Literal["stop", "lost"]], None]


@dataclass(frozen=True, slots=True)
class WriterCallbacks:
    """How a writer asks and tells the run's owner.

    `snapshot()` returns all chunks of the run so far, compact; it is asked for when Redis lost the log. `on_end` is told when a flush
    found a stop request or a newer owner, `on_input` when one found that something was sent into the run, `on_entry` what is in the log now.
    """

    snapshot: Callable[[], list[Chunk]]
    on_end: OnEnd
    on_input: Callable[[], None]
    on_entry: Callable[[LogEntry], None] = lambda entry: None


@dataclass(slots=True)
class _Flush:
    """What was asked of Redis and is not answered. `closing`: after it nothing is left."""

    entry: bytes | None
    final: bool
    closing: bool
    snapshot: bool = False

    @property
    def kind(self) -> bytes:
        """As chat.stream.log_flusher.APPEND names it."""
        if self.entry is None:
            return b"-"
        return (b"s" if self.snapshot else b"") + (b"e" if self.final else b"")


class EventLogWriter:
    """Writes one run's chunks. `publish` never waits."""

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
        """A writer that goes on after the log's last entry, and the number of steps that the log shows (None: no log to go on with).

        Its numbers are above all that any viewer can have seen: one of a tail that Redis lost can tell (chat.stream.hub). Without a log the
        first flush writes a snapshot. Raises LeaseLost.
        """
        writer = cls(run_id, epoch, first_seq=0, callbacks=callbacks)
        seq, steps, has_ended = await writer._fence_and_read_patiently(run_id)
        writer._seq = max(seq + 2, epoch * SEQ_PER_EPOCH)
        writer._previous_seq = seq
        if not seq or has_ended:  # lost, or of the execution before a pause: a snapshot takes its place
            writer._previous_seq = writer._seq - 1
            return writer, None
        return writer, steps

    def start(self) -> None:
        """Flush what is published from now on."""
        self._flusher = LogFlusher.current()
        self._flusher.attach(self)
        if self._buffer:
            self._flusher.wake(self)

    def publish(self, chunk: Chunk) -> None:
        """Add a chunk; deltas of one part that wait together become one. The chunk must not be changed afterwards."""
        buffer = self._buffer
        if buffer and merge_delta(buffer[-1], chunk):
            return
        buffer.append(chunk)
        if len(buffer) == 1 and self._flusher is not None:
            self._flusher.wake(self)

    async def close(self, *, final: bool) -> None:
        """Flush what is left and end. `final`: the run is over, viewers stop following. Raises LeaseLost."""
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
                await asyncio.shield(self._closed)  # a flush is never cancelled: its batch would be lost
        except TimeoutError:
            log.warning("event log: giving up, Redis is down")
            self._in_flight = None
            self._end()

    async def abandon(self) -> None:
        """End after a last flush and leave the log to the run's next owner; nothing happens after `close`."""
        if self._flusher is None:
            return
        try:
            await self.close(final=False)
        except LeaseLost:
            log.info("the run has another owner already")

    # For the flusher.

    def prepare(self) -> bytes:
        """The next flush, or the one that was not answered, as a call of chat.stream.log_flusher.APPEND."""
        flush = self._in_flight = self._in_flight or self._next_flush()
        return self._append.with_arguments(b"%d" % self._seq, b"%d" % self._previous_seq, flush.kind, flush.entry or b"")

    def settle(self, reply: int | BaseException) -> bool:
        """Take the answer; True when the next flush should not wait."""
        flush = self._in_flight
        if flush is None:
            return False  # given up meanwhile
        if not isinstance(reply, int):
            return self._handle_failure(reply)
        if reply == -1:
            self.fail(LeaseLost())
            self._callbacks.on_end("lost")
            return False
        if reply == -2:
            self._buffer.clear()  # the snapshot holds what waits here too
            self._seq += 1  # viewers may have seen this number: an unanswered flush was in the log that was lost
            self._in_flight = _Flush(encode_entry(self._callbacks.snapshot()), flush.final, flush.closing, snapshot=True)
            return True
        return self._confirm(flush, reply)

    def fail(self, reason: BaseException) -> None:
        """No more flushes; `close` raises this."""
        self._failure = reason
        self._end()

    def _next_flush(self) -> _Flush:
        closing = self._closed is not None
        final = closing and self._final
        batch, self._buffer = self._buffer, []
        return _Flush(encode_entry(batch) if batch or final else None, final, closing)

    def _handle_failure(self, reason: BaseException) -> bool:
        if isinstance(reason, REDIS_ERRORS):
            return True  # the batch is kept and sent again, until `close` gives up
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
        """As `_fence_and_read`; waits while Redis is away."""
        while True:
            try:
                return await self._fence_and_read(run_id)
            except REDIS_ERRORS:
                await asyncio.sleep(REDIS_PAUSE_S)

    async def _fence_and_read(self, run_id: UUID) -> tuple[int, int, bool]:
        """The log's last number, how many steps it shows and whether it has an end. Raises LeaseLost."""
        # The fence before the read: from here on the former owner can't append what would be missed.
        script = redis_client().register_script(APPEND)
        if (await script(keys=self._keys, args=[self._epoch, 0, 0, "-", ""])) == -1:
            raise LeaseLost
        seq, steps, has_ended = 0, 0, False
        while page := await read_log(run_id, after=seq):
            seq, has_ended = page[-1].seq, page[-1].end
            steps += sum(chunk == _STEP_START for entry in page for chunk in entry.chunks)
        return seq, steps, has_ended
