"""The one way into a conversation (SPEC 3.6): stored, published and in the model's context by one call, or none of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from agents.calls import CallRecord
from agents.engine.context import open_calls
from agents.engine.messages import (
    ArtifactReference,
    AssistantText,
    DataPart,
    Entry,
    Reasoning,
    ToolCall,
    ToolResult,
    Usage,
)
from chat.chunks import Chunk, closed_entry_chunks, compact, data_chunk, merge_delta, reasoning_metadata, replay_chunks, whole_entry_chunks
from chat.entries import StoredEntry
from chat.loading import LoadedRun
from chat.models import Run
from chat.recording import parts_append, run_finish
from tenants.db import in_db

Kind = Literal["text", "reasoning"]

UNFINISHED_CALL = "This was ended before it was finished."


class ChunkWriter(Protocol):
    """Where chunks go: chat.eventlog.EventLogWriter."""

    def publish(self, chunk: Chunk) -> None: ...


@dataclass(slots=True)
class OpenPart:
    """Text or reasoning that is being streamed and is no entry yet."""

    kind: Kind
    id: str
    started_at: float = field(default_factory=time.monotonic)
    pieces: list[str] = field(default_factory=list)
    duration_ms: int | None = None

    @property
    def text(self) -> str:
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    def start_chunk(self) -> Chunk:
        return {"type": f"{self.kind}-start", "id": self.id}

    def delta_chunk(self, delta: str) -> Chunk:
        return {"type": f"{self.kind}-delta", "id": self.id, "delta": delta}

    def end_chunk(self) -> Chunk:
        metadata = reasoning_metadata(self.duration_ms) if self.kind == "reasoning" else {}
        return {"type": f"{self.kind}-end", "id": self.id, **metadata}

    def end(self) -> None:
        self.duration_ms = round((time.monotonic() - self.started_at) * 1000)

    def as_entry(self) -> StoredEntry:
        entry_type = AssistantText if self.kind == "text" else Reasoning
        return StoredEntry(entry_type(self.text, partial=True), duration_ms=self.duration_ms)


class RunJournal:
    """The engine's Journal for one run; implements agents.engine.ports.Journal.

    `writer` is set by the run's owner before anything is published: it asks back for `snapshot`. Streamed parts wait in `_segments` (the last one is open while `duration_ms` is unset) until the response's entries close them.
    """

    writer: ChunkWriter

    def __init__(self, run: LoadedRun, *, metadata: dict[str, Any]) -> None:
        self._run, self._metadata = run, metadata
        self._context: list[Entry] = [*run.history, *(stored.entry for stored in run.stored)]
        self._stored = list(run.stored)
        self._segments: list[OpenPart] = []
        self._live_data: dict[str, list[Chunk]] = {}
        self._step = run.step
        self._step_open = False
        self._announced_step = 0
        self._parts_made = 0
        self._calls: list[CallRecord] = []
        self.usage = run.usage
        self.first_delta_at: float | None = None
        self.checkpoint_due = False

    @property
    def entries(self) -> Sequence[Entry]:
        return self._context

    # What the engine calls.

    async def step_start(self, step: int) -> None:
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

    def data(self, part: DataPart) -> None:
        if part.name in ("artifact", "artifact-delta"):
            live, chunk = self._live_data.setdefault(part.data["id"], []), data_chunk(part)
            if not (live and merge_delta(live[-1], chunk)):
                live.append(chunk)
        self.writer.publish(data_chunk(part))

    async def append(self, *entries: Entry) -> None:
        """Raises LeaseLost when another process owns the run; then nothing was published or added."""
        if not entries:
            return
        segments, self._segments = self._match_segments(entries), []
        stored = [
            StoredEntry(entry, self._step, segment.duration_ms if segment else None)
            for entry, segment in zip(entries, segments, strict=True)
        ]
        status = Run.Status.EXECUTING_TOOL if any(isinstance(entry, ToolCall) for entry in entries) else Run.Status.THINKING
        await in_db(
            parts_append,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            message_id=self._run.answer_id,
            position=len(self._stored),
            entries=stored,
            status=status,
            step=self._step,
            usage=self.usage,
            calls=self._take_calls(),
            organization_id=self._run.organization_id,
        )
        self._publish_entries(stored, segments)
        self._stored += stored
        self._context += entries

    # What the run's owner calls.

    def record_call(self, call: CallRecord) -> None:
        """Keep a model call for the call log, stored with the next write, and count its tokens, sub-agents' too."""
        self._calls.append(call)
        self.usage += call.usage

    def begin(self) -> None:
        """Announce the answer: the first chunks of a fresh run."""
        self.writer.publish(self._start_chunk())

    def take_over(self, *, announced_step: int) -> None:
        """Go on in a log that another process left at step `announced_step` (0: before the first).

        Clients drop what they have of that step and get what is stored of it, and of later ones that were stored but never shown.
        """
        if announced_step:
            self.writer.publish({"type": "reset-step"})
            unsure = [stored for stored in self._stored if stored.step >= announced_step]
            for chunk in compact(replay_chunks(unsure, first_step=announced_step)):
                self.writer.publish(chunk)
        self._announced_step = max(announced_step, self._step)
        self._step_open = self._announced_step > 0

    def start_over(self) -> None:
        """Go on without a log: the writer's snapshot shows what is stored."""
        self._announced_step = self._step
        self._step_open = self._step > 0

    def snapshot(self) -> list[Chunk]:
        """Everything so far, compact: what a lost log is written anew with."""
        chunks = [self._start_chunk(), *replay_chunks(self._stored, first_step=0)]
        if self._step_open and (not self._stored or self._stored[-1].step < self._step):
            chunks += [{"type": "finish-step"}] * (self._step > 1) + [{"type": "start-step"}]
        for segment in self._segments:
            chunks += [segment.start_chunk(), segment.delta_chunk(segment.text)]
            chunks += [segment.end_chunk()] * (segment.duration_ms is not None)
        for live in self._live_data.values():
            chunks += live
        return list(compact(chunks))

    def checkpoint(self) -> list[dict[str, str]] | None:
        """The open text for the run's row, or None when nothing came since the last call."""
        if not self.checkpoint_due:
            return None
        self.checkpoint_due = False
        return [{"kind": segment.kind, "text": segment.text} for segment in self._segments]

    async def finish(
        self, *, status: Run.Status, finish_reason: str, notices: Iterable[Entry] = (), error_code: str = "", error_text: str = ""
    ) -> None:
        """End the answer: what is still open is kept as partial, notices follow, then the last chunk. Raises LeaseLost."""
        segments = list(self._segments)
        self._end_segments()
        stored = [StoredEntry(s.as_entry().entry, self._step, s.duration_ms) for s in segments if s.text]
        stored += [
            StoredEntry(ToolResult(call.id, call.name, UNFINISHED_CALL, is_error=True), self._step) for call in open_calls(self._context)
        ]
        stored += [StoredEntry(notice, self._step) for notice in notices]
        await in_db(
            run_finish,
            run_id=self._run.run_id,
            epoch=self._run.epoch,
            conversation_id=self._run.conversation_id,
            message_id=self._run.answer_id,
            position=len(self._stored),
            entries=stored,
            status=status,
            usage=self.usage,
            error_code=error_code,
            calls=self._take_calls(),
            organization_id=self._run.organization_id,
        )
        self._segments = []
        self._publish_end(segments, stored, finish_reason, error_text)
        self._stored += stored

    # Inside.

    def _take_calls(self) -> list[CallRecord]:
        calls, self._calls = self._calls, []
        return calls

    def _delta(self, kind: Kind, text: str) -> None:
        text = text.replace("\x00", "")
        if not text:
            return
        if self.first_delta_at is None:
            self.first_delta_at = time.monotonic()
        current = self._segments[-1] if self._segments else None
        if current is None or current.kind != kind or current.duration_ms is not None:
            self._end_segments()
            current = OpenPart(kind, self._new_part_id())
            self._segments.append(current)
            self.writer.publish(current.start_chunk())
        current.pieces.append(text)
        self.checkpoint_due = True
        self.writer.publish(current.delta_chunk(text))

    def _new_part_id(self) -> str:
        self._parts_made += 1
        return f"e{self._run.epoch}s{self._step}-{self._parts_made}"

    def _end_segments(self) -> None:
        """Close the open part, if any; earlier ones are closed already."""
        if self._segments and self._segments[-1].duration_ms is None:
            self._segments[-1].end()
            self.writer.publish(self._segments[-1].end_chunk())

    def _match_segments(self, entries: Sequence[Entry]) -> list[OpenPart | None]:
        """For each entry the streamed part that showed it already, or None."""
        self._end_segments()
        waiting = list(self._segments)
        matched: list[OpenPart | None] = []
        for entry in entries:
            kind = {AssistantText: "text", Reasoning: "reasoning"}.get(type(entry))
            fits = kind is not None and bool(waiting) and waiting[0].kind == kind
            matched.append(waiting.pop(0) if fits else None)
        return matched

    def _publish_entries(self, stored: Sequence[StoredEntry], segments: Sequence[OpenPart | None]) -> None:
        for entry, segment in zip(stored, segments, strict=True):
            if segment is None:
                for chunk in whole_entry_chunks(entry, self._new_part_id()):
                    self.writer.publish(chunk)
            if isinstance(entry.entry, ArtifactReference):
                self._live_data.pop(entry.entry.artifact_id, None)

    def _publish_end(self, segments: list[OpenPart], stored: list[StoredEntry], finish_reason: str, error_text: str) -> None:
        for entry in stored:
            for chunk in closed_entry_chunks(entry.entry):
                self.writer.publish(chunk)
        if self._step_open:
            self.writer.publish({"type": "finish-step"})
        if error_text:
            self.writer.publish({"type": "error", "errorText": error_text})
        else:
            self.writer.publish({"type": "finish", "finishReason": finish_reason, "messageMetadata": self._final_metadata()})

    def _start_chunk(self) -> Chunk:
        return {"type": "start", "messageId": str(self._run.answer_id), "messageMetadata": self._metadata}

    def _final_metadata(self) -> dict[str, Any]:
        return {**self._metadata, "usage": usage_metadata(self.usage)}


def usage_metadata(usage: Usage) -> dict[str, int]:
    return {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens, "thinkingTokens": usage.thinking_tokens}
