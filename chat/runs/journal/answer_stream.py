"""The answer as its viewers have it: publishes what a run produces, and repeats it to rewrite a lost log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agents.messages import (
    AnswerFile,
    ArtifactReference,
    AssistantText,
    DataPart,
    ProviderPart,
    ProviderToolCall,
    Reasoning,
    Source,
)
from chat.entries import StoredEntry, storable_entry
from chat.runs.journal.chunk_writer import ChunkWriter
from chat.runs.journal.deferred_reset import DeferredReset
from chat.runs.journal.live_artifacts import LiveArtifacts
from chat.runs.journal.model_calls import RunCalls
from chat.runs.journal.open_parts import OpenPartKind, ShownPart, StreamedParts, checkpoint_entries, checkpoint_length
from chat.storage.leases import Checkpoint
from chat.storage.loaded_run import LoadedRun
from chat.stream.chunks import Chunk, atomic_entry_chunks, data_chunk, entry_chunks, replay_chunks
from chat.stream.delta_merging import merge_deltas
from chat.stream.log_takeover import FormerLog
from chat.stream.shown_length import ShownLength


class AnswerStream:
    """The chunks of one run.

    Deltas of a response are published at once and kept in `parts` until the response's entries are stored.
    """

    # Set by the run's owner before anything is published. Not an argument, because the writer needs the journal's `snapshot`.
    writer: ChunkWriter

    def __init__(self, run: LoadedRun, calls: RunCalls, *, metadata: dict[str, Any]) -> None:
        self._run, self._calls, self._metadata = run, calls, metadata
        self.parts = StreamedParts()
        self.artifacts = LiveArtifacts()
        self.step = run.step  # the last one that was started
        self._step_open = False
        self._announced_step = 0
        self._part_count = 0
        self._deferred_reset: DeferredReset | None = None  # what the former owner showed is still on screens
        self._final_chunks: list[Chunk] = []

    @property
    def visible_step(self) -> int:
        """The last step that viewers have seen, to which new entries belong.

        It is ahead of `step` when a former owner announced a step and died before it stored anything.
        """
        return max(self.step, self._announced_step)

    def begin(self) -> None:
        """Publish the first chunk of a new run."""
        self.writer.publish(self._start_chunk())

    def start_step(self, step: int) -> None:
        """Announce the step, unless a former owner has."""
        self.step, self._step_open = step, True
        if step > self._announced_step:
            self._announced_step = step
            self.writer.publish({"type": "start-step"})

    def finish_step(self) -> None:
        self._step_open = False
        self.writer.publish({"type": "finish-step"})

    def delta(self, kind: OpenPartKind, text: str) -> None:
        """Publish a piece of text or reasoning."""
        text = text.replace("\x00", "")
        if not text:
            return
        current = self.parts.open_for(kind)
        if current is None:
            self.end_part()
            current = self.parts.begin(kind, self._new_part_id())
            self.writer.publish(current.start_chunk())
        current.add(text)
        self.writer.publish(current.delta_chunk(text))

    def provider_part(self, part: ProviderPart) -> None:
        self.end_part()
        shown_part = self.parts.add(storable_entry(part))
        for chunk in shown_part.chunks():
            self.writer.publish(chunk)

    def data(self, part: DataPart) -> None:
        self.artifacts.record(part)
        self.writer.publish(data_chunk(part))

    def end_part(self) -> None:
        """Close the open text or reasoning, if there is one."""
        chunk = self.parts.end()
        if chunk is not None:
            self.writer.publish(chunk)

    def publish_entries(self, entries: Sequence[StoredEntry], shown_parts: Sequence[ShownPart | None]) -> None:
        """Publish the entries of a response. `shown_parts`: the part that has shown each already, or None."""
        self.parts.clear()
        for entry, part in zip(entries, shown_parts, strict=True):
            if isinstance(entry.entry, ArtifactReference) and entry.entry.status == "streaming":
                self.artifacts.mark_stored(entry.entry.artifact_id)
                continue
            if part is None:
                for chunk in entry_chunks(entry, self._new_part_id()):
                    self.writer.publish(chunk)
            if isinstance(entry.entry, ArtifactReference):
                self.artifacts.drop(entry.entry.artifact_id)

    def publish_end(self, notices: Iterable[StoredEntry], finish_reason: str, error_text: str) -> None:
        """Publish the notices and the last chunk of a run that is over."""
        self.parts.clear()
        for notice in notices:
            for chunk in atomic_entry_chunks(notice):
                self.writer.publish(chunk)
        if error_text:
            self._publish_last({"type": "error", "errorText": error_text})
        else:
            self._publish_last({"type": "finish", "finishReason": finish_reason, "messageMetadata": self._final_metadata()})

    def publish_pause(self, waiting_for: str) -> None:
        """Publish the last chunk of a run that waits."""
        metadata = {**self._final_metadata(), "waiting": waiting_for}
        self._publish_last({"type": "finish", "finishReason": "tool-calls", "messageMetadata": metadata})

    def _publish_last(self, last: Chunk) -> None:
        self._final_chunks = [{"type": "finish-step"}, last] if self._step_open else [last]
        for chunk in self._final_chunks:
            self.writer.publish(chunk)

    # What a former owner left.

    def take_over(self, former_log: FormerLog, entries: Sequence[StoredEntry]) -> None:
        """Continue a log that another process left.

        Clients drop what they have of its last step. They get what is stored of it, and later steps that were stored but never shown. But
        not before the new attempt has passed the text that they have.
        """
        announced_step = former_log.steps
        if announced_step:
            unsure = [entry for entry in entries if entry.step >= announced_step]
            self._hold(former_log.shown_length, replay_chunks(unsure, first_step=announced_step))
        self._announced_step = max(announced_step, self.step)
        self._step_open = self._announced_step > 0
        self._calls.has_lost_call = self._run.takeovers > 0 and announced_step > max(self._run.step, self._run.logged_step)

    def start_over(self, entries: Sequence[StoredEntry]) -> None:
        """Continue without a log. The writer's first flush is a snapshot, which contains what is stored, and what was shown and is not."""
        has_open_text = bool(self._run.open_text)  # of the step after those that are stored
        self._announced_step = max([self.step + has_open_text, *(entry.step for entry in entries)])
        self._step_open = self._announced_step > 0
        if has_open_text:
            self._hold(ShownLength(), ())

    def _hold(self, length: ShownLength, chunks: Iterable[Chunk]) -> None:
        """Leave what was shown on screens until the new attempt has passed it. `length`: by the log, which may have been lost."""
        length = length.or_longer(checkpoint_length(self._run.open_text))
        self.writer = self._deferred_reset = DeferredReset(self.writer, length, self.end_hold)
        self._deferred_reset.begin(chunks)

    def end_hold(self) -> None:
        """Show the new attempt in place of the former owner's, now at the latest."""
        if (deferred_reset := self._deferred_reset) is not None:
            self._deferred_reset, self.writer = None, deferred_reset.writer
            deferred_reset.release()

    def keep_longer_text(self) -> None:
        """At the end of a run: close what is open, and keep the former owner's text if the new attempt has not passed it."""
        self.end_part()
        deferred_reset = self._deferred_reset
        if deferred_reset is not None and not self.parts.length.has_passed(checkpoint_length(self._run.open_text)):
            deferred_reset.release_without_attempt()
            self.parts.clear()
            self.restore_open_text()
        self.end_hold()
        self.end_part()

    def restore_open_text(self) -> None:
        """Publish what the former owner showed and did not store, for a run that ends now instead of continuing."""
        for entry in checkpoint_entries(self._run.open_text):
            match entry:
                case AssistantText(text=text):
                    self.delta("text", text)
                case Reasoning(text=text):
                    self.delta("reasoning", text)
                case ProviderToolCall() | Source() | AnswerFile():
                    self.provider_part(entry)

    # For a lost log, and for a lost owner.

    def snapshot(self, entries: Sequence[StoredEntry]) -> list[Chunk]:
        """Return all chunks so far, compact, to rewrite a lost log."""
        chunks = [self._start_chunk(), *replay_chunks(entries, first_step=0)]
        if self._step_open and (not entries or entries[-1].step < self.visible_step):
            chunks += [{"type": "finish-step"}] * (self.visible_step > 1) + [{"type": "start-step"}]
        chunks += self.parts.chunks() if self._deferred_reset is None else self._interrupted_chunks()
        chunks += self.artifacts.chunks()
        return list(merge_deltas([*chunks, *self._final_chunks]))

    def _interrupted_chunks(self) -> Iterator[Chunk]:
        """Yield what the former owner showed and did not store."""
        for entry in checkpoint_entries(self._run.open_text):
            yield from entry_chunks(StoredEntry(entry, self.visible_step), self._new_part_id())

    def checkpoint(self, position: int) -> Checkpoint | None:
        """Return what was shown and spent since the last checkpoint; None: nothing. `position`: how many entries are stored."""
        checkpoint = self.parts.checkpoint(position, self._calls.news)
        if checkpoint is not None and self._deferred_reset is None:
            self.writer.publish({"type": "message-metadata", "messageMetadata": self._calls.estimated_metadata()})
        return checkpoint

    def _new_part_id(self) -> str:
        self._part_count += 1
        return f"e{self._run.epoch}s{self.step}-{self._part_count}"

    def _start_chunk(self) -> Chunk:
        return {"type": "start", "messageId": str(self._run.answer_id), "messageMetadata": self._metadata}

    def _final_metadata(self) -> dict[str, Any]:
        return {**self._metadata, **self._calls.metadata()}
