"""AI SDK 7 UI message stream chunks and messages from entries (docs/protocol.md; PROTOCOLS a).

Pure. A stored message read by `message_parts` equals what a client builds from the chunks of the stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agents.artifact_agents.journal import utf16_length
from agents.engine.messages import (
    ArtifactReference,
    AssistantText,
    DataPart,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)
from chat.entries import StoredEntry

Chunk = dict[str, Any]


def data_chunk(part: DataPart) -> Chunk:
    chunk: Chunk = {"type": f"data-{part.name}", "data": dict(part.data)}
    if part.id is not None:
        chunk["id"] = part.id
    if part.transient:
        chunk["transient"] = True
    return chunk


def artifact_data(reference: ArtifactReference) -> dict[str, Any]:
    return {
        "id": reference.artifact_id,
        "title": reference.title,
        "kind": reference.kind,
        "status": reference.status,
        "version": reference.version,
        "operation": reference.operation,
        "callId": reference.call_id,
    }


def notice_data(notice: Notice | Reminder) -> dict[str, Any]:
    if isinstance(notice, Reminder):
        return {"code": "reminder", "level": "info", "text": notice.text, "action": None}
    return {"code": notice.code, "level": notice.level, "text": notice.text, "action": notice.action}


def duration_metadata(duration_ms: int | None, field: str = "providerMetadata") -> dict[str, Any]:
    """How long a part took. On a tool's part the SDK calls the field `resultProviderMetadata`."""
    return {} if duration_ms is None else {field: {"parley": {"durationMs": duration_ms}}}


def whole_entry_chunks(stored: StoredEntry, part_id: str) -> Iterator[Chunk]:
    """The chunks of an entry that was not streamed; `part_id` names its text or reasoning part."""
    match stored.entry:
        case AssistantText(text=text):
            yield {"type": "text-start", "id": part_id}
            yield {"type": "text-delta", "id": part_id, "delta": text}
            yield {"type": "text-end", "id": part_id}
        case Reasoning(text=text):
            yield {"type": "reasoning-start", "id": part_id}
            yield {"type": "reasoning-delta", "id": part_id, "delta": text}
            yield {"type": "reasoning-end", "id": part_id, **duration_metadata(stored.duration_ms)}
        case _:
            yield from closed_entry_chunks(stored)


def closed_entry_chunks(stored: StoredEntry) -> Iterator[Chunk]:
    """The chunks of an entry that has no deltas."""
    match entry := stored.entry:
        case ToolCall():
            yield {
                "type": "tool-input-available",
                "toolCallId": entry.id,
                "toolName": entry.name,
                "input": dict(entry.arguments),
                "dynamic": True,
            }
        case ToolResult(is_error=True):
            yield {"type": "tool-output-error", "toolCallId": entry.call_id, "errorText": str(entry.output), "dynamic": True}
        case ToolResult():
            yield {
                "type": "tool-output-available",
                "toolCallId": entry.call_id,
                "output": entry.output,
                "dynamic": True,
                **duration_metadata(stored.duration_ms),
            }
        case ArtifactReference():
            yield {"type": "data-artifact", "id": entry.artifact_id, "data": artifact_data(entry)}
        case Notice() | Reminder():
            yield {"type": "data-notice", "data": notice_data(entry)}
        case AssistantText() | Reasoning() | UserMessage():
            return


def replay_chunks(entries: Iterable[StoredEntry], *, first_step: int = 1) -> Iterator[Chunk]:
    """The compact chunks of stored entries. `first_step`: a step whose `start-step` was sent already (0: none was)."""
    step = first_step
    for number, stored in enumerate(entries):
        if stored.step > step:
            if step:
                yield {"type": "finish-step"}
            yield {"type": "start-step"}
            step = stored.step
        yield from whole_entry_chunks(stored, f"r{stored.step}-{number}")


def message_parts(entries: Iterable[StoredEntry]) -> list[dict[str, Any]]:
    """The `parts` of a UIMessage, finished parts only."""
    parts: list[dict[str, Any]] = []
    known: dict[str, dict[str, Any]] = {}
    step = 0
    for stored in entries:
        if stored.step > step:
            parts.append({"type": "step-start"})
            step = stored.step
        part = _message_part(stored, known)
        if part is not None:
            parts.append(part)
    return parts


def _message_part(stored: StoredEntry, known: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """One part, or None for what changes an earlier part in place: a tool's result, an artifact's next state.

    `known`: the message's parts that can change, by their tool call's or artifact's id.
    """
    match stored.entry:
        case UserMessage(text=text):
            return {"type": "text", "text": text}
        case AssistantText(text=text):
            return {"type": "text", "text": text, "state": "done"}
        case Reasoning(text=text):
            return {"type": "reasoning", "text": text, "state": "done", **duration_metadata(stored.duration_ms)}
        case ToolCall() as call:
            known[call.id] = _tool_part(call)
            return known[call.id]
        case ToolResult() as result:
            if result.call_id in known:
                known[result.call_id].update(_tool_output(result, stored.duration_ms))
            return None
        case ArtifactReference(artifact_id=artifact_id) as reference if artifact_id in known:
            known[artifact_id]["data"] = artifact_data(reference)
            return None
        case ArtifactReference(artifact_id=artifact_id) as reference:
            known[artifact_id] = {"type": "data-artifact", "id": artifact_id, "data": artifact_data(reference)}
            return known[artifact_id]
        case (Notice() | Reminder()) as notice:
            return {"type": "data-notice", "data": notice_data(notice)}


def _tool_part(call: ToolCall) -> dict[str, Any]:
    return {
        "type": "dynamic-tool",
        "toolName": call.name,
        "toolCallId": call.id,
        "state": "input-available",
        "input": dict(call.arguments),
    }


def _tool_output(result: ToolResult, duration_ms: int | None) -> dict[str, Any]:
    if result.is_error:
        return {"state": "output-error", "errorText": str(result.output)}
    return {"state": "output-available", "output": result.output, **duration_metadata(duration_ms, "resultProviderMetadata")}


def compact(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Merge runs of deltas of one part, so that a replay costs one chunk a part."""
    held: Chunk | None = None
    for chunk in chunks:
        if held is not None and merge_delta(held, chunk):
            continue
        if held is not None:
            yield held
        held = {**chunk, "data": dict(chunk["data"])} if chunk["type"] == "data-artifact-delta" else dict(chunk)
    if held is not None:
        yield held


def merge_delta(held: Chunk, chunk: Mapping[str, Any]) -> bool:
    """Add `chunk` to `held` when both are deltas of one part; False (and nothing changed) when they are not."""
    kind = chunk["type"]
    if held["type"] != kind:
        return False
    if kind in ("text-delta", "reasoning-delta") and held["id"] == chunk["id"]:
        held["delta"] += chunk["delta"]
        return True
    if kind == "data-artifact-delta":
        before, after = held["data"], chunk["data"]
        if before["id"] == after["id"] and after["at"] == before["at"] + utf16_length(before["delta"]):
            before["delta"] += after["delta"]
            return True
    return False
