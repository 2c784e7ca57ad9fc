"""Tools that are one function each, under what the admin said of their source."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from admin_config.release import ToolSourceSnapshot
from agents.engine.messages import ToolDefinition
from agents.engine.ports import ToolContext, ToolOutcome, ToolTraits
from agents.tools.base import LoadedTools
from agents.tools.traits import is_allowed, tool_name, traits_for

Work = Callable[[dict[str, Any], ToolContext], Awaitable[ToolOutcome]]


@dataclass(frozen=True, slots=True)
class PlainTool:
    """Implements `Tool`: `work` gets the checked arguments. Raises what `work` raises."""

    definition: ToolDefinition
    traits: ToolTraits
    work: Work

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return await self.work(arguments, context)


def plain_tools(source: ToolSourceSnapshot, *tools: PlainTool) -> LoadedTools:
    """Those that the source may give, with its prefix and its danger level."""
    return LoadedTools(tuple(_of_source(source, tool) for tool in tools if is_allowed(source, tool.definition.name)))


def _of_source(source: ToolSourceSnapshot, tool: PlainTool) -> PlainTool:
    definition = replace(tool.definition, name=tool_name(source, tool.definition.name))
    return replace(tool, definition=definition, traits=traits_for(source, tool.traits))
