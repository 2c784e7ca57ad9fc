"""Rules for images, files and tool declarations in both OpenAI APIs, with their own error messages where they are known.

Sources: https://developers.openai.com/api/docs/guides/images-vision, .../guides/file-inputs, .../guides/function-calling,
.../guides/structured-outputs and error messages that users of the API report, such as
https://github.com/langchain-ai/langchain-mcp-adapters/issues/137 (an object without properties).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from doubles.media import IMAGE_TYPES, PDF, decode_or_none, is_animated, matches_media_type, parse_data_url
from doubles.openai.errors import WireError, invalid, missing_parameter
from doubles.openai.validators import Validator, join, string

MAX_FILE_BYTES = 50 * 1024 * 1024
_UNSUPPORTED = (
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp']."
)
MAX_TOOLS = 128
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def image_url(value: Any, path: str) -> None:
    """Validate a web address or an image's data URL."""
    string()(value, path)
    if value.startswith("https://"):
        return
    media_type, text = parse_data_url(value)
    if not media_type.startswith("image/"):
        raise invalid(
            f"Invalid '{path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='),"
            + (f" but got unsupported MIME type '{media_type}'." if media_type else " but got a value without the 'data:' prefix."),
            path,
            "invalid_value",
        )
    data = decode_or_none(text)
    is_image = data and len(data) <= MAX_FILE_BYTES and media_type in IMAGE_TYPES and matches_media_type(data, media_type)
    if not is_image or is_animated(data or b""):
        raise invalid(_UNSUPPORTED, path, "invalid_image_format")


def check_file(file: dict[str, Any], path: str) -> None:
    """Check a file, which must be given as data together with its name."""
    if "file_data" not in file:
        raise missing_parameter(join(path, "file_id"))
    if not file.get("filename"):
        raise missing_parameter(join(path, "filename"))
    media_type, text = parse_data_url(file["file_data"])
    data = decode_or_none(text)
    if media_type != PDF or not data:
        raise invalid(
            f"Invalid file data: '{path}.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g."
            f" 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{media_type}'.",
            join(path, "file_data"),
            "invalid_value",
        )
    if not matches_media_type(data, PDF) or len(data) > MAX_FILE_BYTES:
        raise invalid("The file you provided could not be processed.", join(path, "file_data"), "invalid_file")


def function_name(max_length: int) -> Validator:
    """Return the validator of a function's name, in a declaration and in a call."""

    def read(value: Any, path: str) -> None:
        string(max_length=max_length, min_length=1)(value, path)
        if not _NAME.fullmatch(value):
            raise invalid(
                f"Invalid '{path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
                path,
                "invalid_value",
            )

    return read


def check_function(function: dict[str, Any], path: str) -> None:
    """Check `function` (name, description, parameters, strict). Raises WireError (400) for the first broken rule."""
    name = function["name"]
    schema = function.get("parameters")
    if schema is not None:
        _check_schema(schema, name, path)
        if function.get("strict") and (problem := strict_problem(schema, ())):
            raise _schema_error(name, path, problem)


def _check_schema(schema: dict[str, Any], name: str, path: str) -> None:
    if schema.get("type") != "object":
        raise _schema_error(name, path, f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'.")
    if any(keyword in schema for keyword in _NOT_AT_THE_TOP):
        raise _schema_error(
            name, path, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
        )
    if "properties" not in schema:
        raise _schema_error(name, path, "In context=(), object schema missing properties.")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise _schema_error(name, path, f"{error.message}.") from error
    _check_arrays(schema, name, path, ())


def _check_arrays(schema: Any, name: str, path: str, context: tuple[str, ...]) -> None:
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and "items" not in schema:
        raise _schema_error(name, path, f"In context={context}, array schema missing items.")
    for key, child in schema.get("properties", {}).items():
        _check_arrays(child, name, path, (*context, "properties", key))
    _check_arrays(schema.get("items"), name, path, (*context, "items"))


def strict_problem(schema: Any, context: tuple[str, ...]) -> str:
    """Return why a schema is not strict: every object must be closed and every property required. "" when it is."""
    if not isinstance(schema, dict):
        return ""
    if "properties" in schema or schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return f"In context={context}, 'additionalProperties' is required to be supplied and to be false."
        missing = schema.get("properties", {}).keys() - set(schema.get("required", []))
        if missing:
            return (
                f"In context={context}, 'required' is required to be supplied and to be an array including every key in properties."
                f" Missing '{min(missing)}'."
            )
    inner = {**schema.get("properties", {}), **schema.get("$defs", {})}
    problems = (strict_problem(child, (*context, "properties", key)) for key, child in inner.items())
    return next((problem for problem in problems if problem), "") or strict_problem(schema.get("items"), (*context, "items"))


def _schema_error(name: str, path: str, problem: str) -> WireError:
    return invalid(f"Invalid schema for function '{name}': {problem}", f"{path}.parameters", "invalid_function_parameters")


def check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"Duplicate tool name: '{name}'.", "tools")


def check_patterns(schema: Any) -> None:
    """Check that a grammar can be made of each pattern. Raises WireError (400) with llama.cpp's words."""
    inner = list(schema.items()) if isinstance(schema, dict) else [("", each) for each in schema] if isinstance(schema, list) else []
    for keyword, value in inner:
        if keyword == "pattern" and isinstance(value, str):
            if not (value.startswith("^") and value.endswith("$")):
                raise invalid("JSON schema conversion failed:\nPattern must start with '^' and end with '$'")
            if escape := re.search(r"\\[dDsSwWbB]", value):
                raise invalid(f"parse: error parsing grammar: unknown escape at {escape[0]}")
        check_patterns(value)
