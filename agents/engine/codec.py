"""Context entries as JSON and back: the only place that knows how an entry is stored, in a conversation or in the call log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from enum import Enum
from itertools import repeat
from operator import itemgetter
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
# How each field of an entry is set, as its frozen `__init__` does it; MISSING: it has no default.
_SETTERS: Mapping[str, Sequence[tuple[str, Callable[[Entry, Any], None], Any]]] = {
    kind: [(field.name, getattr(entry_type, field.name).__set__, field.default) for field in fields(entry_type)]
    for kind, entry_type in KINDS.items()
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


def entries_decode(kinds: Sequence[str], contents: Sequence[Content], extras: Sequence[Content | None]) -> list[Entry]:
    """What `entry_decode` makes of each, in a third of the time: all of one kind together, a field at a time."""
    of_kind = {kind: _OneKind() for kind in set(kinds)}
    for kind, content, given in zip(kinds, contents, extras, strict=True):
        alike = of_kind[kind]
        alike.contents.append(content)
        alike.extras.append(given)
    decoded = {kind: iter(alike.decoded(kind)) for kind, alike in of_kind.items()}
    return [next(decoded[kind]) for kind in kinds]


class _OneKind:
    """Encoded entries of one kind."""

    def __init__(self) -> None:
        self.contents: list[Content] = []
        self.extras: list[Content | None] = []

    def decoded(self, kind: str) -> Sequence[Entry]:
        if kind == "sub_agent":
            return list(map(entry_decode, repeat(kind), self.contents, self.extras))
        entries: Sequence[Entry] = list(map(object.__new__, repeat(KINDS[kind], len(self.contents))))
        for name, set_field, default in _SETTERS[kind]:
            deque(map(set_field, entries, self._values(kind, name, default)), maxlen=0)
        return entries

    def _values(self, kind: str, name: str, default: Any) -> Iterable[Any]:
        """Of one field, for each of the entries."""
        if name in _APART:
            return self.extras if name == "extras" else repeat(default)
        if default is MISSING:
            return map(itemgetter(name), self.contents)
        values = [content.get(name, default) for content in self.contents]
        enum = _ENUMS.get(kind, {}).get(name)
        return map(enum, values) if enum else values
