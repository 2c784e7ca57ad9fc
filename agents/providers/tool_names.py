"""Tools in the form that every provider accepts. Third-party tools may have dots, slashes or more than 64 characters in their names.

The rules are the same for all wires: a letter or "_" first, then letters, digits, "_" and "-" (OpenAI and Anthropic accept no other
characters, Gemini no other beginning), at most 64 characters (OpenAI). Their schemas: `tool_schemas`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from agents.messages import Entry, ModelRequest, ModelResponse, ResponseEntry, ToolCall, ToolDefinition, ToolResult
from agents.messages.prefix_cache import map_entries_cached
from agents.providers.tool_schemas import own_arguments, wire_arguments, wire_schema

MAX_NAME_CHARS = 64
HASH_DIGITS = 16  # hex digits at the end of a changed name; enough to make collisions infeasible

_VALID = re.compile(rf"[a-zA-Z_][a-zA-Z0-9_-]{{0,{MAX_NAME_CHARS - 1}}}")
_HASHED = re.compile(rf".*-[0-9a-f]{{{HASH_DIGITS}}}")
_FORBIDDEN_CHARS = re.compile(r"[^a-zA-Z0-9_-]")


def wire_name(name: str) -> str:
    """Return the name as it is sent: unchanged, or a readable form of it with a hash. Two names never become the same.

    The result depends on the name alone, so that a conversation reads the same at every step and prompt caches stay valid. A name that
    already looks hashed is changed as well: otherwise a tool could take another one's changed name.
    """
    if _VALID.fullmatch(name) and not _HASHED.fullmatch(name):
        return name
    readable = _FORBIDDEN_CHARS.sub("_", name)
    if not readable[:1].isalpha():
        readable = f"_{readable}"
    return f"{readable[: MAX_NAME_CHARS - HASH_DIGITS - 1]}-{sha256(name.encode()).hexdigest()[:HASH_DIGITS]}"


def with_wire_names(request: ModelRequest) -> ModelRequest:
    """Return the request with wire names and schemas throughout. It shares the original's meter."""
    settings = request.settings
    return replace(
        request,
        entries=map_entries_cached("wire names", request.entries, _entry_with_wire_name, request.prefix_cache),
        tools=_wire_tools(request),
        settings=replace(settings, tool_choice=wire_name(settings.tool_choice)),
    )


def _wire_tools(request: ModelRequest) -> tuple[ToolDefinition, ...]:
    """Return the tools as they are sent. The steps of a run have the same ones, which may be hundreds."""
    tools: tuple[ToolDefinition, ...] | None = request.prefix_cache.find("wire tools", request.tools)
    if tools is None or len(tools) != len(request.tools):
        tools = tuple(ToolDefinition(wire_name(tool.name), tool.description, wire_schema(tool.input_schema)) for tool in request.tools)
        request.prefix_cache.keep("wire tools", request.tools, tools)
    return tools


def with_own_names(response: ModelResponse, tools: Sequence[ToolDefinition]) -> ModelResponse:
    """Return the response with the own names of tools and arguments; an unknown name stays as the model wrote it."""
    own = {wire_name(tool.name): tool for tool in tools}
    return replace(response, entries=tuple(_with_own_name(entry, own) for entry in response.entries))


def _entry_with_wire_name(entry: Entry) -> Entry:
    if not isinstance(entry, ToolCall | ToolResult):
        return entry
    name = wire_name(entry.name)
    if isinstance(entry, ToolCall) and (arguments := wire_arguments(entry.arguments)) is not entry.arguments:
        return replace(entry, name=name, arguments=arguments)
    return entry if name == entry.name else replace(entry, name=name)


def _with_own_name(entry: ResponseEntry, own: Mapping[str, ToolDefinition]) -> ResponseEntry:
    tool = own.get(entry.name) if isinstance(entry, ToolCall) else None
    if tool is None or not isinstance(entry, ToolCall):
        return entry
    return replace(entry, name=tool.name, arguments=own_arguments(entry.arguments, tool.input_schema))
