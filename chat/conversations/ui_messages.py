"""Messages and answers as the browser gets them: UI messages, their metadata, and the chunks of a complete answer (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from agents.messages import Notice
from chat.conversations.shapes import MessageItem
from chat.entries import StoredEntry
from chat.models import WAITING_FOR, Message, Run
from chat.storage.run_loading import stored_entries
from chat.stream.chunks import Chunk, message_parts, replay_chunks


def ui_message(message: Message, entries: Iterable[StoredEntry]) -> MessageItem:
    role: Literal["user", "assistant"] = "user" if message.role == Message.Role.USER else "assistant"
    return MessageItem(id=message.pk, role=role, metadata=message_metadata(message), parts=message_parts(entries))


def message_metadata(message: Message) -> dict[str, Any]:
    """Return the `messageMetadata` of a stored message (docs/protocol.md)."""
    metadata: dict[str, Any] = {"createdAt": message.created_at.isoformat()}
    if message.client_msg_id:
        metadata["clientId"] = message.client_msg_id
    if message.run is not None:
        metadata |= run_metadata(message.run)
    return metadata


def run_is_over(run_id: UUID) -> bool:
    """Return whether the run is not active: it has ended, or it waits."""
    return not Run.objects.filter(pk=run_id, status__in=Run.ACTIVE).exists()


def answer_chunks(run_id: UUID) -> list[Chunk] | None:
    """Return the compact chunks of the complete answer, or None while the run is active. Up to two queries."""
    run = Run.objects.select_related("answer").get(pk=run_id)
    if run.is_active:
        return None
    entries = stored_entries(run.answer_id)
    metadata = {"createdAt": run.answer.created_at.isoformat(), **run_metadata(run)}
    start: Chunk = {"type": "start", "messageId": str(run.answer_id), "messageMetadata": metadata}
    finish_step: list[Chunk] = [{"type": "finish-step"}] if any(entry.step for entry in entries) else []
    return [start, *replay_chunks(entries, first_step=0), *finish_step, _last_chunk(run, entries, metadata)]


def _last_chunk(run: Run, entries: Sequence[StoredEntry], metadata: dict[str, Any]) -> Chunk:
    if run.status == Run.Status.FAILED:
        notices = [entry.entry.text for entry in entries if isinstance(entry.entry, Notice)]
        return {"type": "error", "errorText": notices[-1] if notices else run.error_code}
    if run.status in Run.WAITING:
        return {"type": "finish", "finishReason": "tool-calls", "messageMetadata": metadata}
    reason = "interrupted" if run.status == Run.Status.STOPPED else "stop"
    return {"type": "finish", "finishReason": reason, "messageMetadata": metadata}


def run_metadata(run: Run) -> dict[str, Any]:
    """Return the run's part of `messageMetadata` (docs/protocol.md). `durationMs` leaves out the time that the run waited."""
    metadata: dict[str, Any] = {**run.display, "runId": str(run.pk), "waiting": WAITING_FOR.get(run.status)}
    if run.usage:
        metadata["usage"] = {
            "inputTokens": run.usage["input_tokens"],
            "outputTokens": run.usage["output_tokens"],
            "thinkingTokens": run.usage["thinking_tokens"],
        }
    if run.finished_at is not None:
        metadata["durationMs"] = max(0, duration_ms(run.created_at, run.finished_at) - run.waited_ms)
    return metadata


def duration_ms(start: datetime, end: datetime) -> int:
    return round((end - start).total_seconds() * 1000)
