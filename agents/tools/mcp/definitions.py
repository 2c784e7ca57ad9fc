"""Tool definitions of an MCP server, as admins review and pin them (SECURITY 29)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import orjson
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.tools.mcp.server import McpError
from tenants.input.plain_values import NotPlain, plain_check

if TYPE_CHECKING:
    from mcp_types import Tool as ListedTool

MAX_NAME_CHARS = 43  # with a prefix of 20 and an underscore: 64, which all providers accept
MAX_DESCRIPTION_CHARS = 4096  # of a description, as given to a model
LIMITS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems"})
EMPTY_OBJECT_SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


class PinnedTool(BaseModel):
    """One tool as the server defined it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=lambda: dict(EMPTY_OBJECT_SCHEMA))
    read_only: bool = False  # the server's claim
    destructive: bool = False  # the server's claim

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of the name, description, schema and the server's claims about effects."""
        return hashlib.sha256(orjson.dumps(self.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)).hexdigest()

    @classmethod
    def of(cls, tool: ListedTool) -> PinnedTool:
        """Convert a listed tool. NULs, and limits of more than 64 bits, which limit nothing, are left out. Raises McpError for what can't be kept."""
        claims = tool.annotations
        name, schema = _storable(tool.name), _storable(_object_schema(tool.input_schema))
        try:
            plain_check(schema, f"{name}, input schema")
        except NotPlain as error:
            raise McpError(gettext("A tool of the server can't be taken. %(problem)s") % {"problem": error}) from error
        return cls(
            name=name,
            description=_storable(tool.description or tool.title or ""),
            input_schema=schema,
            read_only=bool(claims and claims.read_only_hint),
            destructive=bool(claims and claims.destructive_hint and not claims.read_only_hint),
        )


Definitions = Mapping[str, PinnedTool]


def definitions_of(tools: Iterable[ListedTool]) -> tuple[dict[str, PinnedTool], list[str]]:
    """Return the definitions by the server's names, and why each of the other tools can't be kept: one takes no other away.

    Of duplicates the first one counts.
    """
    definitions: dict[str, PinnedTool] = {}
    refusals = []
    for listed_tool in tools:
        try:
            tool = PinnedTool.of(listed_tool)
        except McpError as error:
            refusals.append(str(error))
        else:
            definitions.setdefault(tool.name, tool)
    return definitions, refusals


def definitions_load(pins: Mapping[str, Any], part: str) -> dict[str, PinnedTool]:
    """Return one `part` of a source's pins, "accepted" or "found". Unreadable items are skipped."""
    definitions: dict[str, PinnedTool] = {}
    for item in pins.get(part) or ():
        try:
            tool = PinnedTool.model_validate(item)
        except ValidationError:
            continue
        definitions[tool.name] = tool
    return definitions


def definitions_dump(definitions: Definitions) -> list[dict[str, Any]]:
    """Return the definitions as JSON values, as a source's pins store them."""
    return [tool.model_dump(mode="json") for tool in definitions.values()]


def normalized_names(names: Iterable[str]) -> dict[str, str]:
    """Map the server's names to names that every provider accepts: lower-case letters, digits, underscores. They stay distinct."""
    used_names: set[str] = set()
    plain: dict[str, str] = {}
    for name in names:
        plain[name] = _unused_name(re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:MAX_NAME_CHARS] or "tool", used_names)
        used_names.add(plain[name])
    return plain


def _unused_name(name: str, used_names: set[str]) -> str:
    if name not in used_names:
        return name
    candidates = (f"{name[: MAX_NAME_CHARS - 4]}_{number}" for number in range(2, 1000))
    return next(candidate for candidate in candidates if candidate not in used_names)


def _storable(value: Any) -> Any:
    """Return the JSON value without NULs, also in keys, and without limits that are too large to be kept."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items() if not (key in LIMITS and _is_too_large(item))}
    return [_storable(item) for item in value] if isinstance(value, list) else value


def _is_too_large(value: Any) -> bool:
    return isinstance(value, int | float) and not -(2**63) <= value < 2**64


def _object_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return schema if schema.get("type") == "object" else {**schema, "type": "object"}
