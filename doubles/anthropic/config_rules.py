"""Rules for settings and tools of a Claude request, with the API's own error messages where they are known.

Sources: https://platform.claude.com/docs/en/api/messages, .../build-with-claude/thinking, .../effort, .../prompt-caching,
.../managed-agents/self-hosted-sandboxes (schemas) and error messages that users of the API report, such as
https://github.com/anthropics/claude-code/issues/5973 and https://github.com/twilio-labs/mcp/issues/58.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from doubles.anthropic.errors import invalid
from doubles.anthropic.models import ModelProfile

SAMPLING = ("temperature", "top_p", "top_k")
BINDING_CONTROLS = "thinking-binding-controls-2026-08-01"
MAX_CACHE_CONTROLS = 4
_NOT_AT_THE_TOP = ("oneOf", "allOf", "anyOf")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")


def thinking_type(body: dict[str, Any], model: ModelProfile) -> str:
    """Return the type of thinking, requested or by default."""
    return str((body.get("thinking") or {}).get("type", model.default_thinking))


def thinks(body: dict[str, Any], model: ModelProfile) -> bool:
    return thinking_type(body, model) in ("enabled", "adaptive")


def check_config(body: dict[str, Any], model: ModelProfile, betas: str) -> None:
    """Check all settings. Raises WireError (400) for the first broken rule. `betas`: the anthropic-beta header."""
    _check_max_tokens(body, model)
    _check_thinking(body, model, betas)
    _check_effort(body, model)
    _check_sampling(body, model)
    _check_tools(body)
    _check_tool_choice(body, model)
    _check_system(body)
    _check_answer_schema(((body.get("output_config") or {}).get("format") or {}).get("schema"))
    if len(controls := list(_cache_controls(body))) > MAX_CACHE_CONTROLS:
        raise invalid(f"A maximum of {MAX_CACHE_CONTROLS} blocks with cache_control may be provided. Found {len(controls)}.")
    if any(not sequence.strip() for sequence in body.get("stop_sequences") or []):
        raise invalid("stop_sequences: each stop sequence must contain non-whitespace")


def _check_max_tokens(body: dict[str, Any], model: ModelProfile) -> None:
    max_tokens = body.get("max_tokens", 1)
    if max_tokens > model.max_tokens:
        raise invalid(
            f"max_tokens: {max_tokens} > {model.max_tokens}, which is the maximum allowed number of output tokens for {model.name}"
        )


def _check_thinking(body: dict[str, Any], model: ModelProfile, betas: str) -> None:
    thinking = body.get("thinking") or {}
    kind = thinking.get("type")
    if kind == "adaptive" and kind not in model.thinking_types:
        raise invalid("adaptive thinking is not supported on this model")
    if kind and kind not in model.thinking_types:
        raise invalid(
            f'"thinking.type.{kind}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control'
            " thinking behavior."
        )
    if thinking.get("budget_tokens", 0) >= body.get("max_tokens", float("inf")):
        raise invalid("`max_tokens` must be greater than `thinking.budget_tokens`.")
    if "block_binding" in thinking and BINDING_CONTROLS not in betas:
        raise invalid(f"thinking.{kind}.block_binding: Extra inputs are not permitted")


def _check_effort(body: dict[str, Any], model: ModelProfile) -> None:
    effort = (body.get("output_config") or {}).get("effort")
    if effort and not model.takes_effort:
        raise invalid("This model does not support the effort parameter.")
    if effort in ("xhigh", "max") and not thinks(body, model):
        raise invalid(f'output_config.effort: "{effort}" is not supported while thinking is off.')


def _check_answer_schema(schema: Any) -> None:
    """Check that every object is closed. Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs."""
    if isinstance(schema, list):
        for each in schema:
            _check_answer_schema(each)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        raise invalid("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false")
    for name, value in schema.items():
        _check_answer_schema([*value.values()] if name in ("properties", "$defs") else value)


def _check_sampling(body: dict[str, Any], model: ModelProfile) -> None:
    for name in SAMPLING:
        if body.get(name) is not None and not model.takes_sampling:
            raise invalid(f"`{name}` is deprecated for this model.")
    if body.get("temperature", 1) != 1 and thinks(body, model):
        raise invalid("`temperature` may only be set to 1 when thinking is enabled.")


def _check_tools(body: dict[str, Any]) -> None:
    tools = body.get("tools") or []
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        raise invalid("tools: Tool names must be unique.")
    for index, tool in enumerate(tools):
        if "input_schema" in tool:
            _check_input_schema(tool["input_schema"], f"tools.{index}.custom.input_schema")


def _check_input_schema(schema: dict[str, Any], place: str) -> None:
    if schema.get("type") != "object":
        raise invalid(f"{place}.type: " + ("Input should be 'object'" if "type" in schema else "Field required"))
    if any(keyword in schema for keyword in _NOT_AT_THE_TOP):
        raise invalid(f"{place}: input_schema does not support oneOf, allOf, or anyOf at the top level")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise invalid(
            f"{place}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."
        ) from error
    if not all(_PROPERTY.fullmatch(name) for name in schema.get("properties", {})):
        raise invalid(f"{place}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'")


def _check_tool_choice(body: dict[str, Any], model: ModelProfile) -> None:
    choice = body.get("tool_choice")
    if choice is None:
        return
    if not body.get("tools"):
        raise invalid("tool_choice: may only be specified while providing tools")
    if choice["type"] not in ("any", "tool"):
        return
    if not model.can_force_tools:
        raise invalid('tool_choice: type "tool" and "any" are not supported for this model.')
    if thinks(body, model):
        raise invalid("Thinking may not be enabled when tool_choice forces tool use.")
    if choice["type"] == "tool" and choice["name"] not in [tool["name"] for tool in body["tools"]]:
        raise invalid(f"Tool '{choice['name']}' not found in provided tools")


def _check_system(body: dict[str, Any]) -> None:
    system = body.get("system")
    texts = [block["text"] for block in system] if isinstance(system, list) else []
    if any(not text for text in texts):
        raise invalid("system: text content blocks must be non-empty")


def _cache_controls(value: Any) -> Iterator[Any]:
    """Yield every block with a cache_control in the request."""
    if isinstance(value, dict):
        if value.get("cache_control"):
            yield value
        inner: Any = [item for name, item in value.items() if name not in ("input", "input_schema")]
    else:
        inner = value if isinstance(value, list) else []
    for item in inner:
        yield from _cache_controls(item)
