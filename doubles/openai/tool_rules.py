"""Which tool declarations the API refuses, alike in both of its forms.

Sources: https://developers.openai.com/api/docs/guides/function-calling, https://developers.openai.com/api/docs/guides/structured-outputs
and the messages that users of the API report.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from doubles.openai.errors import WireError, invalid

MAX_TOOLS = 128
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def check_function(function: dict[str, Any], path: str) -> None:
    """`function`: name, description, parameters, strict. Raises WireError (400) for the first rule broken."""
    name = function["name"]
    if not _NAME.fullmatch(name):
        raise invalid(
            f"Invalid '{path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
            f"{path}.name",
            "invalid_value",
        )
    schema = function.get("parameters")
    if schema is not None:
        _check_schema(schema, name, path)
        if function.get("strict"):
            _check_strict(schema, name, path, ())


def _check_schema(schema: dict[str, Any], name: str, path: str) -> None:
    if schema.get("type") != "object":
        raise _schema_error(name, path, f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'.")
    if any(keyword in schema for keyword in _NOT_AT_THE_TOP):
        raise _schema_error(
            name, path, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
        )
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


def _check_strict(schema: Any, name: str, path: str, context: tuple[str, ...]) -> None:
    """Every object closed, every property required."""
    if not isinstance(schema, dict):
        return
    if "properties" in schema or schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise _schema_error(name, path, f"In context={context}, 'additionalProperties' is required to be supplied and to be false.")
        missing = schema.get("properties", {}).keys() - set(schema.get("required", []))
        if missing:
            raise _schema_error(
                name,
                path,
                f"In context={context}, 'required' is required to be supplied and to be an array including every key in properties."
                f" Missing '{min(missing)}'.",
            )
    for key, child in schema.get("properties", {}).items():
        _check_strict(child, name, path, (*context, "properties", key))
    _check_strict(schema.get("items"), name, path, (*context, "items"))


def _schema_error(name: str, path: str, problem: str) -> WireError:
    return invalid(f"Invalid schema for function '{name}': {problem}", f"{path}.parameters", "invalid_function_parameters")


def check_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"Duplicate tool name: '{name}'.", "tools")
