"""Converts entries to chunks of the AI SDK 7 UI message stream and to the parts of UIMessages (docs/protocol.md; PROTOCOLS a).

Pure functions. `message_parts` of stored entries equals what a client builds from the chunks of the stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agents.messages import (
    AnswerFile,
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    ClientOutput,
    ClientRequest,
    CompactedHistory,
    ContextData,
    DataPart,
    Entry,
    File,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    SubAgentEntry,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)
from chat.entries import StoredEntry
from chat.stream.tool_chunks import duration_metadata, provider_part, tool_change, tool_chunks, tool_part, tool_part_change

Chunk = dict[str, Any]

REMINDER_TEXT = "The assistant got a hint and tried again."
CONTEXT_TEXT = "Context: the documents of this chat."
PAGE_CONTEXT_TEXT = "Context: the page around the chat."
COMPACTION_TEXT = "Older messages were shortened for the model."
MAX_COMPACTION_DETAILS = 1000  # characters; the whole text may have hundreds of kilobytes, and each opening would send it
FILE_SCHEME = "parley-file"


def data_chunk(part: DataPart) -> Chunk:
    """Return the chunk of a data part."""
    chunk: Chunk = {"type": f"data-{part.name}", "data": dict(part.data)}
    if part.id is not None:
        chunk["id"] = part.id
    if part.transient:
        chunk["transient"] = True
    return chunk


def artifact_data(reference: ArtifactReference) -> dict[str, Any]:
    """Return the data of an artifact's data part (docs/protocol.md)."""
    return {
        "id": reference.artifact_id,
        "title": reference.title,
        "kind": reference.kind,
        "status": reference.status,
        "version": reference.version,
        "operation": reference.operation,
        "callId": reference.call_id,
    }


def notice_data(entry: Notice | AnswerFile | Reminder | ContextData | NoToolCallRetry | CompactedHistory) -> dict[str, Any]:
    """Return the data of a notice. Texts for the model become `details`, collapsed behind a line for the reader."""
    match entry:
        case Notice():
            notice = {"code": entry.code, "level": entry.level, "text": entry.text, "action": entry.action}
            return {**notice, "retryAt": entry.retry_at} if entry.retry_at else notice
        case AnswerFile():
            return {"code": "file_not_kept", "level": "warning", "text": entry.problem, "action": None}
        case Reminder():
            return _collapsed_notice(entry.code, REMINDER_TEXT, entry.text)
        case ContextData():
            return _collapsed_notice(f"told_{entry.name}", PAGE_CONTEXT_TEXT if entry.name == "page_state" else CONTEXT_TEXT, entry.text)
        case NoToolCallRetry():
            return _collapsed_notice("no_tool_call_retry", REMINDER_TEXT, entry.text)
        case CompactedHistory():
            return _collapsed_notice("compacted_history", COMPACTION_TEXT, _beginning(entry.text))


def _collapsed_notice(code: str, text: str, details: str) -> dict[str, Any]:
    return {"code": code, "level": "info", "text": text, "action": None, "details": details}


def _beginning(text: str) -> str:
    return text if len(text) <= MAX_COMPACTION_DETAILS else f"{text[:MAX_COMPACTION_DETAILS]}…"


def custom_data_part(entry: Entry) -> DataPart | None:
    """Return the data part of an entry for which the SDK has no part of its own, else None."""
    match entry:
        case ArtifactReference():
            return DataPart("artifact", artifact_data(entry), entry.artifact_id)
        case Notice() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return DataPart("notice", notice_data(entry))
        case WorkflowStep():
            return DataPart("workflow", {"text": entry.text, "state": entry.state})
        case ClientData():
            return DataPart(entry.name, entry.data, entry.id)
        case _:
            return None


def entry_chunks(stored_entry: StoredEntry, part_id: str) -> Iterator[Chunk]:
    """Yield the chunks of an entry that was not streamed. `part_id`: the id of its text or reasoning part."""
    match stored_entry.entry:
        case AssistantText(text=text):
            yield {"type": "text-start", "id": part_id}
            yield {"type": "text-delta", "id": part_id, "delta": text}
            yield {"type": "text-end", "id": part_id}
        case Reasoning(text=text):
            yield {"type": "reasoning-start", "id": part_id}
            yield {"type": "reasoning-delta", "id": part_id, "delta": text}
            yield {"type": "reasoning-end", "id": part_id, **duration_metadata(stored_entry.duration_ms)}
        case _:
            yield from atomic_entry_chunks(stored_entry)


def atomic_entry_chunks(stored_entry: StoredEntry) -> Iterator[Chunk]:
    """Yield the chunks of an entry that has no deltas."""
    match entry := stored_entry.entry:
        case ToolCall() | ProviderToolCall() | ToolResult() | ApprovalRequest() | ApprovalResponse() | ClientRequest() | ClientOutput():
            yield from tool_chunks(entry, stored_entry.duration_ms)
        case Source() | AnswerFile() | File(from_tool=True):
            yield _atomic_part(entry)
        case SubAgentEntry():
            yield agent_step_data(stored_entry)
        case UserMessage() if entry.id:
            yield {"type": "steering-message", "id": entry.id, "parts": [{"type": "text", "text": entry.text}]}
        case _ if data := custom_data_part(entry):
            yield data_chunk(data)
        case _:  # text and reasoning, which have deltas, and the question
            return


def _atomic_part(entry: Source | AnswerFile | File) -> dict[str, Any]:
    """Return a value that is both chunk and part, because the SDK keeps its fields. A file's name fits only into the metadata."""
    match entry:
        case Source(url=url, title=title):
            return {"type": "source-url", "sourceId": url, "url": url, "title": title}
        case AnswerFile(id=""):
            return data_chunk(DataPart("notice", notice_data(entry)))
        case AnswerFile() | File():
            file_id, name, media_type, size_bytes = entry.id, entry.name, entry.media_type, entry.size_bytes
            metadata = {"parley": {"filename": name, "sizeBytes": size_bytes}}
            return {"type": "file", "mediaType": media_type, "url": f"{FILE_SCHEME}:{file_id}", "providerMetadata": metadata}


def replay_chunks(entries: Iterable[StoredEntry], *, first_step: int = 1) -> Iterator[Chunk]:
    """Yield the compact chunks of stored entries. `first_step`: the step whose `start-step` was sent already; 0: none."""
    step = first_step
    for number, stored_entry in enumerate(entries):
        if stored_entry.step > step:
            if step:
                yield {"type": "finish-step"}
            yield {"type": "start-step"}
            step = stored_entry.step
        yield from entry_chunks(stored_entry, f"r{stored_entry.step}-{number}")


def message_parts(entries: Iterable[StoredEntry]) -> list[dict[str, Any]]:
    """Return the `parts` of a UIMessage. All of them are finished."""
    parts: list[dict[str, Any]] = []
    parts_by_id: dict[str, dict[str, Any]] = {}
    step = 0
    for stored_entry in entries:
        if stored_entry.step > step:
            parts.append({"type": "step-start"})
            step = stored_entry.step
        part = _message_part(stored_entry, parts_by_id)
        if part is not None:
            parts.append(part)
    return parts


def _message_part(stored_entry: StoredEntry, parts_by_id: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Return one part, or None if the entry changed an earlier part in place (a tool's result, a decision, a data part's next state).

    `parts_by_id`: the message's parts that can change, by the id of their tool call or by name and id of the data part.
    """
    match stored_entry.entry:
        case Source() | AnswerFile() | File(from_tool=True) as entry:
            return _atomic_part(entry)
        case UserMessage() | File() as entry:
            return _user_part(entry)
        case AssistantText(text=text):
            return {"type": "text", "text": text, "state": "done"}
        case Reasoning(text=text):
            return {"type": "reasoning", "text": text, "state": "done", **duration_metadata(stored_entry.duration_ms)}
        case ToolCall() as call:
            parts_by_id[call.id] = tool_part(call)
            return parts_by_id[call.id]
        case ProviderToolCall() as call:
            return provider_part(call)
        case ToolResult() | ApprovalRequest() | ApprovalResponse() | ClientRequest() | ClientOutput() as change:
            if change.call_id in parts_by_id:
                tool_part_change(parts_by_id[change.call_id], tool_change(change, stored_entry.duration_ms))
            return None
        case SubAgentEntry():
            return agent_step_data(stored_entry)
        case other:
            return _data_part(custom_data_part(other), parts_by_id)


def agent_step_data(stored_entry: StoredEntry) -> dict[str, Any]:
    """Return an entry of a sub-agent, as a value that is both chunk and part.

    It holds either a `part` of the sub-agent's answer or a `change` to the part of one of its tool calls.
    """
    assert isinstance(stored_entry.entry, SubAgentEntry)
    outer, inner = stored_entry.entry, StoredEntry(stored_entry.entry.entry, stored_entry.step, stored_entry.duration_ms)
    content: dict[str, Any]
    if isinstance(inner.entry, ToolResult | ApprovalRequest | ApprovalResponse):
        content = {"change": {"toolCallId": inner.entry.call_id, **tool_change(inner.entry, inner.duration_ms)}}
    else:
        content = {"part": _message_part(inner, {})}
    return {"type": "data-agent-step", "data": {"callId": outer.call_id, "agent": outer.agent, **content}}


def _user_part(entry: UserMessage | File) -> dict[str, Any] | None:
    """Return the part of what a person sent, or None for a message without text. Files from a model are AnswerFiles."""
    match entry:
        case File(id=file_id, name=name, media_type=media_type):
            return {"type": "file", "mediaType": media_type, "filename": name, "url": f"{FILE_SCHEME}:{file_id}"}
        case UserMessage(text=text, id=""):
            return {"type": "text", "text": text} if text else None
        case UserMessage(text=text, id=message_id):
            return {"type": "steering-message", "id": message_id, "parts": [{"type": "text", "text": text}]}


def _data_part(data: DataPart | None, parts_by_id: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    assert data is not None, "every other kind is shown as data"
    if data.id is None:
        return data_chunk(data)
    place = f"{data.name}/{data.id}"
    if place in parts_by_id:
        parts_by_id[place]["data"] = dict(data.data)
        return None
    parts_by_id[place] = data_chunk(data)
    return parts_by_id[place]
