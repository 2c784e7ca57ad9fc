"""A request's conversation in Gemini's form, which scripts read on every wire. Both functions read what the strict checks let through."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import orjson

Content = dict[str, Any]
ToolChoice = Literal["free", "never", "must"]

# Clients join what comes from one side; what nobody typed is in tags.
_TAGGED = re.compile(r"(<(file|reminder|compacted_history)\b.*?</\2>)", re.DOTALL)


def contents_of_input(items: Sequence[Mapping[str, Any]]) -> list[Content]:
    """Of POST /v1/responses; reasoning is left out."""
    names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
    return [content for item in items if (content := _item_content(item, names)) is not None]


def contents_of_messages(messages: Sequence[Mapping[str, Any]]) -> list[Content]:
    """Of POST /v1/chat/completions; the system's words are left out."""
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls", ())}
    return [_chat_message_content(message, names) for message in messages if message["role"] not in ("system", "developer")]


def tool_choice_of(choice: Any) -> ToolChoice:
    """What a request's tool_choice says."""
    if choice == "none":
        return "never"
    return "must" if choice == "required" or isinstance(choice, dict) else "free"


def text_of(content: Any) -> str:
    """The text of a message's content, also of a refusal."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n".join(part.get("text") or part.get("refusal") or "" for part in content)


def _item_content(item: Mapping[str, Any], names: Mapping[str, str]) -> Content | None:
    match item.get("type", "message"):
        case "message":
            return _message_content(item["role"], item["content"])
        case "function_call":
            return {"role": "model", "parts": [_call(item["call_id"], item["name"], item["arguments"])]}
        case "function_call_output":
            return {"role": "user", "parts": [_result(item["call_id"], names, item["output"])]}
        case _:
            return None


def _chat_message_content(message: Mapping[str, Any], names: Mapping[str, str]) -> Content:
    if message["role"] == "tool":
        return {"role": "user", "parts": [_result(message["tool_call_id"], names, message["content"])]}
    said = _message_content(message["role"], message.get("content"))
    calls = [_call(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ())]
    return {**said, "parts": [*said["parts"], *calls]}


def _message_content(role: str, content: Any) -> Content:
    text = text_of(content)
    if role == "assistant":
        return {"role": "model", "parts": [{"text": text}] if text else []}
    texts = [piece.strip() for place, piece in enumerate(_TAGGED.split(text)) if place % 3 < 2]
    return {"role": "user", "parts": [{"text": piece} for piece in texts if piece]}


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    value = _value(arguments)
    return {"functionCall": {"id": call_id, "name": name, "args": value if isinstance(value, dict) else {}}}


def _result(call_id: str, names: Mapping[str, str], output: Any) -> dict[str, Any]:
    """These APIs have no sign for an error: it stands in the output."""
    response = {"output": _value(text_of(output))}
    return {"functionResponse": {"id": call_id, "name": names.get(call_id, ""), "response": response}}


def _value(text: str) -> Any:
    """A tool's JSON again."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
