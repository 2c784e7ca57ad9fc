"""Tools that are one function each, under what the admin said of their source."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from admin_config.release import ToolSourceSnapshot
from agents.engine.messages import ToolDefinition
from agents.engine.ports import ToolContext, ToolOutcome, ToolTraits
from agents.tools.base import LoadedTools
from agents.tools.traits import is_allowed, tool_name, with_source_options

ToolFunction = Callable[[dict[str, Any], ToolContext], Awaitable[ToolOutcome]]


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """Implements `Tool`: `function` gets the checked arguments. Raises what `function` raises."""

    definition: ToolDefinition
    traits: ToolTraits
    function: ToolFunction

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return await self.function(arguments, context)


def function_tools(source: ToolSourceSnapshot, *tools: FunctionTool) -> LoadedTools:
    """Those that the source may give, with its prefix and its danger level."""
    return LoadedTools(tuple(_with_source_options(source, tool) for tool in tools if is_allowed(source, tool.definition.name)))


def _with_source_options(source: ToolSourceSnapshot, tool: FunctionTool) -> FunctionTool:
    definition = replace(tool.definition, name=tool_name(source, tool.definition.name))
    return replace(tool, definition=definition, traits=with_source_options(source, tool.traits))
