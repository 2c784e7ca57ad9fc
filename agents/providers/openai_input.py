"""A conversation's entries as the `input` of a Responses request. Reasoning items that came from the API go back verbatim.

Sources: https://developers.openai.com/api/docs/guides/reasoning, https://developers.openai.com/api/docs/guides/function-calling.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from agents.engine.messages import (
    ApprovalRequest,
    ApprovalResponse,
    ArtifactReference,
    AssistantText,
    ClientData,
    CompactedHistory,
    Entry,
    Extras,
    File,
    Notice,
    NoToolCallRetry,
    ProviderToolCall,
    Reasoning,
    Reminder,
    Source,
    ToolCall,
    ToolResult,
    UserMessage,
    WorkflowStep,
)
from agents.providers.openai_values import arguments_text, call_id, output_text, own_extras
from agents.providers.tagged import tagged_text

Item = dict[str, Any]
LONGEST_CALL_ID = 64


def input_of(entries: Iterable[Entry], provider: str, model: str) -> list[Item]:
    """The items, oldest first. Reasoning that led to nothing that is still there is left out: the API would refuse it.

    Messages and calls go back without their ids, which bind them to reasoning that may have left the context.
    """
    return _without_loose_reasoning([item for entry in entries for item in _items(entry, provider, model)])


def _items(entry: Entry, provider: str, model: str) -> list[Item]:
    match entry:
        case UserMessage(text=text):
            return [_said("user", text)] if text else []
        case File() | Reminder() | NoToolCallRetry() | CompactedHistory():
            return [_said("user", tagged_text(entry))]
        case AssistantText(text=text, extras=extras):
            own = own_extras(extras, provider, model)
            return [*_kept(own), *([_answered(text, own)] if text else [])]
        case Reasoning(extras=extras) | ProviderToolCall(extras=extras):
            return _kept(own_extras(extras, provider, model))
        case ToolCall(id=given, name=name, arguments=arguments, extras=extras):
            call = {"type": "function_call", "call_id": call_id(given, LONGEST_CALL_ID), "name": name}
            return [*_kept(own_extras(extras, provider, model)), call | {"arguments": arguments_text(arguments)}]
        case ToolResult(call_id=given):
            return [{"type": "function_call_output", "call_id": call_id(given, LONGEST_CALL_ID), "output": output_text(entry)}]
        case ArtifactReference() | WorkflowStep() | ApprovalRequest() | ApprovalResponse() | ClientData() | Source() | Notice():
            return []
        case _:
            assert_never(entry)


def _said(role: str, text: str) -> Item:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def _answered(text: str, own: Extras) -> Item:
    part = {"type": "refusal", "refusal": text} if own.get("refusal") else {"type": "output_text", "text": text}
    phase = {"phase": own["phase"]} if own.get("phase") else {}
    return {"type": "message", "role": "assistant", "content": [part], **phase}


def _kept(own: Extras) -> list[Item]:
    return list(own.get("items", ()))


def _without_loose_reasoning(items: list[Item]) -> list[Item]:
    kept, followed = list[Item](), False
    for item in reversed(items):
        if item["type"] != "reasoning":
            followed = item["type"] == "function_call" or item.get("role") == "assistant"
        elif not followed:
            continue
        kept.append(item)
    return kept[::-1]
