"""Converts conversation entries into the `messages` of a Chat Completions request.

Source: https://developers.openai.com/api/docs/guides/function-calling?api-mode=chat. Many servers of open models fill a template in which
user and assistant must alternate, so consecutive entries of one side share a message. Mistral's models refuse more, see `_for_mistral`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from typing import Any, Literal, assert_never

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
    Entry,
    File,
    NativeFileKind,
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
from agents.providers.entry_tags import entry_as_tag, file_label
from agents.providers.native_files import data_url, native_kind, with_model_files_as_files
from agents.providers.openai.conversions import arguments_text, call_id, is_mistral_model, output_text, own_metadata

Message = dict[str, Any]
Part = dict[str, Any]
Side = Literal["user", "assistant", "results", ""]
MAX_CALL_ID_CHARS = 40
MISTRAL_ID_CHARS = 9
AFTER_RESULTS = "I have the results."
_MISTRAL_ID = re.compile(rf"[a-zA-Z0-9]{{{MISTRAL_ID_CHARS}}}")


@dataclass(frozen=True, slots=True)
class FileAttachments:
    """The bytes of files, and the kinds of files that this server accepts natively."""

    attachments: Mapping[str, bytes] = field(default_factory=dict)
    kinds: frozenset[NativeFileKind] = frozenset()

    def parts(self, file: File) -> list[Part]:
        """Return the file as content parts; empty when it must be sent as text."""
        kind = native_kind(file, self.attachments)
        if kind not in self.kinds:
            return []
        url = data_url(file, self.attachments[file.id])
        if kind == "pdf":
            return [{"type": "file", "file": {"filename": file.name, "file_data": url}}]
        return [_text(file_label(file)), {"type": "image_url", "image_url": {"url": url}}]


def build_messages(
    entries: Iterable[Entry], system: str, provider: str, model: str, *, reasoning_field: str = "", files: FileAttachments | None = None
) -> list[Message]:
    """Return the system prompt and the entries as messages, oldest first.

    `reasoning_field`: the field in which the server wants a model's own reasoning back; "" for none.
    """
    files = files or FileAttachments()
    wire_entries = with_model_files_as_files(entries, provider, model, files.attachments)
    messages: list[Message] = [{"role": "system", "content": system}] if system else []
    for side, group in _grouped_by_side(wire_entries):
        if side == "assistant":
            messages.append(_assistant_message(group, provider, model, reasoning_field))
        elif side == "results":
            messages += [_result(entry) for entry in group if isinstance(entry, ToolResult)]
        else:
            messages.append({"role": "user", "content": _user_content(group, files)})
    return _for_mistral(messages) if is_mistral_model(model) else messages


def _for_mistral(messages: Sequence[Message]) -> list[Message]:
    """Return the messages as Mistral's models take them: short ids of calls, and an answer between results and the user.

    The user speaks after results when an answer was stopped, and when a tool adds a reminder or an image.
    Sources: https://github.com/anomalyco/opencode/issues/1680, https://github.com/zed-industries/zed/issues/37021.
    """
    mistral_messages = list[Message]()
    for before, message in pairwise([{"role": ""}, *messages]):
        if (before["role"], message["role"]) == ("tool", "user"):
            mistral_messages.append({"role": "assistant", "content": AFTER_RESULTS})
        mistral_messages.append(_with_mistral_ids(message))
    return mistral_messages


def _with_mistral_ids(message: Message) -> Message:
    if message["role"] == "tool":
        return message | {"tool_call_id": _mistral_id(message["tool_call_id"])}
    if calls := message.get("tool_calls"):
        return message | {"tool_calls": [call | {"id": _mistral_id(call["id"])} for call in calls]}
    return message


def _mistral_id(original_id: str) -> str:
    return original_id if _MISTRAL_ID.fullmatch(original_id) else sha256(original_id.encode()).hexdigest()[:MISTRAL_ID_CHARS]


def _grouped_by_side(entries: Iterable[Entry]) -> list[tuple[Side, list[Entry]]]:
    """Group consecutive entries of one side."""
    groups = _group_by_side((_side(entry), entry) for entry in entries)
    sent_groups = [group for group in groups if _is_sent(*group)]
    return (
        sent_groups if len(sent_groups) == len(groups) else _group_by_side((side, entry) for side, group in sent_groups for entry in group)
    )


def _group_by_side(pairs: Iterable[tuple[Side, Entry]]) -> list[tuple[Side, list[Entry]]]:
    groups, newest = list[tuple[Side, list[Entry]]](), ""
    for side, entry in pairs:
        if side == newest and side:
            groups[-1][1].append(entry)
        elif side:
            groups.append((side, [entry]))
            newest = side
    return groups


def _is_sent(side: Side, entries: Sequence[Entry]) -> bool:
    """Return whether a group is sent. An answer without text and calls is not, so the messages around it become one."""
    return side != "assistant" or any(isinstance(entry, ToolCall) or (isinstance(entry, AssistantText) and entry.text) for entry in entries)


def _user_content(entries: Sequence[Entry], files: FileAttachments) -> str | list[Part]:
    """Return plain text when there are no native files: many servers accept nothing else."""
    if not files.attachments:
        return "\n\n".join(map(_user_text, entries))
    parts = [part for entry in entries for part in _user_parts(entry, files)]
    if all(part["type"] == "text" for part in parts):
        return "\n\n".join(part["text"] for part in parts)
    return parts


def _user_parts(entry: Entry, files: FileAttachments) -> list[Part]:
    native = files.parts(entry) if isinstance(entry, File) else []
    return native or [_text(_user_text(entry))]


def _text(text: str) -> Part:
    return {"type": "text", "text": text}


def _side(entry: Entry) -> Side:
    """Return the entry's side; "" when it is not sent."""
    match entry:
        case UserMessage(text=text):
            return "user" if text else ""
        case AssistantText() | Reasoning() | ToolCall():
            return "assistant"
        case File() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return "user"
        case ToolResult():
            return "results"
        case (
            ArtifactReference()
            | WorkflowStep()
            | ApprovalRequest()
            | ApprovalResponse()
            | ClientRequest()
            | ClientOutput()
            | ClientData()
            | ProviderToolCall()
            | Source()
            | AnswerFile()
            | Notice()
            | SubAgentEntry()
        ):
            return ""
        case _:
            assert_never(entry)


def _user_text(entry: Entry) -> str:
    match entry:
        case File() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return entry_as_tag(entry)
        case _:
            return entry.text if isinstance(entry, UserMessage) else ""


def _assistant_message(entries: Sequence[Entry], provider: str, model: str, reasoning_field: str) -> Message:
    text = "".join(entry.text for entry in entries if isinstance(entry, AssistantText))
    calls = [_call(entry) for entry in entries if isinstance(entry, ToolCall)]
    message: Message = {"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {})
    own = [entry for entry in entries if isinstance(entry, Reasoning) and own_metadata(entry.provider_metadata, provider, model)]
    if reasoning_field and own:
        message[reasoning_field] = "".join(entry.text for entry in own)
    return message


def _call(entry: ToolCall) -> dict[str, Any]:
    function = {"name": entry.name, "arguments": arguments_text(entry.arguments)}
    return {"id": call_id(entry.id, MAX_CALL_ID_CHARS), "type": "function", "function": function}


def _result(entry: ToolResult) -> Message:
    return {"role": "tool", "tool_call_id": call_id(entry.call_id, MAX_CALL_ID_CHARS), "content": output_text(entry)}
