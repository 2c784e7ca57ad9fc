"""Schemas of tools that every provider accepts. One tool that a provider refuses fails every request of its agent.

Tools of MCP servers and of OpenAPI documents have schemas of any draft. The rules are the same for all wires:

- JSON Schema 2020-12 (Anthropic). Older forms that servers still send are rewritten.
- At the top an object with `properties` (OpenAI) and without `anyOf` and the like (OpenAI, Anthropic): what a tool takes in any case of
  them is listed. The tool itself checks the rest.
- Arrays say what they hold (OpenAI).
- No references (Anthropic, Gemini for some): what one refers to stands in its place. Where a schema holds itself, it ends.
- Arguments are named with letters, digits, "_", "." and "-", at most 64 characters (Anthropic).

The schema that arguments are checked against stays the tool's own.
Sources: https://platform.claude.com/docs/en/managed-agents/self-hosted-sandboxes, https://developers.openai.com/api/docs/guides/function-calling
and https://github.com/langchain-ai/langchain-mcp-adapters/issues/137, https://github.com/bnb-chain/bnbchain-mcp/issues/68,
https://github.com/google-gemini/gemini-cli/issues/13326, https://github.com/anthropics/claude-code/issues/5973, https://github.com/Dokploy/mcp/issues/74, https://github.com/hyperdxio/hyperdx/pull/2925.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final
from urllib.parse import unquote

MAX_NAME_CHARS = 64
HASH_DIGITS = 8  # hex digits at the end of a changed name

_VALID = re.compile(rf"[a-zA-Z0-9_.-]{{1,{MAX_NAME_CHARS}}}")
_FORBIDDEN_CHARS = re.compile(r"[^a-zA-Z0-9_.-]")
_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_CASES = ("allOf", "anyOf", "oneOf")
_NOT_AT_THE_TOP = frozenset({*_CASES, "$schema", "enum", "not"})
_VALUES = frozenset({"const", "default", "enum", "example", "examples"})  # keywords that hold values, not schemas
_BY_NAME = frozenset({"dependentSchemas", "patternProperties", "properties"})  # keywords that hold schemas by name
_DEFINITIONS = frozenset({"$defs", "definitions"})
MAX_REFERENCES = 500  # of a schema; a small one could hold billions

Schema = Mapping[str, Any]


def wire_argument(name: str) -> str:
    """Return the argument's name as it is sent: unchanged, or a readable form of it with a hash. It depends on the name alone."""
    if _VALID.fullmatch(name):
        return name
    readable = _FORBIDDEN_CHARS.sub("_", name)[: MAX_NAME_CHARS - HASH_DIGITS - 1]
    return f"{readable}-{sha256(name.encode()).hexdigest()[:HASH_DIGITS]}"


def wire_arguments(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a call's arguments under the names that are sent."""
    if all(map(_VALID.fullmatch, arguments)):
        return arguments
    return {wire_argument(name): value for name, value in arguments.items()}


def own_arguments(arguments: Mapping[str, Any], schema: Schema) -> Mapping[str, Any]:
    """Return a call's arguments under the names of the tool's own schema. Unknown names stay as the model wrote them."""
    own = {wire_argument(name): name for name in _properties(schema) if not _VALID.fullmatch(name)}
    return {own.get(name, name): value for name, value in arguments.items()} if own else arguments


def wire_schema(schema: Schema) -> dict[str, Any]:
    """Return the schema as it is sent."""
    top = _Rewriter(schema).rewritten(schema)
    required = [name for case in (top, *_cases(top, "allOf")) for name in _names(case)]
    keywords = {name: value for name, value in top.items() if name not in _NOT_AT_THE_TOP}
    properties = {wire_argument(name): value for name, value in _properties(top).items()}
    return {**keywords, "type": "object", "properties": properties} | (
        {"required": list(dict.fromkeys(map(wire_argument, required)))} if required else {}
    )


def _properties(schema: Schema) -> dict[str, Any]:
    """Return the arguments that a schema lists, in each of its cases. One that differs between cases may be either."""
    alternatives: dict[str, list[Any]] = {}
    for case in (schema, *_cases(schema, *_CASES)):
        for name, value in _mapping(case.get("properties")).items():
            schemas = alternatives.setdefault(name, [])
            schemas += [] if value in schemas else [value]
    return {name: values[0] if len(values) == 1 else {"anyOf": values} for name, values in alternatives.items()}


def _cases(schema: Schema, *keywords: str) -> list[Schema]:
    groups = [schema[keyword] for keyword in keywords if isinstance(schema.get(keyword), list)]
    return [case for cases in groups for case in cases if isinstance(case, Mapping)]


def _names(schema: Schema) -> list[str]:
    required = schema.get("required")
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


class _Rewriter:
    """Rewrites a schema, and all that it holds, in the words of JSON Schema 2020-12 and without references."""

    def __init__(self, top: Schema) -> None:
        self._top: Final = top
        self._open: list[str] = []  # the references that are being followed
        self._followed = 0

    def rewritten(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self.rewritten(each) for each in schema]
        if not isinstance(schema, Mapping):
            return schema
        if isinstance(reference := schema.get("$ref"), str):
            return self._followed_to(reference, {keyword: value for keyword, value in schema.items() if keyword != "$ref"})
        result: dict[str, Any] = {}
        for keyword, value in schema.items():
            result |= self._keyword(keyword, value, schema)
        if "array" in _type_names(result.get("type")) and "items" not in result:
            result["items"] = {}
        return result

    def _followed_to(self, reference: str, beside: Schema) -> Any:
        """Return what is referred to, with the keywords beside the reference; a type alone where it holds itself."""
        target = _mapping(_at(self._top, reference))
        if reference in self._open or self._followed == MAX_REFERENCES:
            summary = {name: target[name] for name in ("type", "description") if name in target}
            return self.rewritten({**summary, **beside})
        self._followed += 1
        self._open.append(reference)
        result = self.rewritten({**target, **beside})
        self._open.pop()
        return result

    def _keyword(self, keyword: str, value: Any, schema: Schema) -> dict[str, Any]:
        match keyword:
            case "type":
                return _type(value)
            case "exclusiveMinimum" | "exclusiveMaximum" if isinstance(value, bool):  # draft 4 marks the limit beside it
                limit = schema.get("minimum" if keyword == "exclusiveMinimum" else "maximum")
                return {keyword: limit} if value and limit is not None else {}
            case "items" if isinstance(value, list):  # a tuple before 2020-12
                return {"prefixItems": self.rewritten(value), "items": self.rewritten(schema.get("additionalItems", {}))} if value else {}
            case "required":  # draft 3 marks each property
                return {keyword: list(dict.fromkeys(_names(schema)))} if isinstance(value, list) else {}
            case _ if keyword == "additionalItems" or keyword in _DEFINITIONS:
                return {}
            case _ if keyword in _VALUES:
                return {keyword: value}
            case _ if keyword in _BY_NAME:
                return {keyword: {name: self.rewritten(each) for name, each in _mapping(value).items()}}
            case _:
                return {keyword: self.rewritten(value)}


def without_patterns(schema: Any) -> Any:
    """Return a rewritten schema with its patterns in words, as part of the descriptions.

    llama.cpp, and servers that contain it, make a grammar of each tool, and refuse the request for most patterns
    (https://github.com/ggml-org/llama.cpp/issues/26930).
    """
    if isinstance(schema, list):
        return [without_patterns(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    result = {keyword: _without_patterns(keyword, value) for keyword, value in schema.items() if keyword != "pattern"}
    if "pattern" in schema:
        result["description"] = f"{schema.get('description') or ''} Pattern: {schema['pattern']}".strip()
    return result


def _without_patterns(keyword: str, value: Any) -> Any:
    if keyword in _VALUES:
        return value
    if keyword in _BY_NAME:
        return {name: without_patterns(each) for name, each in _mapping(value).items()}
    return without_patterns(value)


def _at(top: Schema, reference: str) -> Any:
    """Return what a reference inside the schema leads to (RFC 6901); None for any other."""
    node: Any = top if reference.startswith("#") else None
    for step in reference.split("/")[1:]:
        node = _mapping(node).get(unquote(step).replace("~1", "/").replace("~0", "~"))
    return node


def _type(value: Any) -> dict[str, Any]:
    """Return the keyword without types that JSON does not have, such as "string[]"."""
    types = list(dict.fromkeys(each for each in _type_names(value) if each in _TYPES))
    if not types:
        return {}
    return {"type": types if isinstance(value, list) else types[0]}


def _type_names(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
