"""Shows the chunks of one run and writes its event log, for the run's owner. chat.stream.log_flusher does the I/O."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from chat.entries import as_json
from chat.stream.chunks import Chunk
from chat.stream.delta_merging import merge_delta, split_deltas
from chat.stream.event_log import LeaseLost, LogEntry, LogKeys
from chat.stream.log_append import AppendCall, Reply
from chat.stream.log_flusher import LogFlusher
from chat.stream.log_takeover import FormerLog, fence_and_read
from tenants.redis.clients import REDIS_ERRORS

log = logging.getLogger(__name__)

SEQ_PER_EPOCH = 1_000_000_000  # each epoch starts at least at this multiple, so that its numbers are above those of former owners
CLOSE_TIMEOUT_S = 10.0  # how long `close` waits for a Redis that is down or hangs
SHOW_END_S = 1.0  # how long viewers in this process wait for the end to be in the log
MAX_SILENCE_S = 2.0  # without a reply, e.g. while this process stood still: then another may own the run, and Redis is asked first
ASK_S = 1.0  # how long that takes at most
# Kinds of chunks that show nothing by themselves. They are logged with what follows within milliseconds, or else with the next idle flush.
SILENT_KINDS = frozenset({"start", "text-end", "reasoning-end", "finish-step"})

OnEnd = Callable[[Literal["stop", "lost"]], None]


@dataclass(frozen=True, slots=True)
class WriterCallbacks:
    """What a writer calls on the run's owner."""

    snapshot: Callable[[], list[Chunk]]  # returns all chunks of the run so far, compact; called when Redis lost the log
    on_end: OnEnd  # a flush found a stop request or a newer owner
    on_input: Callable[[], None]  # a flush found new inputs
    on_entry: Callable[[LogEntry], None] = lambda entry: None  # viewers in this process may see the entry now


@dataclass(frozen=True, slots=True)
class _Flush:
    """A flush that has no reply yet."""

    entry_count: int  # how many entries of `unlogged` it holds; 0: an empty flush
    call: AppendCall
    seq: int  # the last sequence number that is in the log afterwards
    is_last: bool


class EventLogWriter:
    """Numbers the chunks of one run, shows them to viewers in this process and turns them into flushes.

    Implements chat.stream.log_flusher.Flushable and chat.stream.hub.LocalLog. `publish` never waits.
    """

    def __init__(self, run_id: UUID, epoch: int, *, first_seq: int, callbacks: WriterCallbacks) -> None:
        self.flushed_at = 0.0
        self.is_urgent = False
        self.longest_wait_s = 0.0
        self.name = str(run_id)
        self.unlogged: list[LogEntry] = []  # what was shown and is not known to be in the log
        self.logged_seq = first_seq - 1  # what is in the log: up to this number
        self._log = LogKeys.of(run_id).log.encode()
        self._epoch = epoch
        self._seq = first_seq - 1  # of the last chunk that was shown
        self._callbacks = callbacks
        self._loop = asyncio.get_running_loop()
        self._input_count = 0
        self._buffer: list[Chunk] = []
        self._shown_at = self._waiting_since = 0.0
        self._asked_at = 0.0
        self._is_asking = False
        self._show_timer: asyncio.Handle | None = None
        self._end_timer: asyncio.TimerHandle | None = None
        self._in_flight: _Flush | None = None
        self._flusher: LogFlusher | None = None
        self._closing: asyncio.Future[None] | None = None
        self._failure: BaseException | None = None

    @classmethod
    async def resume(cls, run_id: UUID, epoch: int, *, callbacks: WriterCallbacks) -> tuple[EventLogWriter, FormerLog | None]:
        """Return a writer that continues the log, and what the log shows (None: there is no log to continue).

        Its sequence numbers are above all that any viewer can have seen. So a viewer of entries that Redis has lost notices the loss
        (chat.stream.hub). Without a log, the first flush writes a snapshot. Waits while Redis is down. Raises LeaseLost.
        """
        writer = cls(run_id, epoch, first_seq=0, callbacks=callbacks)
        former_log = await fence_and_read(run_id, epoch)
        writer._seq = max(former_log.seq + 1, epoch * SEQ_PER_EPOCH)
        writer.logged_seq = former_log.seq
        if not former_log.seq or former_log.has_ended:  # the log is lost, or ended with a pause: a snapshot replaces it
            writer.logged_seq = writer._seq
            return writer, None
        return writer, former_log

    def start(self) -> None:
        """Start to show and flush what is and will be published."""
        self._flusher = LogFlusher.current()
        self._flusher.attach(self)
        self._asked_at = self._loop.time()
        if self._buffer:
            self._schedule_show()

    def publish(self, chunk: Chunk) -> None:
        """Add a chunk. Waiting deltas of one part are merged, long ones split. The caller must not change the chunk afterwards.

        While the log closes a chunk is dropped, such as a heartbeat's estimate of the cost: nothing may follow the end.
        """
        if self._closing is not None:
            return
        buffer = self._buffer
        if buffer and merge_delta(buffer[-1], chunk):
            return
        buffer.extend(split_deltas((chunk,)))
        if self._show_timer is None and self._flusher is not None:
            self._schedule_show()

    async def close(self, *, final: bool) -> None:
        """Flush what is left and end. `final`: the run is over or waits, so viewers stop following. Raises LeaseLost.

        Gives up after CLOSE_TIMEOUT_S while Redis is down.
        """
        if self._failure is not None:
            raise self._failure
        self.is_urgent = True
        if self._flusher is None:
            self.start()
            assert self._flusher, "it was started"
        self._asked_at = self._loop.time()
        self._show()
        if self._failure is not None:
            raise self._failure
        if final:
            self._seq += 1
            self.unlogged.append(LogEntry(self._seq, (), snapshot=False, end=True))
            self._end_timer = self._loop.call_later(SHOW_END_S, self._show_end)
        self._closing = self._loop.create_future()
        self._flusher.wake(self)
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await asyncio.shield(self._closing)  # a flush must not be cancelled, or its chunks would be lost
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

    def prepare(self) -> AppendCall:
        """Return the flush that has no reply yet, or else the next one, as a part of a call of chat.stream.log_append.APPEND."""
        self._in_flight = self._in_flight or self._next_flush()
        return self._in_flight.call

    def settle(self, reply: Reply) -> bool:
        """Handle the reply. Return whether there is more to flush."""
        if (flush := self._in_flight) is None:
            return False  # `close` gave up in the meantime
        has_more = self._handle_reply(flush, reply)
        self._asked_at = self._loop.time()
        if self._is_asking:
            self._show()
        return has_more and self._flusher is not None

    def fail(self, reason: BaseException) -> None:
        """Stop showing and flushing. `close` raises `reason`."""
        self._failure = reason
        self._end()

    # Internal: showing.

    def _schedule_show(self) -> None:
        """Show what waits: in the loop's next round after a pause, so that what was read at once is shown at once, else after the interval."""
        assert self._flusher, "it was started"
        now = self._waiting_since = self._loop.time()
        due = self._shown_at + self._flusher.show_interval_s
        self._show_timer = self._loop.call_at(due, self._show) if due > now else self._loop.call_soon(self._show)

    def _show(self) -> None:
        """Number what waits and show it to viewers in this process."""
        if self._show_timer is not None:
            self._show_timer.cancel()
            self._show_timer = None
        self._is_asking = False
        if not self._buffer or self._flusher is None:
            return
        self._shown_at = self._loop.time()
        if self._shown_at - self._asked_at > MAX_SILENCE_S:
            self._ask_redis_first()
            return
        self.longest_wait_s = max(self.longest_wait_s, self._shown_at - self._waiting_since)
        chunks, self._buffer = self._buffer, []
        try:
            lines = tuple(map(as_json, chunks))
            self._add(LogEntry(self._seq + len(lines), lines, snapshot=False, end=False))
            if self._in_flight is None and not SILENT_KINDS.issuperset(chunk["type"] for chunk in chunks):
                self._flusher.wake(self)  # during a flush, the reply shows that there is more
        except Exception as exc:
            log.exception("the chunks of run %s can't be shown", self.name)
            self.fail(exc)

    def _ask_redis_first(self) -> None:
        """Show what waits when Redis has answered whose run it is, or hasn't for ASK_S."""
        assert self._flusher, "it was started"
        self._is_asking = True
        self._asked_at = self._loop.time()
        self._show_timer = self._loop.call_at(self._asked_at + ASK_S, self._show)
        self._flusher.wake(self)

    def _add(self, entry: LogEntry) -> None:
        self._seq = entry.seq
        self.unlogged.append(entry)
        self._callbacks.on_entry(entry)

    def _show_end(self) -> None:
        """Show the end of the log, unless viewers have it already."""
        if self.unlogged and self.unlogged[-1].end:
            self._callbacks.on_entry(self.unlogged[-1])

    # Internal: flushing.

    def _next_flush(self) -> _Flush:
        batch = self.unlogged[:1] if self.unlogged and self.unlogged[0].snapshot else self.unlogged[:]
        entry, seq, kind = b"", self._seq, b"-"
        if batch:
            entry, seq = b"\n".join(chunk for each in batch for chunk in each.chunks), batch[-1].seq
            kind = (b"s" if batch[0].snapshot else b"") + (b"e" if batch[-1].end else b"")
        call = AppendCall(self._log, b"%d %d %d %b" % (self._epoch, seq, self.logged_seq, kind), entry)
        is_last = self._closing is not None and len(batch) == len(self.unlogged)
        return _Flush(len(batch), call, seq if batch else self.logged_seq, is_last)

    def _handle_reply(self, flush: _Flush, reply: Reply) -> bool:
        """Return whether there is more to flush."""
        if not isinstance(reply, int):
            return self._handle_failure(reply)
        if reply == -1:
            self.fail(LeaseLost())
            self._callbacks.on_end("lost")
            return False
        if reply == -2:
            self._replace_log()
            return True
        return self._confirm(flush, reply)

    def _replace_log(self) -> None:
        """Let the next flush write a new log, which starts with everything so far."""
        is_last = bool(self.unlogged) and self.unlogged[-1].end
        self._buffer.clear()  # the snapshot contains these chunks, too
        self._in_flight = None
        self.unlogged.clear()
        self._add(LogEntry(self._seq + 1, tuple(map(as_json, self._callbacks.snapshot())), snapshot=True, end=is_last))

    def _handle_failure(self, reason: Exception) -> bool:
        if isinstance(reason, REDIS_ERRORS):
            return True  # the flush is kept and sent again, until `close` gives up
        self.fail(reason)
        return False

    def _confirm(self, flush: _Flush, reply: int) -> bool:
        self._in_flight = None
        if flush.entry_count and self.unlogged[flush.entry_count - 1].end:
            self._show_end()
        del self.unlogged[: flush.entry_count]
        self.logged_seq = flush.seq
        if flush.is_last:
            self._end()
        input_count, has_stop = divmod(reply, 2)
        if has_stop:
            self._callbacks.on_end("stop")
        if input_count > self._input_count:
            self._input_count = input_count
            self._callbacks.on_input()
        return not flush.is_last and bool(self.unlogged or self._closing)

    def _end(self) -> None:
        if self._flusher is not None:
            self._flusher.detach(self)
        self._flusher = None
        if self._end_timer is not None:
            self._end_timer.cancel()
        future, self._closing = self._closing, None
        if future is None or future.done():
            return
        if self._failure is not None:
            future.set_exception(self._failure)
        else:
            future.set_result(None)
