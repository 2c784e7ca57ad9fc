"""Schemas of OpenAPI 3.0 and 3.1 as JSON schemas with everything in place, for the arguments of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext

from admin_config.services.openapi.document import OpenApiDocument, OpenApiInvalid

MAX_NODES: Final = 2000  # of the schemas of one operation
MAX_DEPTH: Final = 12
# What models are shown; the rest (examples, XML, discriminators) is left out.
SUPPORTED_KEYWORDS: Final = frozenset(
    {"type", "description", "enum", "const", "default", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    | {"multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "required"}
)
LISTS: Final = ("anyOf", "oneOf", "allOf")


@dataclass(slots=True)
class SchemaReader:
    """Reads the schemas of one operation."""

    document: OpenApiDocument
    nodes: int = field(default=0, init=False)

    def schema(self, node: Any, depth: int = 0) -> dict[str, Any]:
        """Return the schema. What is nested deeper than MAX_DEPTH, as in a schema of itself, may be anything. Raises OpenApiInvalid."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise OpenApiInvalid(gettext("Its schema is too large."))
        definition = self.document.resolve(node)
        if depth > MAX_DEPTH or not isinstance(definition, Mapping):
            return {}
        schema = {name: value for name, value in definition.items() if name in SUPPORTED_KEYWORDS and not _is_too_large(value)}
        _convert_limits(schema)
        self._parts(definition, schema, depth + 1)
        if definition.get("nullable") is True and isinstance(schema.get("type"), str):
            schema["type"] = [schema["type"], "null"]
        return schema

    def _parts(self, definition: Mapping[str, Any], schema: dict[str, Any], depth: int) -> None:
        if isinstance(properties := definition.get("properties"), Mapping):
            schema["properties"] = {str(name): self.schema(part, depth) for name, part in properties.items()}
        if "items" in definition:
            schema["items"] = self.schema(definition["items"], depth)
        if isinstance(more := definition.get("additionalProperties"), Mapping):
            schema["additionalProperties"] = self.schema(more, depth)
        elif isinstance(more, bool):
            schema["additionalProperties"] = more
        for name in LISTS:
            if isinstance(definition.get(name), list):
                schema[name] = [self.schema(part, depth) for part in definition[name]]


def _is_too_large(value: Any) -> bool:
    """Return whether it is a number of more than 64 bits, which no release can hold. As a limit, such as the largest double, it limits nothing."""
    return isinstance(value, int | float) and not -(2**63) <= value < 2**64


def _convert_limits(schema: dict[str, Any]) -> None:
    """In OpenAPI 3.0 an exclusive limit is a flag beside the limit."""
    for flag, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(flag), bool):
            is_exclusive = schema.pop(flag)
            if is_exclusive and limit in schema:
                schema[flag] = schema.pop(limit)
