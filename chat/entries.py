"""Context entries as rows and back: the only place that knows how an entry is stored."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import orjson

from agents.engine.messages import (
    ArtifactReference,
    AssistantText,
    Entry,
    Notice,
    Reasoning,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)

KINDS: dict[str, type[Entry]] = {
    "user_message": UserMessage,
    "assistant_text": AssistantText,
    "reasoning": Reasoning,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
    "artifact_reference": ArtifactReference,
    "reminder": Reminder,
    "notice": Notice,
}
_KIND_OF = {entry_type: kind for kind, entry_type in KINDS.items()}
_FIELDS = {kind: tuple(f.name for f in fields(entry_type) if f.name != "extras") for kind, entry_type in KINDS.items()}


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with what its row adds: the step it belongs to (0: none) and how long it took."""

    entry: Entry
    step: int = 0
    duration_ms: int | None = None


def entry_to_row(entry: Entry) -> tuple[str, dict[str, Any], dict[str, Any] | None]:
    """Return (kind, content, extras) for a Part row."""
    kind = _KIND_OF[type(entry)]
    extras = getattr(entry, "extras", None)
    content = {name: getattr(entry, name) for name in _FIELDS[kind]}
    return kind, _storable(content), _storable(dict(extras)) if extras is not None else None


def entry_from_row(kind: str, content: dict[str, Any], extras: dict[str, Any] | None) -> Entry:
    """The inverse of `entry_to_row`; keys that a later version added are left out."""
    known = {name: content[name] for name in _FIELDS[kind] if name in content}
    if extras is not None:
        known["extras"] = extras
    return KINDS[kind](**known)


def _storable(value: Any) -> Any:
    """`value` without NUL characters, which models do send and PostgreSQL's jsonb refuses."""
    if b"\\u0000" not in orjson.dumps(value):
        return value
    return _without_nul(value)


def _without_nul(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\x00", "")
        case dict():
            return {_without_nul(key): _without_nul(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_nul(item) for item in value]
        case _:
            return value
