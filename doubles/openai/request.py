"""From a request's JSON to a checked request of either form."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from doubles.openai import chat_history, chat_request, responses_history, responses_request
from doubles.openai.contents import contents_of_input, contents_of_messages, text_of, tool_choice_of
from doubles.openai.encrypted_reasoning import ContentOwner
from doubles.openai.models import check_model, model_profile
from doubles.openai.quirks import ServerQuirks
from doubles.script import ReceivedRequest

RESPONSES = "/v1/responses"
CHAT = "/v1/chat/completions"


def check_request(request: ReceivedRequest, models: Collection[str] | None, quirks: ServerQuirks) -> None:
    """Check the body strictly; fills what predicates look at. Raises WireError."""
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
    responses_history.check_history(items, ContentOwner(request.model, request.key_hash), stored=body.get("store") is not False)
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
    request.contents, request.tool_choice = contents_of_messages(messages), tool_choice_of(body.get("tool_choice"))


def _last_user_text(messages: Iterable[dict[str, Any]]) -> str:
    """The text of the user's last message; "" when there is none."""
    texts = [text_of(message["content"]) for message in messages if message.get("role") == "user"]
    return texts[-1] if texts else ""
