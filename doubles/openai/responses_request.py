"""Rules for requests to POST /v1/responses, with the API's own error messages where they are known.

Sources: https://developers.openai.com/api/reference/resources/responses/methods/create,
https://developers.openai.com/api/docs/guides/reasoning and error messages that users of the API report.
"""

from __future__ import annotations

from typing import Any

from doubles.openai.answer_formats import TEXT_FORMAT, check_answer_format
from doubles.openai.common_rules import MAX_TOOLS, check_function, check_names, function_name
from doubles.openai.errors import invalid, unsupported_parameter
from doubles.openai.models import ModelProfile
from doubles.openai.responses_history import INPUT
from doubles.openai.validators import (
    anything,
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

ENCRYPTED = "reasoning.encrypted_content"
_INCLUDABLE = (
    ENCRYPTED,
    "web_search_call.action.sources",
    "code_interpreter_call.outputs",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
)
_FUNCTION = fields(
    {
        "type": string(),
        "name": function_name(max_length=64),
        "description": nullable(string()),
        "parameters": nullable(json_object),
        "strict": nullable(boolean),
    },
    required=("name", "parameters"),
)
_CHOICE = tagged_union({"function": fields({"type": string(), "name": string()}, required=("name",))})
_WEB_SEARCH = fields(
    {
        "type": string(),
        "filters": nullable(json_object),
        "search_context_size": nullable(one_of("low", "medium", "high")),
        "user_location": nullable(json_object),
        "external_web_access": nullable(boolean),
    }
)
_IMAGES = fields(
    {
        "type": string(),
        "action": one_of("generate", "edit", "auto"),
        "background": one_of("transparent", "opaque", "auto"),
        "model": string(),
        "output_format": one_of("png", "webp", "jpeg"),
        "partial_images": number(0, 3),
        "quality": one_of("low", "medium", "high", "auto"),
        "size": string(),
    }
)
_INTERPRETER = fields({"type": string(), "container": either(string(), json_object)}, required=("container",))
_TOOLS = {"function": _FUNCTION, "web_search": _WEB_SEARCH, "code_interpreter": _INTERPRETER, "image_generation": _IMAGES}
_BODY = fields(
    {
        "model": string(),
        "input": either(string(), INPUT),
        "instructions": nullable(string()),
        "stream": nullable(boolean),
        "store": nullable(boolean),
        "include": nullable(array(one_of(*_INCLUDABLE))),
        "tools": array(tagged_union(_TOOLS), max_length=MAX_TOOLS),
        "tool_choice": either(one_of("none", "auto", "required"), _CHOICE),
        "parallel_tool_calls": nullable(boolean),
        "reasoning": nullable(
            fields(
                {
                    "effort": nullable(one_of("none", "minimal", "low", "medium", "high", "xhigh", "max")),
                    "summary": nullable(one_of("auto", "concise", "detailed")),
                }
            )
        ),
        "text": fields({"verbosity": nullable(one_of("low", "medium", "high")), "format": TEXT_FORMAT}),
        "temperature": nullable(number(0, 2)),
        "top_p": nullable(number(0, 1)),
        "max_output_tokens": nullable(integer(16)),
        "truncation": nullable(one_of("auto", "disabled")),
        "metadata": nullable(json_object),
        "service_tier": nullable(one_of("auto", "default", "flex", "scale", "priority", "fast")),
        "user": string(),
        "max_tool_calls": nullable(integer(1)),
        "top_logprobs": nullable(integer(0)),
        "prompt_cache_retention": nullable(one_of("in_memory", "24h")),
        "prompt_cache_key": nullable(string(max_length=64)),
        "safety_identifier": nullable(string(max_length=128)),
        "stream_options": nullable(fields({"include_obfuscation": boolean})),
        "previous_response_id": nullable(anything),
    },
    required=("model",),
)


def check_fields(body: dict[str, Any]) -> None:
    """Raise WireError (400) for an unknown name, a wrong type or a value out of range."""
    _BODY(body, "")


def check_settings(body: dict[str, Any], model: ModelProfile) -> None:
    """Raise WireError (400) for a setting that this model does not accept."""
    if not body.get("input"):
        raise invalid("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.", "input")
    if body.get("previous_response_id"):
        raise invalid("Previous response cannot be used for this organization due to Zero Data Retention.", "previous_response_id")
    if body.get("stream_options") and not body.get("stream"):
        raise invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options")
    _check_reasoning(body, model)
    _check_tools(body)
    check_answer_format((body.get("text") or {}).get("format"), [body.get("instructions"), body["input"]], "text.format", "input")


def function_names(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body.get("tools", []) if tool["type"] == "function"]


def offers(body: dict[str, Any], kind: str) -> bool:
    """Return whether the model may use this built-in tool."""
    return body.get("tool_choice") != "none" and any(tool["type"] == kind for tool in body.get("tools", []))


def includes(body: dict[str, Any], name: str) -> bool:
    return name in (body.get("include") or [])


def wants_summary(body: dict[str, Any]) -> bool:
    return bool((body.get("reasoning") or {}).get("summary"))


def wants_encrypted(body: dict[str, Any]) -> bool:
    return includes(body, ENCRYPTED)


def reasons(body: dict[str, Any], model: ModelProfile) -> bool:
    """Return whether the model reasons on this request."""
    return model.reasons and (body.get("reasoning") or {}).get("effort") != "none"


def _check_reasoning(body: dict[str, Any], model: ModelProfile) -> None:
    effort = (body.get("reasoning") or {}).get("effort")
    if not model.reasons:
        if effort or wants_summary(body):
            raise unsupported_parameter("reasoning.effort" if effort else "reasoning.summary")
        if wants_encrypted(body):
            raise invalid("Encrypted content is not supported with this model.", "include")
        return
    if effort and effort not in model.efforts:
        efforts = ", ".join(f"'{name}'" for name in model.efforts)
        raise invalid(
            f"Unsupported value: '{effort}' is not supported with the '{model.name}' model. Supported values are: {efforts}.",
            "reasoning.effort",
            "unsupported_value",
        )
    for name in ("temperature", "top_p"):
        if body.get(name) not in (None, 1):
            raise unsupported_parameter(name)


def _check_tools(body: dict[str, Any]) -> None:
    for index, tool in enumerate(body.get("tools", [])):
        if tool["type"] == "function":
            strict = {"strict": True, **tool}  # this API's default is strict
            check_function(strict, f"tools[{index}]")
    names = function_names(body)
    check_names(names)
    choice = body.get("tool_choice", "auto")
    if choice == "required" and not body.get("tools"):
        raise invalid("Tool choice 'required' must be specified with 'tools' parameter.", "tool_choice")
    if isinstance(choice, dict) and choice["name"] not in names:
        raise invalid("Tool choice 'function' not found in 'tools' parameter.", "tool_choice")
