"""Checks an OpenAI request of either API, and converts its conversation into Gemini's form, which scripts read on every wire."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

import orjson

from doubles.openai import chat_history, chat_request, responses_history, responses_request
from doubles.openai.common_rules import check_patterns
from doubles.openai.encrypted_reasoning import ContentOwner
from doubles.openai.models import check_model, model_profile
from doubles.openai.quirks import ServerQuirks
from doubles.script import ReceivedRequest

Content = dict[str, Any]
ToolChoice = Literal["free", "never", "must"]

# Clients join texts of one side; entries that nobody typed are in tags.
_TAGGED = re.compile(r"(<(file|reminder|compacted_history)\b.*?</\2>)", re.DOTALL)
RESPONSES = "/v1/responses"
CHAT = "/v1/chat/completions"


def contents_of_input(items: Sequence[Mapping[str, Any]]) -> list[Content]:
    """Return the conversation of a checked POST /v1/responses. Reasoning is left out."""
    names = {item["call_id"]: item["name"] for item in items if item.get("type") == "function_call"}
    return [content for item in items if (content := _item_content(item, names)) is not None]


def contents_of_messages(messages: Sequence[Mapping[str, Any]]) -> list[Content]:
    """Return the conversation of a checked POST /v1/chat/completions. System messages are left out."""
    names = {call["id"]: call["function"]["name"] for message in messages for call in message.get("tool_calls", ())}
    return [_chat_message_content(message, names) for message in messages if message["role"] not in ("system", "developer")]


def tool_choice_of(choice: Any) -> ToolChoice:
    """Return the meaning of a request's tool_choice."""
    if choice == "none":
        return "never"
    return "must" if choice == "required" or isinstance(choice, dict) else "free"


def text_of(content: Any) -> str:
    """Return the text of a message's content, including a refusal."""
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
    content = _message_content(message["role"], message.get("content"))
    calls = [_call(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", ())]
    return {**content, "parts": [*content["parts"], *calls]}


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
    """Return the result. These APIs have no error flag, so an error is part of the output."""
    response = {"output": _value(text_of(output))}
    return {"functionResponse": {"id": call_id, "name": names.get(call_id, ""), "response": response}}


def _value(text: str) -> Any:
    """Parse a tool's JSON; other text is returned unchanged."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def check_request(request: ReceivedRequest, models: Collection[str] | None, quirks: ServerQuirks) -> None:
    """Check the body strictly, and set the request's fields that predicates read. Raises WireError."""
    if request.path == RESPONSES:
        _check_responses(request, models)
    else:
        _check_chat(request, models, quirks)


def _check_responses(request: ReceivedRequest, models: Collection[str] | None) -> None:
    body = request.body
    responses_request.check_fields(body)
    request.model = body["model"]
    check_model(request.model, models)
    if isinstance(body.get("input"), str):
        body["input"] = [{"role": "user", "content": body["input"]}] if body["input"] else []
    items = body.get("input", [])
    request.system_text = body.get("instructions") or ""
    request.user_text = _last_user_text(items)
    request.tool_names = tuple(responses_request.function_names(body))
    responses_request.check_settings(body, model_profile(request.model))
    responses_history.check_history(items, ContentOwner(request.model, request.key_hash), is_stored=body.get("store") is not False)
    request.contents, request.tool_choice = contents_of_input(items), tool_choice_of(body.get("tool_choice"))


def _check_chat(request: ReceivedRequest, models: Collection[str] | None, quirks: ServerQuirks) -> None:
    body = request.body
    chat_request.check_fields(body, quirks.extra_fields)
    request.model = body["model"]
    check_model(request.model, models)
    messages = body["messages"]
    request.system_text = "\n".join(text_of(message["content"]) for message in messages if message["role"] in ("system", "developer"))
    request.user_text = _last_user_text(messages)
    request.tool_names = tuple(chat_request.function_names(body))
    chat_request.check_settings(body, model_profile(request.model))
    chat_history.check_history(messages, reasoning_field=quirks.reasoning_field)
    if quirks.makes_grammars:
        check_patterns([tool["function"].get("parameters") for tool in body.get("tools", [])])
    if quirks.mistral:
        chat_history.check_mistral(messages)
    request.contents, request.tool_choice = contents_of_messages(messages), tool_choice_of(body.get("tool_choice"))


def _last_user_text(messages: Iterable[dict[str, Any]]) -> str:
    """Return the text of the user's last message; "" when there is none."""
    texts = [text_of(message["content"]) for message in messages if message.get("role") == "user"]
    return texts[-1] if texts else ""
