"""Context entries as JSON and back: the only place that knows how an entry is stored, in a conversation or in the call log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from typing import Any, get_type_hints

from agents.engine.messages import (
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

KINDS: Mapping[str, type[Entry]] = {
    "user_message": UserMessage,
    "file": File,
    "assistant_text": AssistantText,
    "reasoning": Reasoning,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
    "provider_tool_call": ProviderToolCall,
    "source": Source,
    "answer_file": AnswerFile,
    "artifact_reference": ArtifactReference,
    "reminder": Reminder,
    "context_data": ContextData,
    "no_tool_call_retry": NoToolCallRetry,
    "workflow_step": WorkflowStep,
    "compacted_history": CompactedHistory,
    "approval_request": ApprovalRequest,
    "approval_response": ApprovalResponse,
    "client_request": ClientRequest,
    "client_output": ClientOutput,
    "client_data": ClientData,
    "notice": Notice,
    "sub_agent": SubAgentEntry,
}
_KIND_OF = {entry_type: kind for kind, entry_type in KINDS.items()}
_APART = ("extras", "unsaved")
_FIELDS = {kind: tuple(field.name for field in fields(entry_type) if field.name not in _APART) for kind, entry_type in KINDS.items()}
_NAMES = {kind: frozenset(names) for kind, names in _FIELDS.items()}
_ENUMS = {
    kind: enums
    for kind, entry_type in KINDS.items()
    if (enums := {name: hint for name, hint in get_type_hints(entry_type).items() if isinstance(hint, type) and issubclass(hint, Enum)})
}
# Those whose content is text, truth and sizes, and never a value that a model or a tool chose.
TEXT_KINDS = frozenset(
    ("user_message", "file", "assistant_text", "reasoning", "source", "artifact_reference", "reminder", "context_data", "notice")
)

Content = dict[str, Any]
EncodedEntry = tuple[str, Content, Content | None]


def entry_encode(entry: Entry) -> EncodedEntry:
    """(kind, content, extras), keys in the order of the entry's own."""
    if isinstance(entry, SubAgentEntry):
        inner, content, extras = entry_encode(entry.entry)
        return "sub_agent", {"call_id": entry.call_id, "agent": entry.agent, "kind": inner, "content": content}, extras
    kind = _KIND_OF[type(entry)]
    extras = getattr(entry, "extras", None)
    return kind, {name: getattr(entry, name) for name in _FIELDS[kind]}, None if extras is None else dict(extras)


def entry_decode(kind: str, content: Content, extras: Content | None) -> Entry:
    """The inverse of `entry_encode`; keys that a later version added are left out."""
    if kind == "sub_agent":
        return SubAgentEntry(content["call_id"], content["agent"], entry_decode(content["kind"], content["content"], extras))
    known = content if content.keys() <= _NAMES[kind] else {name: value for name, value in content.items() if name in _NAMES[kind]}
    if enums := _ENUMS.get(kind):
        known = known | {name: enum(known[name]) for name, enum in enums.items() if name in known}
    if extras is not None:
        known = {**known, "extras": extras}
    return KINDS[kind](**known)
