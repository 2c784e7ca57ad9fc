"""Converts conversation entries into the `messages` of a Claude request. Blocks that came from the API go back verbatim.

Sources: https://platform.claude.com/docs/en/api/messages, .../build-with-claude/thinking, .../build-with-claude/vision,
.../build-with-claude/pdf-support, .../agents-and-tools/tool-use/handle-tool-calls, .../agents-and-tools/tool-use/server-tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
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
from agents.providers.anthropic.server_tools import is_result
from agents.providers.entry_tags import entry_as_tag, file_label
from agents.providers.native_files import NO_FILES, base64_text, native_kind, sent_type, with_model_files_as_files

Block = dict[str, Any]
Message = dict[str, Any]
Role = Literal["user", "assistant"]

THINKING = ("thinking", "redacted_thinking")
MAX_IMAGE_CHARS = 5 * 1024 * 1024  # base64 characters; the API refuses a larger image together with the whole conversation
NO_OUTPUT = "(no output)"  # the result of a failed call must not be empty
_ASSISTANTS = frozenset({AssistantText, Reasoning, ToolCall, ProviderToolCall})
_FORBIDDEN_ID_CHARS = re.compile(r"[^a-zA-Z0-9_-]")


def build_messages(entries: Iterable[Entry], provider: str, model: str, attachments: Mapping[str, bytes] = NO_FILES) -> list[Message]:
    """Return the messages. Consecutive entries of one role share a message, in which the results of a step come first.

    Entries outside the context do not split a message. Reasoning goes back only with its signature, and never at the end of a message:
    the API refuses that, and an answer may have been cut while the model was thinking.
    """
    pairs = list[tuple[Role, Block]]()
    for entry in with_model_files_as_files(entries, provider, model, attachments):
        blocks = _file(entry, attachments) if isinstance(entry, File) else _blocks(entry, provider, model)
        role = _role(entry)
        pairs += [(role, block) for block in blocks]
    kinds = {block["type"] for _, block in pairs}
    messages = _group_by_role(pairs)
    if "server_tool_use" in kinds:
        messages = _drop_unfinished_tool_uses(messages)
    return messages if kinds.isdisjoint(THINKING) else _drop_trailing_thinking(messages)


def _file(file: File, attachments: Mapping[str, bytes]) -> list[Block]:
    kind = native_kind(file, attachments)
    data = base64_text(attachments[file.id]) if kind else ""
    if kind is None or (kind == "image" and len(data) > MAX_IMAGE_CHARS):
        return _text(entry_as_tag(file))
    source = {"type": "base64", "media_type": sent_type(file), "data": data}
    if kind == "pdf":
        return [{"type": "document", "source": source, "title": file.name}]
    return [*_text(file_label(file)), {"type": "image", "source": source}]


def _drop_unfinished_tool_uses(messages: list[Message]) -> list[Message]:
    """Drop uses of the API's own tools that never ran, as after a stop. They stay in a newest step with calls of our tools."""
    done = {block["tool_use_id"] for message in messages for block in message["content"] if is_result(block["type"])}
    newest = next((place for place in reversed(range(len(messages))) if messages[place]["role"] == "assistant"), -1)
    waits = newest >= 0 and any(block["type"] == "tool_use" for block in messages[newest]["content"])
    return _group_by_role(
        (message["role"], block)
        for place, message in enumerate(messages)
        for block in message["content"]
        if block["type"] != "server_tool_use" or block["id"] in done or (waits and place == newest)
    )


def waiting_container(entries: Sequence[Entry], provider: str, model: str, messages: Sequence[Message]) -> str:
    """Return the container in which code of the newest step waits to run, without which the API refuses to continue; "" for none.

    Source: https://github.com/anthropics/anthropic-sdk-python/issues/1801.
    """
    uses = {block["id"] for message in messages for block in message["content"] if block["type"] == "server_tool_use"}
    if not uses - {block["tool_use_id"] for message in messages for block in message["content"] if is_result(block["type"])}:
        return ""
    metadata = [entry.provider_metadata or {} for entry in reversed(entries) if isinstance(entry, ProviderToolCall)]
    own = (each.get("container", "") for each in metadata if (each.get("provider"), each.get("model")) == (provider, model))
    return next((str(container) for container in own if container), "")


def _drop_trailing_thinking(messages: list[Message]) -> list[Message]:
    """Drop thinking at the end of messages. Messages left empty disappear, and their neighbours are merged."""
    if not any(message["content"][-1]["type"] in THINKING for message in messages):
        return messages
    return _group_by_role((message["role"], block) for message in messages for block in _before_trailing_thinking(message["content"]))


def _before_trailing_thinking(blocks: Sequence[Block]) -> Sequence[Block]:
    last = next((place for place in reversed(range(len(blocks))) if blocks[place]["type"] not in THINKING), -1)
    return blocks[: last + 1]


def without_thinking(messages: list[Message]) -> list[Message]:
    """Remove all thinking, for a request without thinking; keeping only a part would misplace it."""
    if not any(block["type"] in THINKING for message in messages for block in message["content"]):
        return messages
    blocks = ((message["role"], block) for message in messages for block in message["content"])
    return _group_by_role((role, block) for role, block in blocks if block["type"] not in THINKING)


def ends_in_calls_without_thinking(messages: Sequence[Message]) -> bool:
    """Return whether the newest step has tool calls and does not begin with thinking."""
    newest: list[Block] = next((message["content"] for message in reversed(messages) if message["role"] == "assistant"), [])
    return any(block["type"] == "tool_use" for block in newest) and newest[0]["type"] not in THINKING


def _group_by_role(blocks: Iterable[tuple[Role, Block]]) -> list[Message]:
    messages, newest = list[Message](), ""
    for role, block in blocks:
        if role == newest:
            messages[-1]["content"].append(block)
        else:
            messages.append({"role": role, "content": [block]})
            newest = role
    for message in messages:
        if len(message["content"]) > 1:
            message["content"].sort(key=lambda block: block["type"] != "tool_result")
    return messages


def _role(entry: Entry) -> Role:
    return "assistant" if type(entry) in _ASSISTANTS else "user"


def _blocks(entry: Entry, provider: str, model: str) -> list[Block]:
    match entry:
        case UserMessage(text=text):
            return _text(text)
        case AssistantText(text=text):
            return _verbatim(entry.provider_metadata, provider, model) or _text(text)
        case File() | Reminder() | ContextData() | NoToolCallRetry() | CompactedHistory():
            return _text(entry_as_tag(entry))
        case Reasoning() | ProviderToolCall():
            return _verbatim(entry.provider_metadata, provider, model)
        case ToolCall(id=call_id, name=name, arguments=arguments):
            call = {"type": "tool_use", "id": "", "name": name, "input": dict(arguments)}
            return [_with_call_id(block, call_id) for block in _verbatim(entry.provider_metadata, provider, model) or [call]]
        case ToolResult(call_id=call_id, output=output, is_error=is_error):
            result = {"type": "tool_result", "tool_use_id": _id(call_id), "content": _output(output)}
            return [result | ({"is_error": True} if is_error else {})]
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


def _text(text: str) -> list[Block]:
    """Return a text block, or none for blank text, which the API refuses."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _output(output: Any) -> str:
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return text if text.strip() else NO_OUTPUT


def _verbatim(provider_metadata: ProviderMetadata | None, provider: str, model: str) -> list[Block]:
    """Return the blocks that the API takes back, unchanged. Blocks of another model are left out: they are useless or an error."""
    if provider_metadata is None or (provider_metadata.get("provider"), provider_metadata.get("model")) != (provider, model):
        return []
    return [block for block in provider_metadata["blocks"] if _is_accepted(block)]


def _is_accepted(block: Block) -> bool:
    """Return whether the API takes the block back: not a blank text, nor thinking that was cut before its signature."""
    required_field = {"text": "text", "thinking": "signature"}.get(block["type"])
    return required_field is None or bool(str(block.get(required_field) or "").strip())


def _with_call_id(block: Block, call_id: str) -> Block:
    """Set the call's id: the engine may have renamed the call, and its result refers to the new id."""
    return {**block, "id": _id(call_id)} if block["type"] == "tool_use" else block


def _id(call_id: str) -> str:
    """Return a call id in the characters that this API allows; calls of other providers may have others."""
    plain = _FORBIDDEN_ID_CHARS.sub("_", call_id)
    return plain if plain == call_id else f"{plain}-{sha256(call_id.encode()).hexdigest()[:8]}"
