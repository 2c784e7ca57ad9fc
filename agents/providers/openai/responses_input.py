"""Converts conversation entries into the `input` of a Responses request. Items that only the API can read go back verbatim.

Sources: https://developers.openai.com/api/docs/guides/reasoning, .../guides/function-calling, .../guides/images-vision,
.../guides/file-inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

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
    Notice,
    NoToolCallRetry,
    ProviderMetadata,
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
from agents.providers.native_files import NO_FILES, base64_text, data_url, native_kind, with_model_files_as_files
from agents.providers.openai.conversions import arguments_text, call_id, output_text, own_metadata

Item = dict[str, Any]
MAX_CALL_ID_CHARS = 64


# Items of tools that the API ran itself. They go back with their ids, which bind them to the reasoning that led to them.
HOSTED = ("web_search_call", "code_interpreter_call", "image_generation_call")
AFTER = "after"
_FILES = (File, AnswerFile)


def build_input(entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes] = NO_FILES) -> list[Item]:
    """Return the items, oldest first.

    Left out is what the API would refuse: reasoning whose result is gone, and hosted tool items whose reasoning is gone.
    Messages and calls go back without ids, because ids bind them to reasoning that may have left the context.
    """
    items = list[Item]()
    for entry in with_model_files_as_files(entries, provider, model, attachments, takes_back_own_files=True):
        items += _with_file(entry, provider, model, attachments) if isinstance(entry, _FILES) else _items(entry, provider, model)
    return _drop_orphaned_reasoning(_drop_orphaned_tool_items(items))


def _with_file(entry: File | AnswerFile, provider: str, model: str, attachments: Mapping[str, bytes]) -> list[Item]:
    if isinstance(entry, File):
        return _file(entry, attachments)
    result = base64_text(attachments[entry.id])
    items = _own_items(own_metadata(entry.provider_metadata, provider, model))
    return [item | {"result": result} if item["type"] == "image_generation_call" else item for item in items]


def _file(file: File, attachments: Mapping[str, bytes]) -> list[Item]:
    kind = native_kind(file, attachments)
    if kind is None:
        return [_text_message("user", entry_as_tag(file))]
    url = data_url(file, attachments[file.id])
    if kind == "pdf":
        return [_message("user", {"type": "input_file", "filename": file.name, "file_data": url})]
    return [_message("user", {"type": "input_text", "text": file_label(file)}, {"type": "input_image", "image_url": url})]


def _items(entry: Entry, provider: str, model: str) -> list[Item]:
    match entry:
        case UserMessage(text=text):
            return [_text_message("user", text)] if text else []
        case AssistantText(text=text, provider_metadata=provider_metadata):
            own = own_metadata(provider_metadata, provider, model)
            return [*_own_items(own), *([_assistant_message(text, own)] if text else [])]
        case File() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return [_text_message("user", entry_as_tag(entry))]
        case Reasoning(provider_metadata=provider_metadata) | ProviderToolCall(provider_metadata=provider_metadata):
            return _own_items(own_metadata(provider_metadata, provider, model))
        case ToolCall(id=id_, name=name, arguments=arguments, provider_metadata=provider_metadata):
            call = {"type": "function_call", "call_id": call_id(id_, MAX_CALL_ID_CHARS), "name": name}
            return [*_own_items(own_metadata(provider_metadata, provider, model)), call | {"arguments": arguments_text(arguments)}]
        case ToolResult(call_id=id_):
            return [{"type": "function_call_output", "call_id": call_id(id_, MAX_CALL_ID_CHARS), "output": output_text(entry)}]
        case (
            ArtifactReference()
            | WorkflowStep()
            | ApprovalRequest()
            | ApprovalResponse()
            | ClientRequest()
            | ClientOutput()
            | ClientData()
            | Source()
            | AnswerFile()
            | Notice()
            | SubAgentEntry()
        ):
            return []
        case _:
            assert_never(entry)


def _text_message(role: str, text: str) -> Item:
    return _message(role, {"type": "input_text", "text": text})


def _message(role: str, *parts: Item) -> Item:
    return {"type": "message", "role": role, "content": list(parts)}


def _assistant_message(text: str, own: ProviderMetadata) -> Item:
    part = {"type": "refusal", "refusal": text} if own.get("refusal") else {"type": "output_text", "text": text}
    phase = {"phase": own["phase"]} if own.get("phase") else {}
    return {"type": "message", "role": "assistant", "content": [part], **phase}


def _own_items(own: ProviderMetadata) -> list[Item]:
    """Return the items unchanged, but mark those of hosted tools with the id of the reasoning that led to them ("" for none)."""
    return [item | ({AFTER: own.get(AFTER, "")} if item["type"] in HOSTED else {}) for item in own.get("items", ())]


def _drop_orphaned_tool_items(items: Iterable[Item]) -> list[Item]:
    items_kept, reasoning_ids = list[Item](), {""}
    for item in items:
        if item["type"] == "reasoning":
            reasoning_ids.add(item["id"])
        if item["type"] not in HOSTED or item[AFTER] in reasoning_ids:
            items_kept.append({name: value for name, value in item.items() if name != AFTER} if AFTER in item else item)
    return items_kept


def _drop_orphaned_reasoning(items: list[Item]) -> list[Item]:
    if not any(item["type"] == "reasoning" for item in items):
        return items
    items_kept, is_followed = list[Item](), False
    for item in reversed(items):
        if item["type"] != "reasoning":
            is_followed = item["type"] == "function_call" or item["type"] in HOSTED or item.get("role") == "assistant"
        elif not is_followed:
            continue
        items_kept.append(item)
    return items_kept[::-1]
