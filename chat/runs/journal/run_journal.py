"""The journal of a run: one call stores entries, publishes their chunks and adds them to the model's context.

If it fails, it does none of this. Only the last answer is published and added before it is stored, with the run's end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from agents.engine.lifecycle import finish_before_cancel
from agents.engine.nested_runs import wrap_like_request
from agents.engine.run_progress import unwrap_entry
from agents.messages import (
    ApprovalResponse,
    DataPart,
    Entry,
    ProviderPart,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    Usage,
)
from agents.runtime.call_recording import CallRecord
from chat.conversations.selectors import ConversationState, committed_state
from chat.entries import StoredEntry, storable_entry
from chat.models import WAITING_FOR, Run
from chat.runs.journal.answer_stream import AnswerStream
from chat.runs.journal.approval_calls import ApprovalCalls, new_approvals
from chat.runs.journal.model_calls import RunCalls
from chat.runs.journal.open_parts import ShownPart
from chat.storage.leases import Checkpoint
from chat.storage.loaded_run import LoadedRun
from chat.storage.pending_inputs import PendingInput
from chat.storage.run_writes import parts_append, run_finish, run_pause, unfinished_calls_record
from chat.storage.uncertain_commits import find_end, find_parts, find_pause, write_once, write_once_then
from chat.stream.chunks import Chunk
from chat.stream.log_takeover import FormerLog
from tenants.db import in_db


class RunJournal:
    """Implements agents.engine.ports.Journal for one run. `stream` publishes; the run's owner gives it a writer first."""

    def __init__(self, run: LoadedRun, *, metadata: dict[str, Any]) -> None:
        self._run = run
        self._context: list[Entry] = [*run.history, *(entry.entry for entry in run.answer_entries)]
        self._stored_entries = list(run.answer_entries)
        self._unstored_entries: list[StoredEntry] = []  # the last of `_stored_entries`; they are stored with the run's end
        self._calls = RunCalls(run.usage, is_first_owner=run.epoch == 1)
        self.stream = AnswerStream(run, self._calls, metadata=metadata)
        self._called_at: dict[str, float] = {}
        self._approval_calls = ApprovalCalls(entry.entry for entry in run.answer_entries)
        self._append_lock = asyncio.Lock()
        self._has_open_text = run.epoch > 1  # in the database

    @property
    def entries(self) -> Sequence[Entry]:
        return self._context

    @property
    def step(self) -> int:
        """The number of the last step that was started."""
        return self.stream.step

    # Called by the engine.

    async def step_start(self, step: int) -> None:
        await self._store_unstored_entries()
        self.stream.start_step(step)

    async def step_finish(self, step: int, usage: Usage) -> None:
        self.stream.finish_step()

    def text_delta(self, text: str) -> None:
        self.stream.delta("text", text)

    def reasoning_delta(self, text: str) -> None:
        self.stream.delta("reasoning", text)

    def provider_part(self, part: ProviderPart) -> None:
        self.stream.provider_part(part)

    def data(self, part: DataPart) -> None:
        self.stream.data(part)

    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        """Store, publish and add entries. Raises LeaseLost when another process owns the run; then nothing was published or added.

        Raises AccessEnded, likewise, when a tool would start for a member who may not write any more. `ends_run`: the first owner stores
        the entries with the run's end, or with whatever comes before it. Until then a next owner asks the model again, as before its answer.
        """
        if entries and ends_run and self._run.epoch == 1 and not self.stream.artifacts.has_any:
            self._add_unstored(entries)
        elif entries:
            # A cancellation has to wait: entries that are stored must also be published and added, or their positions would be reused.
            await finish_before_cancel(self._append_serialized(entries))

    async def append_inputs(self, inputs: Sequence[PendingInput]) -> None:
        """Append the inputs and mark them as delivered, in one transaction. Raises LeaseLost."""
        if inputs:
            await finish_before_cancel(self._append_serialized(tuple(map(self._entry_of, inputs)), [each.id for each in inputs]))

    def _entry_of(self, pending_input: PendingInput) -> Entry:
        """Return the input's entry. A decision is wrapped like the request that it answers, which may be a sub-agent's."""
        entry = pending_input.entry
        return wrap_like_request(entry, self._context) if isinstance(entry, ApprovalResponse) else entry

    async def _append_serialized(self, entries: tuple[Entry, ...], delivered_ids: Sequence[UUID] = ()) -> None:
        async with self._append_lock:  # parallel tools append too, and each position may be used only once
            await self._append(entries, delivered_ids)

    async def _append(self, entries: tuple[Entry, ...], delivered_ids: Sequence[UUID]) -> None:
        self.stream.end_part()
        entries = tuple(storable_entry(entry) for entry in (*self.stream.artifacts.announced_before(entries), *entries))
        shown_parts = self.stream.parts.match(entries)
        new_entries = self._entries_to_store(entries, shown_parts)
        await self._store(entries, new_entries, delivered_ids)
        self.stream.end_hold()
        self._add(new_entries, shown_parts)

    def _add_unstored(self, entries: Iterable[Entry]) -> None:
        """Publish and add entries that are stored with what is stored next."""
        self.stream.end_part()
        entries = tuple(map(storable_entry, entries))
        shown_parts = self.stream.parts.match(entries)
        unstored_entries = self._entries_to_store(entries, shown_parts)
        self._unstored_entries += unstored_entries
        self._add(unstored_entries, shown_parts)

    def _entries_to_store(self, entries: Sequence[Entry], shown_parts: Sequence[ShownPart | None]) -> list[StoredEntry]:
        return [
            StoredEntry(entry, self.stream.visible_step, part.duration_ms if part else self._tool_ms(entry))
            for entry, part in zip(entries, shown_parts, strict=True)
        ]

    def _add(self, new_entries: Sequence[StoredEntry], shown_parts: Sequence[ShownPart | None]) -> None:
        # only now: until then a snapshot for a lost log has to include the open parts
        self.stream.publish_entries(new_entries, shown_parts)
        self._stored_entries += new_entries
        self._context += (entry.entry for entry in new_entries)
        self._approval_calls.add(entry.entry for entry in new_entries)

    async def _store_unstored_entries(self) -> None:
        """Store the entries that were to be stored with the run's end: it does not end, or not here. Raises LeaseLost."""
        if self._unstored_entries:
            await finish_before_cancel(self._append_serialized(()))

    async def _store(self, entries: Sequence[Entry], new_entries: Sequence[StoredEntry], delivered_ids: Sequence[UUID]) -> None:
        """Write the entries with all that changes beside them, in one transaction: the run's row, calls, approvals and inputs."""
        unstored_entries = list(self._unstored_entries)
        calls = self._calls.unstored
        has_open_text, self._has_open_text = self._has_open_text, False  # a heartbeat may add some meanwhile
        status = Run.Status.EXECUTING_TOOL if any(isinstance(entry, ToolCall | SubAgentEntry) for entry in entries) else Run.Status.THINKING
        place = {**self._fence, "message_id": self._run.answer_id, "position": len(self._stored_entries) - len(unstored_entries)}
        write = partial(
            parts_append,
            **place,
            conversation_id=self._run.conversation_id,
            entries=[*unstored_entries, *new_entries],
            status=status,
            step=self.step,
            usage=self._calls.usage,
            calls=calls,
            approvals=new_approvals(entries, self._context),
            delivered_ids=delivered_ids,
            settled_ids=self._approval_calls.settled_by(entries),
            has_open_text=has_open_text,
            starts_tools=any(map(_starts_tool, entries)),
        )
        await write_once(write, partial(find_parts, **place), organization_id=self._run.organization_id)
        self._calls.mark_stored(len(calls))
        self._unstored_entries.clear()

    # Called by the run's owner.

    def call_opened(self, call: CallRecord) -> None:
        """Note a model call, of the agent or a sub-agent, before it is sent."""
        call.step = self.step
        self._calls.open(call)

    def record_call(self, call: CallRecord) -> None:
        """Record a model call that has ended, and add its tokens to the usage. It is stored with the next write."""
        call.step = self.step
        self._calls.end(call)

    def replace_history(self, history: Sequence[Entry]) -> None:
        """Replace the history by one with the texts of its files. Only before the first model request."""
        self._context[: len(history)] = history

    def take_over(self, former_log: FormerLog | None) -> None:
        """Continue the run of another owner, with its log; None: the log is lost."""
        if former_log is None:
            self.stream.start_over(self._stored_entries)
        else:
            self.stream.take_over(former_log, self._stored_entries)

    def snapshot(self) -> list[Chunk]:
        """Return all chunks so far, compact, to rewrite a lost log."""
        return self.stream.snapshot(self._stored_entries)

    def checkpoint(self) -> Checkpoint | None:
        """Return what was shown and spent since the last checkpoint; None: nothing. The same again until it is confirmed."""
        if self._unstored_entries:
            return None  # they are about to be stored, with the calls
        checkpoint = self.stream.checkpoint(len(self._stored_entries))
        self._has_open_text = self._has_open_text or checkpoint is not None
        return checkpoint

    def confirm_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Note that a checkpoint is stored."""
        self.stream.parts.confirm(checkpoint)

    async def finish(
        self, *, status: Run.Status, finish_reason: str, notices: Iterable[Entry] = (), error_code: str = "", error_text: str = ""
    ) -> ConversationState | None:
        """End the answer: store open parts as partial entries, then the notices, then publish the last chunk.

        Return the conversation's state afterwards; None: it was not read. Raises LeaseLost, InputsPending.
        """
        self.stream.keep_longer_text()
        calls = self._calls.unstored
        partial_entries = [entry for part in self.stream.parts if (entry := part.as_entry(self.stream.visible_step)) is not None]
        notice_entries = [StoredEntry(notice, self.stream.visible_step) for notice in notices]
        unstored_entries = list(self._unstored_entries)
        place = {**self._fence, "message_id": self._run.answer_id, "position": len(self._stored_entries) - len(unstored_entries)}
        write = partial(
            run_finish,
            **place,
            conversation_id=self._run.conversation_id,
            answer=unstored_entries,
            entries=[*partial_entries, *notice_entries],
            status=status,
            usage=self._calls.usage,
            error_code=error_code,
            calls=calls,
            step=self.stream.visible_step,
            stored_step=self.step if unstored_entries else 0,
            has_asked=bool(self._approval_calls),
        )
        end_entries, state = await write_once_then(
            write, partial(find_end, **place), self._read_state, organization_id=self._run.organization_id
        )
        self._unstored_entries.clear()
        new = end_entries[len(unstored_entries) :]
        self.stream.publish_end(new[len(partial_entries) :], finish_reason, error_text)
        self._stored_entries += new
        return state

    async def pause(self, status: Run.Status) -> ConversationState | None:
        """Let the run wait and publish the last chunk. Return what `finish` does. Raises LeaseLost, InputsPending, StopPending."""
        await self._store_unstored_entries()
        write = partial(run_pause, **self._fence, status=status, usage=self._calls.usage, calls=self._calls.unstored)
        _, state = await write_once_then(
            write, partial(find_pause, **self._fence), self._read_state, organization_id=self._run.organization_id
        )
        self.stream.publish_pause(WAITING_FOR[status.value])
        return state

    def _read_state(self) -> ConversationState | None:
        return committed_state(self._run.organization_id, self._run.conversation_id)

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

    def _tool_ms(self, entry: Entry) -> int | None:
        """Start the clock for a ToolCall; return the elapsed milliseconds for its ToolResult, else None."""
        entry = unwrap_entry(entry)
        if isinstance(entry, ToolCall):
            self._called_at[entry.id] = time.monotonic()
        called_at = self._called_at.pop(entry.call_id, None) if isinstance(entry, ToolResult) else None
        return None if called_at is None else round((time.monotonic() - called_at) * 1000)


def _starts_tool(entry: Entry) -> bool:
    inner = unwrap_entry(entry)
    return isinstance(inner, ToolCall) or (isinstance(inner, ApprovalResponse) and inner.approved)
