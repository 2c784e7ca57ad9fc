"""Rules for the `messages` of a Chat Completions request, with the API's own error messages where they are known.

Source: https://developers.openai.com/api/docs/guides/function-calling?api-mode=chat and error messages that users of the API report.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from doubles.openai.common_rules import check_file, function_name, image_url
from doubles.openai.errors import invalid
from doubles.openai.validators import Validator, array, either, fields, nullable, one_of, string, tagged_union

Message = dict[str, Any]
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


def _file(value: Any, path: str) -> None:
    fields({"file_data": string(), "filename": string(), "file_id": string()})(value, path)
    check_file(value, path)


_IMAGE = fields({"url": image_url, "detail": one_of("low", "high", "auto")}, required=("url",))
_TEXT_PARTS = {
    "text": fields({"type": string(), "text": string()}, required=("text",)),
    "refusal": fields({"type": string(), "refusal": string()}, required=("refusal",)),
}
_USER_PARTS = {
    "text": _TEXT_PARTS["text"],
    "image_url": fields({"type": string(), "image_url": _IMAGE}, required=("image_url",)),
    "file": fields({"type": string(), "file": _file}, required=("file",)),
}
_CONTENT = either(string(), array(tagged_union(_TEXT_PARTS), min_length=1))
_USER_CONTENT = either(string(), array(tagged_union(_USER_PARTS), min_length=1))
_CALL = tagged_union(
    {
        "function": fields(
            {
                "id": string(max_length=40, min_length=1),
                "type": string(),
                "function": fields({"name": function_name(max_length=64), "arguments": string()}, required=("name", "arguments")),
            },
            required=("id", "function"),
        )
    }
)
_PLAIN = fields({"role": string(), "content": _CONTENT, "name": string()}, required=("content",))
_ASSISTANT = {
    "role": string(),
    "content": nullable(_CONTENT),
    "refusal": nullable(string()),
    "tool_calls": array(_CALL, min_length=1),
    "name": string(),
}
# Fields of servers of open models that OpenAI does not have; checked in `check_history`.
_REASONING = {"reasoning": nullable(string()), "reasoning_content": nullable(string())}
MESSAGES: Validator = array(
    tagged_union(
        {
            "system": _PLAIN,
            "developer": _PLAIN,
            "user": fields({"role": string(), "content": _USER_CONTENT, "name": string()}, required=("content",)),
            "assistant": fields(_ASSISTANT | _REASONING),
            "tool": fields(
                {"role": string(), "content": _CONTENT, "tool_call_id": string(max_length=40)}, required=("content", "tool_call_id")
            ),
        },
        tag="role",
    ),
    min_length=1,
)
_ORPHAN_RESULT = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."


def check_history(messages: Sequence[Message], *, reasoning_field: str) -> None:
    """Check the messages. Raises WireError (400) for the first broken rule.

    `reasoning_field`: the reasoning field that this server knows; "" for none.
    """
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                raise invalid(_ORPHAN_RESULT, f"messages.[{index}].role")
            open_ids.remove(message["tool_call_id"])
            continue
        _check_answered(open_ids, index)
        if message["role"] == "assistant":
            _check_assistant(message, f"messages.[{index}]", reasoning_field)
            open_ids = [call["id"] for call in message.get("tool_calls", [])]
    _check_answered(open_ids, len(messages))


def check_mistral(messages: Sequence[Message]) -> None:
    """Check what Mistral's models refuse besides. Raises WireError (400) with Mistral's words."""
    for before, message in pairwise(messages):
        if (before["role"], message["role"]) == ("tool", "user"):
            raise invalid("Unexpected role 'user' after role 'tool'")
    for message in messages:
        for call in message.get("tool_calls", []):
            if not _MISTRAL_ID.fullmatch(call["id"]):
                raise invalid(f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9.")


def _check_assistant(message: Message, path: str, reasoning_field: str) -> None:
    if message.get("content") is None and not message.get("tool_calls") and not message.get("refusal"):
        raise invalid("Invalid value for 'content': expected a string, got null.", f"{path}.content")
    for name in _REASONING:
        if name in message and name != reasoning_field:
            raise invalid(f"Additional properties are not allowed ('{name}' was unexpected) - '{path}'", path)


def _check_answered(open_ids: Sequence[str], index: int) -> None:
    if open_ids:
        raise invalid(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following"
            f" tool_call_ids did not have response messages: {', '.join(open_ids)}",
            f"messages.[{index}].role",
        )
