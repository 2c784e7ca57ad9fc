"""A conversation's entries as the `input` of a Responses request. Items that only the API can read go back verbatim.

Sources: https://developers.openai.com/api/docs/guides/reasoning, .../guides/function-calling, .../guides/images-vision, .../guides/file-inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, assert_never

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
    Extras,
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
from agents.providers.files import NO_FILES, base64_text, data_url, native_kind, with_made_files
from agents.providers.openai.values import arguments_text, call_id, output_text, own_extras
from agents.providers.tagged import file_label, tagged_text

Item = dict[str, Any]
LONGEST_CALL_ID = 64


# Items of tools that the API ran itself. They go back with their ids, which bind them to the reasoning that led to them.
HOSTED = ("web_search_call", "code_interpreter_call", "image_generation_call")
AFTER = "after"
_FILES = (File, AnswerFile)


def input_of(entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes] = NO_FILES) -> list[Item]:
    """The items, oldest first. Reasoning that led to nothing that is still there is left out: the API would refuse it.

    So is what the API looked up after reasoning that is not there any more. Messages and calls go back without their ids, which bind them
    to reasoning that may have left the context.
    """
    items = list[Item]()
    for entry in with_made_files(entries, provider, model, attachments, returns=True):
        items += _with_file(entry, provider, model, attachments) if isinstance(entry, _FILES) else _items(entry, provider, model)
    return _without_loose_reasoning(_without_loose_lookups(items))


def _with_file(entry: File | AnswerFile, provider: str, model: str, attachments: Mapping[str, bytes]) -> list[Item]:
    if isinstance(entry, File):
        return _file(entry, attachments)
    result = base64_text(attachments[entry.id])
    items = _kept(own_extras(entry.extras, provider, model))
    return [item | {"result": result} if item["type"] == "image_generation_call" else item for item in items]


def _file(file: File, attachments: Mapping[str, bytes]) -> list[Item]:
    kind = native_kind(file, attachments)
    if kind is None:
        return [_said("user", tagged_text(file))]
    url = data_url(file, attachments[file.id])
    if kind == "pdf":
        return [_message("user", {"type": "input_file", "filename": file.name, "file_data": url})]
    return [_message("user", {"type": "input_text", "text": file_label(file)}, {"type": "input_image", "image_url": url})]


def _items(entry: Entry, provider: str, model: str) -> list[Item]:
    match entry:
        case UserMessage(text=text):
            return [_said("user", text)] if text else []
        case AssistantText(text=text, extras=extras):
            own = own_extras(extras, provider, model)
            return [*_kept(own), *([_answered(text, own)] if text else [])]
        case File() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return [_said("user", tagged_text(entry))]
        case Reasoning(extras=extras) | ProviderToolCall(extras=extras):
            return _kept(own_extras(extras, provider, model))
        case ToolCall(id=given, name=name, arguments=arguments, extras=extras):
            call = {"type": "function_call", "call_id": call_id(given, LONGEST_CALL_ID), "name": name}
            return [*_kept(own_extras(extras, provider, model)), call | {"arguments": arguments_text(arguments)}]
        case ToolResult(call_id=given):
            return [{"type": "function_call_output", "call_id": call_id(given, LONGEST_CALL_ID), "output": output_text(entry)}]
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


def _said(role: str, text: str) -> Item:
    return _message(role, {"type": "input_text", "text": text})


def _message(role: str, *parts: Item) -> Item:
    return {"type": "message", "role": role, "content": list(parts)}


def _answered(text: str, own: Extras) -> Item:
    part = {"type": "refusal", "refusal": text} if own.get("refusal") else {"type": "output_text", "text": text}
    phase = {"phase": own["phase"]} if own.get("phase") else {}
    return {"type": "message", "role": "assistant", "content": [part], **phase}


def _kept(own: Extras) -> list[Item]:
    """The items as they came. One that the API ran a tool for is with the id of the reasoning that led to it, "" for none."""
    return [item | ({AFTER: own.get(AFTER, "")} if item["type"] in HOSTED else {}) for item in own.get("items", ())]


def _without_loose_lookups(items: Iterable[Item]) -> list[Item]:
    kept, reasoned = list[Item](), {""}
    for item in items:
        if item["type"] == "reasoning":
            reasoned.add(item["id"])
        if item["type"] not in HOSTED or item[AFTER] in reasoned:
            kept.append({name: value for name, value in item.items() if name != AFTER} if AFTER in item else item)
    return kept


def _without_loose_reasoning(items: list[Item]) -> list[Item]:
    if not any(item["type"] == "reasoning" for item in items):
        return items
    kept, followed = list[Item](), False
    for item in reversed(items):
        if item["type"] != "reasoning":
            followed = item["type"] == "function_call" or item["type"] in HOSTED or item.get("role") == "assistant"
        elif not followed:
            continue
        kept.append(item)
    return kept[::-1]
