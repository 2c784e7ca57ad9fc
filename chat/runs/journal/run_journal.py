"""The journal of a run: one call stores entries, publishes their chunks and adds them to the model's context.

If it fails, it does none of this. Only the last answer is published and added before it is stored, with the run's end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from agents.engine.history import unwrap_entry
from agents.engine.lifecycle import finish_before_cancel
from agents.engine.messages import (
    AnswerFile,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    DataPart,
    Entry,
    ProviderPart,
    ProviderToolCall,
    Reasoning,
    Source,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    Usage,
)
from agents.engine.nested_runs import wrap_like_request
from agents.runtime.call_recording import CallRecord
from chat.conversations.selectors import ConversationState, conversation_state
from chat.entries import StoredEntry, storable_entry
from chat.models import WAITING_FOR, Run
from chat.runs.journal.approval_calls import ApprovalCalls, new_approvals
from chat.runs.journal.chunk_writer import ChunkWriter
from chat.runs.journal.held_reset import HeldReset
from chat.runs.journal.live_artifacts import LiveArtifacts
from chat.runs.journal.model_calls import RunCalls
from chat.runs.journal.open_parts import OpenPartKind, ShownPart, StreamedParts, checkpoint_entries, checkpoint_length
from chat.storage.leases import Checkpoint
from chat.storage.pending_inputs import PendingInput
from chat.storage.run_loading import LoadedRun
from chat.storage.run_writes import parts_append, run_finish, run_pause, unfinished_calls_record
from chat.storage.uncertain_commits import find_end, find_parts, find_pause, write_once, write_once_then
from chat.stream.chunks import Chunk, atomic_entry_chunks, data_chunk, entry_chunks, replay_chunks
from chat.stream.delta_merging import merge_deltas
from chat.stream.log_takeover import LogLeft
from chat.stream.shown_length import ShownLength
from tenants.db import in_db


class RunJournal:
    """Implements agents.engine.ports.Journal for one run.

    Deltas of a response are published at once and kept in `_streamed` until the response's entries are appended.
    """

    # Set by the run's owner before anything is published. Not an argument, because the writer needs the journal's `snapshot`.
    writer: ChunkWriter

    def __init__(self, run: LoadedRun, *, metadata: dict[str, Any]) -> None:
        self._run, self._metadata = run, metadata
        self._context: list[Entry] = [*run.history, *(stored.entry for stored in run.stored)]
        self._stored = list(run.stored)
        self._unstored_entries: list[StoredEntry] = []  # the last of `_stored`, which are to be stored with the run's end
        self._streamed = StreamedParts()
        self._live = LiveArtifacts()
        self._final_chunks: list[Chunk] = []
        self._called_at: dict[str, float] = {}
        self._approval_calls = ApprovalCalls(stored.entry for stored in run.stored)
        self._append_lock = asyncio.Lock()
        self._step = run.step
        self._step_open = False
        self._announced_step = 0
        self._part_count = 0
        self._calls = RunCalls(run.usage, is_first_owner=run.epoch == 1)
        self._held: HeldReset | None = None  # what the former owner showed is still on screens
        self._has_open_text = run.epoch > 1  # in the database

    @property
    def entries(self) -> Sequence[Entry]:
        return self._context

    @property
    def step(self) -> int:
        """The number of the last step that was started."""
        return self._step

    # Called by the engine.

    async def step_start(self, step: int) -> None:
        await self._store_unstored_entries()
        self._step, self._step_open = step, True
        if step > self._announced_step:
            self._announced_step = step
            self.writer.publish({"type": "start-step"})

    async def step_finish(self, step: int, usage: Usage) -> None:
        self._step_open = False
        self.writer.publish({"type": "finish-step"})

    def text_delta(self, text: str) -> None:
        self._delta("text", text)

    def reasoning_delta(self, text: str) -> None:
        self._delta("reasoning", text)

    def provider_part(self, part: ProviderPart) -> None:
        self._end_part()
        shown = self._streamed.add(storable_entry(part))
        for chunk in shown.chunks():
            self.writer.publish(chunk)

    def data(self, part: DataPart) -> None:
        self._live.record(part)
        self.writer.publish(data_chunk(part))

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        """Store, publish and add entries. Raises LeaseLost when another process owns the run; then nothing was published or added.

        Raises AccessEnded, likewise, when a tool would start for a member who may not write any more. `ends_run`: the first owner stores
        the entries with the run's end, or with whatever comes before it. Until then a next owner asks the model again, as before its answer.
        """
        if entries and ends_run and self._run.epoch == 1 and not self._live.has_any:
            self._add_unstored(entries)
        elif entries:
            # A cancellation has to wait: entries that are stored must also be published and added, or their positions would be reused.
            await finish_before_cancel(self._append_serialized(entries))

    async def append_inputs(self, inputs: Sequence[PendingInput]) -> None:
        """Append the inputs and mark them as delivered, in one transaction. Raises LeaseLost."""
        if inputs:
            await finish_before_cancel(self._append_serialized(tuple(map(self._routed, inputs)), [each.id for each in inputs]))

    def _routed(self, given: PendingInput) -> Entry:
        """Return the input's entry. A decision is wrapped like the request that it answers, which may be a sub-agent's."""
        return wrap_like_request(given.entry, self._context) if isinstance(given.entry, ApprovalResponse) else given.entry

    async def _append_serialized(self, entries: tuple[Entry, ...], delivered: Sequence[UUID] = ()) -> None:
        async with self._append_lock:  # parallel tools append too, and each position may be used only once
            await self._append(entries, delivered)

    async def _append(self, entries: tuple[Entry, ...], delivered: Sequence[UUID]) -> None:
        self._end_part()
        entries = tuple(storable_entry(entry) for entry in (*self._live.announced_before(entries), *entries))
        shown = self._streamed.match(entries)
        stored = self._as_stored(entries, shown)
        await self._store(entries, stored, delivered)
        self._end_hold()
        self._add(stored, shown)

    def _add_unstored(self, entries: Iterable[Entry]) -> None:
        """Publish and add entries that are stored with what is stored next."""
        self._end_part()
        entries = tuple(map(storable_entry, entries))
        shown = self._streamed.match(entries)
        unstored = self._as_stored(entries, shown)
        self._unstored_entries += unstored
        self._add(unstored, shown)

    def _as_stored(self, entries: Sequence[Entry], shown: Sequence[ShownPart | None]) -> list[StoredEntry]:
        return [
            StoredEntry(entry, self._visible_step, part.duration_ms if part else self._tool_ms(entry))
            for entry, part in zip(entries, shown, strict=True)
        ]

    def _add(self, stored: Sequence[StoredEntry], shown: Sequence[ShownPart | None]) -> None:
        self._streamed.clear()  # only now: until the entries are added, a snapshot for a lost log must include these parts
        self._publish_entries(stored, shown)
        self._stored += stored
        self._context += (entry.entry for entry in stored)
        self._approval_calls.add(entry.entry for entry in stored)

    async def _store_unstored_entries(self) -> None:
        """Store the entries that were to be stored with the run's end: it does not end, or not here. Raises LeaseLost."""
        if self._unstored_entries:
            await finish_before_cancel(self._append_serialized(()))

    async def _store(self, entries: Sequence[Entry], stored: Sequence[StoredEntry], delivered: Sequence[UUID]) -> None:
        """Write the entries with all that changes beside them, in one transaction: the run's row, calls, approvals and inputs."""
        unstored = list(self._unstored_entries)
        calls = self._calls.unstored
        has_open_text, self._has_open_text = self._has_open_text, False  # a heartbeat may add some meanwhile
        status = Run.Status.EXECUTING_TOOL if any(isinstance(entry, ToolCall | SubAgentEntry) for entry in entries) else Run.Status.THINKING
        place = {**self._fence, "message_id": self._run.answer_id, "position": len(self._stored) - len(unstored)}
        write = partial(
            parts_append,
            **place,
            conversation_id=self._run.conversation_id,
            entries=[*unstored, *stored],
            status=status,
            step=self._step,
            usage=self._calls.usage,
            calls=calls,
            approvals=new_approvals(entries, self._context),
            delivered=delivered,
            settled=self._approval_calls.settled_by(entries),
            has_open_text=has_open_text,
            starts_tools=any(map(_starts_tool, entries)),
        )
        await write_once(write, partial(find_parts, **place), organization_id=self._run.organization_id)
        self._calls.mark_stored(len(calls))
        self._unstored_entries.clear()

    # Called by the run's owner.

    def call_opened(self, call: CallRecord) -> None:
        """Note a model call, of the agent or a sub-agent, before it is sent."""
        call.step = self._step
        self._calls.open(call)

    def record_call(self, call: CallRecord) -> None:
        """Record a model call that has ended, and add its tokens to the usage. It is stored with the next write."""
        call.step = self._step
        self._calls.end(call)

    def replace_history(self, history: Sequence[Entry]) -> None:
        """Replace the history by one with the texts of its files. Only before the first model request."""
        self._context[: len(history)] = history

    def begin(self) -> None:
        """Publish the first chunk of a new run."""
        self.writer.publish(self._start_chunk())

    def take_over(self, left: LogLeft) -> None:
        """Continue a log that another process left.

        Clients drop what they have of its last step. They get what is stored of it, and later steps that were stored but never shown. But
        not before the new attempt has passed the text that they have.
        """
        announced_step = left.steps
        if announced_step:
            unsure = [stored for stored in self._stored if stored.step >= announced_step]
            self._hold(left.shown, replay_chunks(unsure, first_step=announced_step))
        self._announced_step = max(announced_step, self._step)
        self._step_open = self._announced_step > 0
        self._calls.has_lost_call = self._run.takeovers > 0 and announced_step > max(self._run.step, self._run.logged_step)

    def start_over(self) -> None:
        """Continue without a log. The writer's first flush is a snapshot, which contains what is stored, and what was shown and is not."""
        has_open_text = bool(self._run.open_text)  # of the step after those that are stored
        self._announced_step = max([self._step + has_open_text, *(stored.step for stored in self._stored)])
        self._step_open = self._announced_step > 0
        if has_open_text:
            self._hold(ShownLength(), ())

    def _hold(self, shown: ShownLength, stored: Iterable[Chunk]) -> None:
        """Leave what was shown on screens until the new attempt has passed it. `shown`: by the log, which may have been lost."""
        self.writer = self._held = HeldReset(self.writer, shown.or_longer(checkpoint_length(self._run.open_text)), self._end_hold)
        self._held.begin(stored)

    def _end_hold(self) -> None:
        if (held := self._held) is not None:
            self._held, self.writer = None, held.writer
            held.release()

    def _keep_longer_text(self) -> None:
        """At the end of a run: keep the former owner's text if the new attempt has not passed it."""
        held = self._held
        if held is not None and not self._streamed.length.has_passed(checkpoint_length(self._run.open_text)):
            held.release_without_attempt()
            self._streamed.clear()
            self.restore_open_text()
        self._end_hold()

    def restore_open_text(self) -> None:
        """Publish what the former owner showed and did not store, for a run that ends now instead of continuing."""
        for entry in checkpoint_entries(self._run.open_text):
            match entry:
                case AssistantText(text=text):
                    self._delta("text", text)
                case Reasoning(text=text):
                    self._delta("reasoning", text)
                case ProviderToolCall() | Source() | AnswerFile():
                    self.provider_part(entry)

    def snapshot(self) -> list[Chunk]:
        """Return all chunks so far, compact, to rewrite a lost log."""
        chunks = [self._start_chunk(), *replay_chunks(self._stored, first_step=0)]
        if self._step_open and (not self._stored or self._stored[-1].step < self._visible_step):
            chunks += [{"type": "finish-step"}] * (self._visible_step > 1) + [{"type": "start-step"}]
        chunks += self._streamed.chunks() if self._held is None else self._interrupted_chunks()
        chunks += self._live.chunks()
        return list(merge_deltas([*chunks, *self._final_chunks]))

    def _interrupted_chunks(self) -> Iterator[Chunk]:
        """Yield what the former owner showed and did not store."""
        for entry in checkpoint_entries(self._run.open_text):
            yield from entry_chunks(StoredEntry(entry, self._visible_step), self._new_part_id())

    def checkpoint(self) -> Checkpoint | None:
        """Return what was shown and spent since the last checkpoint; None: nothing. The same again until it is confirmed."""
        if self._unstored_entries:
            return None  # they are about to be stored, with the calls
        found = self._streamed.checkpoint(len(self._stored), self._calls.news)
        self._has_open_text = self._has_open_text or found is not None
        if found is not None and self._held is None:
            self.writer.publish({"type": "message-metadata", "messageMetadata": self._calls.estimated_metadata()})
        return found

    def confirm_checkpoint(self, shown: Checkpoint) -> None:
        """Note that a checkpoint is stored."""
        self._streamed.confirm(shown)

    async def finish(
        self, *, status: Run.Status, finish_reason: str, notices: Iterable[Entry] = (), error_code: str = "", error_text: str = ""
    ) -> ConversationState | None:
        """End the answer: store open parts as partial entries, then the notices, then publish the last chunk.

        Return the conversation's state afterwards; None: it was not read. Raises LeaseLost, InputsPending.
        """
        self._end_part()
        self._keep_longer_text()
        self._end_part()
        calls = self._calls.unstored
        shown = [entry for part in self._streamed if (entry := part.as_entry(self._visible_step)) is not None]
        notice_entries = [StoredEntry(notice, self._visible_step) for notice in notices]
        unstored = list(self._unstored_entries)
        place = {**self._fence, "message_id": self._run.answer_id, "position": len(self._stored) - len(unstored)}
        write = partial(
            run_finish,
            **place,
            conversation_id=self._run.conversation_id,
            answer=unstored,
            entries=[*shown, *notice_entries],
            status=status,
            usage=self._calls.usage,
            error_code=error_code,
            calls=calls,
            step=self._visible_step,
            stored_step=self._step if unstored else 0,
            has_asked=bool(self._approval_calls),
        )
        stored, state = await write_once_then(
            write, partial(find_end, **place), self._read_state, organization_id=self._run.organization_id
        )
        self._streamed.clear()
        self._unstored_entries.clear()
        new = stored[len(unstored) :]
        self._publish_end(new[len(shown) :], finish_reason, error_text)
        self._stored += new
        return state

    async def pause(self, status: Run.Status) -> ConversationState | None:
        """Let the run wait and publish the last chunk. Return what `finish` does. Raises LeaseLost, InputsPending, StopPending."""
        await self._store_unstored_entries()
        write = partial(run_pause, **self._fence, status=status, usage=self._calls.usage, calls=self._calls.unstored)
        _, state = await write_once_then(
            write, partial(find_pause, **self._fence), self._read_state, organization_id=self._run.organization_id
        )
        metadata = {**self._final_metadata(), "waiting": WAITING_FOR[status.value]}
        self._publish_last({"type": "finish", "finishReason": "tool-calls", "messageMetadata": metadata})
        return state

    def _read_state(self) -> ConversationState | None:
        return conversation_state(self._run.conversation_id)

    async def record_unfinished_calls(self) -> None:
        """Log the model calls that produced no entry, before another owner continues. Raises LeaseLost."""
        await self._store_unstored_entries()
        if calls := self._calls.unstored:
            write = partial(unfinished_calls_record, **self._fence, usage=self._calls.usage, calls=calls)
            await in_db(write, organization_id=self._run.organization_id)

    # Internal.

    @property
    def _fence(self) -> dict[str, Any]:
        """What every write names, so that only the owner can write."""
        return {"run_id": self._run.run_id, "epoch": self._run.epoch}

    @property
    def _visible_step(self) -> int:
        """The last step that viewers have seen, to which new entries belong.

        It is ahead of `_step` when a former owner announced a step and died before it stored anything.
        """
        return max(self._step, self._announced_step)

    def _delta(self, kind: OpenPartKind, text: str) -> None:
        text = text.replace("\x00", "")
        if not text:
            return
        current = self._streamed.open_for(kind)
        if current is None:
            self._end_part()
            current = self._streamed.begin(kind, self._new_part_id())
            self.writer.publish(current.start_chunk())
        current.add(text)
        self.writer.publish(current.delta_chunk(text))

    def _new_part_id(self) -> str:
        self._part_count += 1
        return f"e{self._run.epoch}s{self._step}-{self._part_count}"

    def _tool_ms(self, entry: Entry) -> int | None:
        """Start the clock for a ToolCall; return the elapsed milliseconds for its ToolResult, else None."""
        entry = unwrap_entry(entry)
        if isinstance(entry, ToolCall):
            self._called_at[entry.id] = time.monotonic()
        called_at = self._called_at.pop(entry.call_id, None) if isinstance(entry, ToolResult) else None
        return None if called_at is None else round((time.monotonic() - called_at) * 1000)

    def _end_part(self) -> None:
        chunk = self._streamed.end()
        if chunk is not None:
            self.writer.publish(chunk)

    def _publish_entries(self, stored: Sequence[StoredEntry], shown: Sequence[ShownPart | None]) -> None:
        for entry, part in zip(stored, shown, strict=True):
            if isinstance(entry.entry, ArtifactReference) and entry.entry.status == "streaming":
                self._live.mark_stored(entry.entry.artifact_id)
                continue
            if part is None:
                for chunk in entry_chunks(entry, self._new_part_id()):
                    self.writer.publish(chunk)
            if isinstance(entry.entry, ArtifactReference):
                self._live.drop(entry.entry.artifact_id)

    def _publish_end(self, stored: list[StoredEntry], finish_reason: str, error_text: str) -> None:
        for entry in stored:
            for chunk in atomic_entry_chunks(entry):
                self.writer.publish(chunk)
        if error_text:
            self._publish_last({"type": "error", "errorText": error_text})
        else:
            self._publish_last({"type": "finish", "finishReason": finish_reason, "messageMetadata": self._final_metadata()})

    def _publish_last(self, last: Chunk) -> None:
        self._final_chunks = [{"type": "finish-step"}, last] if self._step_open else [last]
        for chunk in self._final_chunks:
            self.writer.publish(chunk)

    def _start_chunk(self) -> Chunk:
        return {"type": "start", "messageId": str(self._run.answer_id), "messageMetadata": self._metadata}

    def _final_metadata(self) -> dict[str, Any]:
        return {**self._metadata, **self._calls.metadata()}


def _starts_tool(entry: Entry) -> bool:
    inner = unwrap_entry(entry)
    return isinstance(inner, ToolCall) or (isinstance(inner, ApprovalResponse) and inner.approved)
