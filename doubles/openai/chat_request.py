"""Rules for requests to POST /v1/chat/completions, with the API's own error messages where they are known.

Sources: https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create and error messages that
users of the API report.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from doubles.openai.answer_formats import RESPONSE_FORMAT, check_answer_format
from doubles.openai.chat_history import MESSAGES
from doubles.openai.common_rules import MAX_TOOLS, check_function, check_names, function_name
from doubles.openai.errors import invalid, unsupported_parameter
from doubles.openai.models import ModelProfile
from doubles.openai.validators import (
    array,
    boolean,
    either,
    fields,
    integer,
    json_object,
    nullable,
    number,
    one_of,
    string,
    tagged_union,
)

# https://github.com/getsentry/sentry-mcp/issues/106; for the Responses API nobody reports a limit.
MAX_DESCRIPTION_CHARS = 1024
_FUNCTION = fields(
    {
        "name": function_name(max_length=64),
        "description": nullable(string(max_length=MAX_DESCRIPTION_CHARS)),
        "parameters": nullable(json_object),
        "strict": nullable(boolean),
    },
    required=("name",),
)
_TOOL = tagged_union({"function": fields({"type": string(), "function": _FUNCTION}, required=("function",))})
_CHOICE = tagged_union(
    {"function": fields({"type": string(), "function": fields({"name": string()}, required=("name",))}, required=("function",))}
)
_BODY = fields(
    {
        "model": string(),
        "messages": MESSAGES,
        "stream": nullable(boolean),
        "stream_options": nullable(fields({"include_usage": boolean, "include_obfuscation": boolean})),
        "tools": array(_TOOL, min_length=1, max_length=MAX_TOOLS),
        "tool_choice": either(one_of("none", "auto", "required"), _CHOICE),
        "parallel_tool_calls": boolean,
        "max_tokens": nullable(integer(1)),
        "max_completion_tokens": nullable(integer(1)),
        "temperature": nullable(number(0, 2)),
        "top_p": nullable(number(0, 1)),
        "presence_penalty": nullable(number(-2, 2)),
        "frequency_penalty": nullable(number(-2, 2)),
        "seed": nullable(integer()),
        "stop": nullable(either(string(), array(string(), min_length=1, max_length=4))),
        "reasoning_effort": nullable(one_of("none", "minimal", "low", "medium", "high", "xhigh", "max")),
        "n": nullable(integer(1)),
        "store": nullable(boolean),
        "metadata": nullable(json_object),
        "user": string(),
        "service_tier": nullable(one_of("auto", "default", "flex", "scale", "priority", "fast")),
        "verbosity": nullable(one_of("low", "medium", "high")),
        "prompt_cache_key": nullable(string()),
        "safety_identifier": nullable(string()),
        "response_format": RESPONSE_FORMAT,
    },
    required=("model", "messages"),
)
_FIXED_WHEN_REASONING = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}


def check_fields(body: dict[str, Any], extra: Collection[str]) -> None:
    """Raise WireError (400) for an unknown name, a wrong type or a value out of range. `extra`: further names that are allowed."""
    _BODY({name: value for name, value in body.items() if name not in extra}, "")


def check_settings(body: dict[str, Any], model: ModelProfile) -> None:
    """Raise WireError (400) for a setting that this model does not accept."""
    if body.get("stream_options") and not body.get("stream"):
        raise invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    if body.get("max_tokens") and body.get("max_completion_tokens"):
        raise invalid("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", "max_tokens")
    if model.reasons:
        _check_reasoning(body, model)
    elif body.get("reasoning_effort"):
        raise invalid("Unrecognized request argument supplied: reasoning_effort")
    _check_tools(body)
    response_format = body.get("response_format")
    check_answer_format(
        response_format and {**response_format, **response_format.get("json_schema", {})}, body["messages"], "response_format", "messages"
    )


def function_names(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools", [])]


def _check_reasoning(body: dict[str, Any], model: ModelProfile) -> None:
    effort = body.get("reasoning_effort")
    if effort and effort not in model.efforts:
        raise invalid(
            f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model.", "reasoning_effort", "unsupported_value"
        )
    if body.get("max_tokens"):
        raise unsupported_parameter("max_tokens", " Use 'max_completion_tokens' instead.")
    if body.get("stop"):
        raise unsupported_parameter("stop")
    for name, default in _FIXED_WHEN_REASONING.items():
        if body.get(name) not in (None, default):
            raise invalid(
                f"Unsupported value: '{name}' does not support {body[name]} with this model. Only the default ({default}) value is"
                " supported.",
                name,
                "unsupported_value",
            )


def _check_tools(body: dict[str, Any]) -> None:
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in body and "tools" not in body:
            raise invalid(f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.", name)
    for index, tool in enumerate(body.get("tools", [])):
        check_function(tool["function"], f"tools[{index}].function")
    names = function_names(body)
    check_names(names)
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice["function"]["name"] not in names:
        raise invalid(f"Invalid value for 'tool_choice': function '{choice['function']['name']}' is not among the tools.", "tool_choice")
