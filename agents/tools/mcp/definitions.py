"""What an MCP server says of its tools, as it is reviewed and pinned (SECURITY 29)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from mcp_types import Tool as ListedTool

MAX_NAME_CHARS = 43  # with a prefix of 20 and a line between: 64, which all providers take
MAX_DESCRIPTION_CHARS = 4096  # characters that a model gets
EMPTY_OBJECT_SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


class PinnedTool(BaseModel):
    """One tool as the server defined it. `read_only`, `destructive`: the server's claims."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=lambda: dict(EMPTY_OBJECT_SCHEMA))
    read_only: bool = False
    destructive: bool = False

    @property
    def hash(self) -> str:
        """SHA-256 (hex) of name, description, schema and what the server claims of its effects."""
        return hashlib.sha256(orjson.dumps(self.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)).hexdigest()

    @classmethod
    def of(cls, tool: ListedTool) -> PinnedTool:
        """Without NULs, which PostgreSQL does not store."""
        claims = tool.annotations
        return cls(
            name=_without_nuls(tool.name),
            description=_without_nuls(tool.description or tool.title or ""),
            input_schema=_without_nuls(_object_schema(tool.input_schema)),
            read_only=bool(claims and claims.read_only_hint),
            destructive=bool(claims and claims.destructive_hint and not claims.read_only_hint),
        )


Definitions = Mapping[str, PinnedTool]


def definitions_of(tools: Iterable[ListedTool]) -> dict[str, PinnedTool]:
    """By the names that the server uses; the first keeps a name."""
    found: dict[str, PinnedTool] = {}
    for tool in map(PinnedTool.of, tools):
        found.setdefault(tool.name, tool)
    return found


def definitions_load(pins: Mapping[str, Any], part: str) -> dict[str, PinnedTool]:
    """The `part` of a source's pins: "accepted" or "found". What can't be read is no tool."""
    found: dict[str, PinnedTool] = {}
    for item in pins.get(part) or ():
        try:
            tool = PinnedTool.model_validate(item)
        except ValidationError:
            continue
        found[tool.name] = tool
    return found


def definitions_dump(definitions: Definitions) -> list[dict[str, Any]]:
    return [tool.model_dump(mode="json") for tool in definitions.values()]


def normalized_names(names: Iterable[str]) -> dict[str, str]:
    """Each of a server's names as every provider takes it: small letters, digits and underscores; different ones stay different."""
    used: set[str] = set()
    plain: dict[str, str] = {}
    for name in names:
        plain[name] = _unused_name(re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:MAX_NAME_CHARS] or "tool", used)
        used.add(plain[name])
    return plain


def _unused_name(name: str, used: set[str]) -> str:
    if name not in used:
        return name
    numbered = (f"{name[: MAX_NAME_CHARS - 4]}_{number}" for number in range(2, 1000))
    return next(candidate for candidate in numbered if candidate not in used)


def _without_nuls(value: Any) -> Any:
    """The JSON value without NULs, in keys too."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {_without_nuls(key): _without_nuls(item) for key, item in value.items()}
    return [_without_nuls(item) for item in value] if isinstance(value, list) else value


def _object_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return schema if schema.get("type") == "object" else {**schema, "type": "object"}
