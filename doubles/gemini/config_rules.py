"""Rules for settings and tools of a Gemini request, with the API's own error messages where they are known.

Sources: https://ai.google.dev/api/generate-content, https://ai.google.dev/gemini-api/docs/thinking,
https://ai.google.dev/gemini-api/docs/function-calling and error messages that users of the API report.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from doubles.gemini.errors import invalid
from doubles.gemini.models import OUTPUT_TOKEN_LIMIT, ModelProfile
from doubles.gemini.proto import snake

MAX_FUNCTIONS = 512  # https://github.com/google-gemini/gemini-cli/issues/19083
_FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
_RANGES = {"temperature": (0, 2), "topP": (0, 1), "topK": (1, 1000), "presencePenalty": (-2, 2), "frequencyPenalty": (-2, 2)}


def check_config(body: dict[str, Any], model: ModelProfile) -> None:
    """Check all settings. Raises WireError (400) for the first broken rule."""
    config = body.get("generationConfig", {})
    _check_ranges(config)
    _check_penalties(config, model)
    _check_output(config)
    if config.get("responseMimeType") == "application/json" and declarations(body) and model.generation < 3:
        raise invalid("Function calling with a response mime type: 'application/json' is unsupported")
    _check_thinking(config.get("thinkingConfig", {}), model)
    _check_tools(body, model)
    _check_system_instruction(body)


def declarations(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all function declarations of the request."""
    return [declaration for tool in body.get("tools", []) for declaration in tool.get("functionDeclarations", [])]


def _check_ranges(config: dict[str, Any]) -> None:
    for name, (low, high) in _RANGES.items():
        if name in config and not low <= config[name] <= high:
            raise invalid(
                f"* GenerateContentRequest.generation_config.{snake(name)}: {snake(name)} must be in the range [{low}, {high}].\n"
            )
    limit = config.get("maxOutputTokens")
    if limit is not None and limit < 1:
        raise invalid("* GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive.\n")
    if limit is not None and limit > OUTPUT_TOKEN_LIMIT:
        raise invalid(
            f"Unable to submit request because it has a maxOutputTokens value of {limit} but the supported range is from 1 (inclusive)"
            f" to {OUTPUT_TOKEN_LIMIT + 1} (exclusive). Update the value and try again."
        )
    if len(config.get("stopSequences", [])) > 5:
        raise invalid("* GenerateContentRequest.generation_config.stop_sequences: at most 5 stop sequences are allowed.\n")


def _check_penalties(config: dict[str, Any], model: ModelProfile) -> None:
    """Check the penalties. Every model accepts zero."""
    if not model.takes_penalties and (config.get("presencePenalty") or config.get("frequencyPenalty")):
        raise invalid(f"Penalty is not enabled for models/{model.name}")


def _check_output(config: dict[str, Any]) -> None:
    if config.get("candidateCount", 1) != 1:
        raise invalid("Only one candidate can be specified.")
    mime = config.get("responseMimeType", "text/plain")
    if mime not in ("text/plain", "application/json", "text/x.enum"):
        raise invalid(
            "* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`,"
            " `application/xml`, `application/yaml` and `text/x.enum`.\n"
        )
    if mime == "text/plain" and ("responseSchema" in config or "responseJsonSchema" in config):
        raise invalid(
            "* GenerateContentRequest.generation_config.response_schema: only allowed when response mime type is `application/json` or"
            " `text/x.enum`.\n"
        )
    if "responseSchema" in config and "responseJsonSchema" in config:
        raise invalid("Only one of response_schema and response_json_schema can be set.")
    if "responseJsonSchema" in config:
        _check_json_schema(config["responseJsonSchema"], "generation_config.response_json_schema")


def _check_thinking(thinking: dict[str, Any], model: ModelProfile) -> None:
    budget, level = thinking.get("thinkingBudget"), thinking.get("thinkingLevel")
    if thinking and not model.thinks:
        raise invalid("Thinking is not enabled for this model.")
    if budget is not None and level is not None:
        raise invalid("You can only set only one of thinking budget and thinking level.")
    if level is not None and not model.takes_level:
        raise invalid("Thinking level is not supported for this model.")
    if level == "MINIMAL" and not model.takes_minimal_level:
        raise invalid("Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.")
    if budget is not None:
        _check_budget(budget, model)
    if budget == 0 and thinking.get("includeThoughts"):
        raise invalid("Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is enabled.")


def _check_budget(budget: int, model: ModelProfile) -> None:
    if budget == -1 or (budget == 0 and model.can_stop_thinking):
        return
    if budget == 0:
        raise invalid("Budget 0 is invalid. This model only works in thinking mode.")
    if not model.lowest_budget <= budget <= model.highest_budget:
        raise invalid(
            f"The thinking budget {budget} is invalid. Please choose a value between {model.lowest_budget} and {model.highest_budget}."
        )


def _check_tools(body: dict[str, Any], model: ModelProfile) -> None:
    for index, tool in enumerate(body.get("tools", [])):
        if not tool:
            raise invalid(
                f"* GenerateContentRequest.tools[{index}].tool_type: required one_of 'tool_type' must have one initialized field\n"
            )
        for number, declaration in enumerate(tool.get("functionDeclarations", [])):
            _check_declaration(declaration, f"tools[{index}].function_declarations[{number}]")
        if len(tool.get("functionDeclarations", [])) > MAX_FUNCTIONS:
            raise invalid(
                f"The GenerateContentRequest proto is invalid:\n  * tools[{index}].function_declarations: [FIELD_INVALID] At most"
                f" {MAX_FUNCTIONS} function declarations can be specified."
            )
    names = [declaration["name"] for declaration in declarations(body)]
    duplicates = [name for name, count in Counter(names).items() if count > 1]
    if duplicates:
        raise invalid(f"Duplicate function declaration found: {duplicates[0]}")
    _check_calling_config(body, names)
    _check_tool_combination(body, model)


def _check_declaration(declaration: dict[str, Any], place: str) -> None:
    if not _FUNCTION_NAME.fullmatch(declaration.get("name", "")):
        raise invalid(
            f"* GenerateContentRequest.{place}.name: Invalid function name. Must start with a letter or an underscore. Must be"
            " alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n"
        )
    if "parameters" in declaration and "parametersJsonSchema" in declaration:
        raise invalid(f"* GenerateContentRequest.{place}: parameters and parameters_json_schema must not both be set.\n")
    if "parametersJsonSchema" in declaration:
        _check_json_schema(declaration["parametersJsonSchema"], f"{place}.parameters_json_schema", object_only=True)
    if "parameters" in declaration:
        _check_schema(declaration["parameters"], f"{place}.parameters")


def _check_json_schema(schema: Any, place: str, *, object_only: bool = False) -> None:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise invalid(f"* GenerateContentRequest.{place}: Invalid JSON schema: {error.message}\n") from error
    if object_only and (where := _reference_in(schema, ())) is not None:
        raise invalid(f"reference to undefined schema at {'.'.join(where)}")
    if object_only and (not isinstance(schema, dict) or schema.get("type") != "object"):
        raise invalid(f"* GenerateContentRequest.{place}: schema type should be OBJECT\n")


def _reference_in(schema: Any, where: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return where a function's schema has a reference; None for nowhere.

    The API resolves some. Which ones is not documented, so this double refuses all of them (https://github.com/google-gemini/gemini-cli/issues/13326).
    """
    if isinstance(schema, dict) and "$ref" in schema:
        return where
    inner = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    return next((path for name, each in inner if (path := _reference_in(each, (*where, str(name)))) is not None), None)


def _check_schema(schema: dict[str, Any], place: str) -> None:
    kind = schema.get("type")
    if kind is None and "anyOf" not in schema:
        raise invalid(f"* GenerateContentRequest.{place}.type: must be specified\n")
    if kind == "ARRAY" and "items" not in schema:
        raise invalid(f"* GenerateContentRequest.{place}.items: missing field.\n")
    properties = schema.get("properties", {})
    for index, name in enumerate(schema.get("required", [])):
        if name not in properties:
            raise invalid(f"* GenerateContentRequest.{place}.required[{index}]: property is not defined\n")
    for name, child in properties.items():
        _check_schema(child, f"{place}.properties[{name}]")
    if "items" in schema:
        _check_schema(schema["items"], f"{place}.items")


def _check_calling_config(body: dict[str, Any], names: list[str]) -> None:
    config = body.get("toolConfig", {}).get("functionCallingConfig")
    if config is None:
        return
    allowed = config.get("allowedFunctionNames", [])
    if not names:
        raise invalid("Function calling config is set without function_declarations.")
    if allowed and config.get("mode") not in ("ANY", "VALIDATED"):
        raise invalid("Allowed function names should only be set when function calling mode is ANY or VALIDATED.")
    if set(allowed) - set(names):
        raise invalid("Allowed function names must be declared in function_declarations.")


def _check_tool_combination(body: dict[str, Any], model: ModelProfile) -> None:
    built_in = sorted({snake(kind) for tool in body.get("tools", []) for kind in tool if kind != "functionDeclarations"})
    if not built_in or not declarations(body):
        return
    if model.generation < 3:
        raise invalid(
            f"Built-in tools ({{{', '.join(built_in)}}}) and Function Calling cannot be combined in the same request. Please choose one."
        )
    if not body.get("toolConfig", {}).get("includeServerSideToolInvocations"):
        raise invalid("Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.")


def _check_system_instruction(body: dict[str, Any]) -> None:
    parts = body.get("systemInstruction", {"parts": [{"text": ""}]}).get("parts")
    if not parts or any("text" not in part for part in parts):
        raise invalid("* GenerateContentRequest.system_instruction.parts: only text is supported and it must not be empty.\n")
