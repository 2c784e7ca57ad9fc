"""The format of a whole answer (`ModelSettings.answer_format`), as each wire asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.messages import ModelSettings

Json = dict[str, Any]

# For APIs without a mode for JSON of any shape.
JSON_ONLY = "Answer with one JSON object and nothing else: no words around it, and no code fence."
_SCHEMA_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SCHEMA_MAPS = ("properties", "$defs", "definitions")


def answer_schema(settings: ModelSettings) -> Mapping[str, Any] | None:
    """Return the JSON schema that the answer must match; None for another format or none."""
    json_schema = (settings.answer_format or {}).get("json_schema")
    schema = json_schema.get("schema") if isinstance(json_schema, Mapping) else None
    return schema if isinstance(schema, Mapping) else None


def flat_format(answer_format: Mapping[str, Any]) -> Json:
    """Return the format as the Responses API spells it: with the members of `json_schema` beside the type."""
    return {"type": answer_format["type"], **answer_format.get("json_schema", {})}


def closed_schema(schema: Any) -> Any:
    """Return the schema with every object closed, which Anthropic's API requires."""
    if not isinstance(schema, Mapping):
        return schema
    result = {name: _closed_member(name, value) for name, value in schema.items()}
    if schema.get("type") == "object" or "properties" in schema:
        result["additionalProperties"] = False
    return result


def _closed_member(name: str, value: Any) -> Any:
    if name in _SCHEMA_LISTS and isinstance(value, list):
        return [closed_schema(each) for each in value]
    if name in _SCHEMA_MAPS and isinstance(value, Mapping):
        return {key: closed_schema(each) for key, each in value.items()}
    return closed_schema(value) if name == "items" else value
