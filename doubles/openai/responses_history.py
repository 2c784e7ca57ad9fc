"""Rules for the `input` of a Responses request, with the API's own error messages where they are known.

Sources: https://developers.openai.com/api/docs/guides/reasoning, https://developers.openai.com/api/docs/guides/function-calling and
error messages that users of the API report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doubles.openai.common_rules import check_file, function_name, image_url
from doubles.openai.encrypted_reasoning import ContentOwner, is_encrypted_by, reasoning_id_of
from doubles.openai.errors import WireError, invalid
from doubles.openai.validators import (
    Validator,
    array,
    either,
    fields,
    join,
    json_object,
    nullable,
    one_of,
    string,
    tagged_union,
)

Item = dict[str, Any]

_STATUS = nullable(one_of("in_progress", "completed", "incomplete"))
_ID = string(max_length=64)


def _input_file(value: Any, path: str) -> None:
    fields({"type": string(), "filename": string(), "file_data": string()})(value, path)
    check_file(value, path)


_INPUT_PARTS = {
    "input_text": fields({"type": string(), "text": string()}, required=("text",)),
    "input_image": fields(
        {"type": string(), "image_url": image_url, "detail": one_of("low", "high", "auto", "original")}, required=("image_url",)
    ),
    "input_file": _input_file,
}
_OUTPUT_PARTS = {
    "output_text": fields(
        {"type": string(), "text": string(), "annotations": array(json_object), "logprobs": array(json_object)}, required=("text",)
    ),
    "refusal": fields({"type": string(), "refusal": string()}, required=("refusal",)),
}


def _message(value: Any, path: str) -> None:
    parts = _OUTPUT_PARTS if isinstance(value, dict) and value.get("role") == "assistant" else _INPUT_PARTS
    fields(
        {
            "type": one_of("message"),
            "id": _ID,
            "role": one_of("assistant", "system", "developer", "user"),
            "content": either(string(), array(tagged_union(parts))),
            "status": _STATUS,
            "phase": nullable(one_of("commentary", "final_answer")),
        },
        required=("role", "content"),
    )(value, path)


_SEARCH_STATUS = one_of("in_progress", "searching", "completed", "failed", "incomplete")
_ACTIONS = {
    "search": fields({"type": string(), "query": string(), "queries": array(string()), "sources": array(json_object)}),
    "open_page": fields({"type": string(), "url": nullable(string())}),
    "find_in_page": fields({"type": string(), "url": string(), "pattern": string()}, required=("url", "pattern")),
}
_KINDS: dict[str, Validator] = {
    "message": _message,
    "reasoning": fields(
        {
            "type": string(),
            "id": _ID,
            "summary": array(fields({"type": one_of("summary_text"), "text": string()}, required=("type", "text"))),
            "content": nullable(array(json_object)),
            "encrypted_content": nullable(string()),
            "status": _STATUS,
        },
        required=("id", "summary"),
    ),
    "function_call": fields(
        {
            "type": string(),
            "id": _ID,
            "call_id": string(max_length=64, min_length=1),
            "name": function_name(max_length=128),
            "arguments": string(),
            "status": _STATUS,
        },
        required=("call_id", "name", "arguments"),
    ),
    "web_search_call": fields(
        {"type": string(), "id": _ID, "action": tagged_union(_ACTIONS), "status": _SEARCH_STATUS}, required=("id", "action", "status")
    ),
    "code_interpreter_call": fields(
        {
            "type": string(),
            "id": _ID,
            "code": nullable(string()),
            "container_id": string(),
            "outputs": nullable(array(json_object)),
            "status": one_of("in_progress", "completed", "incomplete", "interpreting", "failed"),
        },
        required=("id", "container_id", "status"),
    ),
    # Other fields of its output (action, quality, size, ...) cause "Unknown parameter" here, as users of the API report.
    "image_generation_call": fields(
        {
            "type": string(),
            "id": _ID,
            "result": nullable(string()),
            "status": one_of("in_progress", "completed", "generating", "failed"),
        },
        required=("id", "result", "status"),
    ),
    "function_call_output": fields(
        {
            "type": string(),
            "id": nullable(_ID),
            "call_id": string(max_length=64, min_length=1),
            "output": either(string(max_length=10_485_760), array(tagged_union(_INPUT_PARTS))),
            "status": _STATUS,
        },
        required=("call_id", "output"),
    ),
}


def _item(value: Any, path: str) -> None:
    json_object(value, path)
    kind = value.get("type", "message")
    one_of(*_KINDS)(kind, join(path, "type"))
    _KINDS[kind](value, path)


INPUT: Validator = array(_item)
_AFTER_REASONING = (
    "function_call",
    "web_search_call",
    "code_interpreter_call",
    "image_generation_call",
)  # what may follow reasoning, besides an answer


def check_history(items: Sequence[Item], owner: ContentOwner, *, is_stored: bool) -> None:
    """Check the items. Raises WireError for the first broken rule. `is_stored`: whether the request lets the provider store it."""
    _check_duplicates(items)
    _check_calls(items)
    for index, item in enumerate(items):
        if kind_of(item) == "reasoning":
            _check_reasoning(item, items[index + 1 :], owner, is_stored=is_stored)
        _check_has_reasoning(item, items[:index])


def kind_of(item: Item) -> str:
    kind: str = item.get("type", "message")
    return kind


def _check_duplicates(items: Sequence[Item]) -> None:
    item_ids = set[str]()
    for item in items:
        if (item_id := item.get("id")) in item_ids:
            raise invalid(
                f"Duplicate item found with id {item_id}. Remove duplicate items from your input and try again.", "input", "duplicate_item"
            )
        if item_id:
            item_ids.add(item_id)


def _check_calls(items: Sequence[Item]) -> None:
    call_ids, answered_ids = list[str](), set[str]()
    for item in items:
        if kind_of(item) == "function_call":
            call_ids.append(item["call_id"])
        elif kind_of(item) == "function_call_output":
            answered_ids.add(item["call_id"])
            if item["call_id"] not in call_ids:
                raise invalid(f"No tool call found for function call output with call_id {item['call_id']}.", "input")
    for call_id in call_ids:
        if call_id not in answered_ids:
            raise invalid(f"No tool output found for function call {call_id}.", "input")


def _check_reasoning(item: Item, after: Sequence[Item], owner: ContentOwner, *, is_stored: bool) -> None:
    item_id = item["id"]
    next_item = next((other for other in after if kind_of(other) != "reasoning"), None)
    if next_item is None or not (kind_of(next_item) in _AFTER_REASONING or _is_answer(next_item)):
        raise invalid(f"Item '{item_id}' of type 'reasoning' was provided without its required following item.", "input")
    if not item.get("encrypted_content"):
        if not is_stored:
            raise WireError(
                404,
                f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to"
                " true, or remove this item from your input.",
                param="input",
            )
        return
    if not is_encrypted_by(item["encrypted_content"], item_id, owner):
        excerpt = item["encrypted_content"][:4]
        raise invalid(
            f"The encrypted content {excerpt}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
            None,
            "invalid_encrypted_content",
        )


def _is_answer(item: Item) -> bool:
    return kind_of(item) == "message" and item["role"] == "assistant"


def _check_has_reasoning(item: Item, before: Sequence[Item]) -> None:
    """Check that an item which still has its id is preceded by the reasoning that led to it."""
    reasoning_id = reasoning_id_of(item.get("id") or "") if kind_of(item) in ("message", *_AFTER_REASONING) else None
    if reasoning_id and not any(other.get("id") == reasoning_id for other in before):
        raise invalid(
            f"Item '{item['id']}' of type '{kind_of(item)}' was provided without its required 'reasoning' item: '{reasoning_id}'.", "input"
        )
