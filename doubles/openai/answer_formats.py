"""Rules for the format of an answer in both OpenAI APIs, with the API's own error messages where they are known.

Source: https://developers.openai.com/api/docs/guides/structured-outputs.
"""

from __future__ import annotations

from typing import Any

import orjson
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from doubles.openai.common_rules import strict_problem
from doubles.openai.errors import WireError, invalid
from doubles.openai.validators import boolean, fields, json_object, nullable, one_of, string, tagged_union

_SCHEMA = {"name": string(max_length=64), "description": string(), "schema": json_object, "strict": nullable(boolean)}

RESPONSE_FORMAT = tagged_union(
    {
        "text": fields({"type": one_of("text")}),
        "json_object": fields({"type": one_of("json_object")}),
        "json_schema": fields(
            {"type": one_of("json_schema"), "json_schema": fields(_SCHEMA, required=("name",))}, required=("json_schema",)
        ),
    }
)
TEXT_FORMAT = tagged_union(
    {
        "text": fields({"type": one_of("text")}),
        "json_object": fields({"type": one_of("json_object")}),
        "json_schema": fields({"type": one_of("json_schema"), **_SCHEMA}, required=("name", "schema")),
    }
)


def check_answer_format(answer_format: dict[str, Any] | None, content: Any, path: str, place: str) -> None:
    """Check the format, whose members of a schema are beside its type. Raises WireError (400). `content`: the messages; `place`: their field."""
    if answer_format is None:
        return
    if answer_format["type"] == "json_object" and b"json" not in orjson.dumps(content).lower():
        raise invalid(f"'{place}' must contain the word 'json' in some form, to use '{path}' of type 'json_object'.", place)
    if answer_format["type"] == "json_schema":
        _check_schema(answer_format, path)


def _check_schema(answer_format: dict[str, Any], path: str) -> None:
    schema = answer_format.get("schema", {})
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise _schema_error(answer_format["name"], path, f"{error.message}.") from error
    if answer_format.get("strict") and schema.get("type") != "object":
        raise _schema_error(answer_format["name"], path, "schema must be a JSON Schema of 'type: \"object\"'.")
    if answer_format.get("strict") and (problem := strict_problem(schema, ())):
        raise _schema_error(answer_format["name"], path, problem)


def _schema_error(name: str, path: str, problem: str) -> WireError:
    return invalid(f"Invalid schema for response_format '{name}': {problem}", path, "invalid_json_schema")
