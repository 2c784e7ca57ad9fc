"""The interface between a tool source and an agent (SPEC 4.10), and tools that are one function each.

An admin's settings of a source apply to each of its tools: the prefix, which tools are allowed, and how dangerous they are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from admin_config.extension_kinds import ToolSettings, prefixed_name
from admin_config.release import AgentSnapshot, ModelSnapshot, ToolRule, ToolSourceSnapshot
from agents.engine.ports import Danger, Tool, ToolContext, ToolOutcome, ToolTraits
from agents.engine.taint import Reads
from agents.messages import Notice, ToolDefinition
from agents.run_context import RunContext
from agents.runtime.model_factory import AgentModelFactory


class SourceSettings(ToolSettings):
    """Base class for the settings of a source kind; `tool_names` returns the names of its tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBuildContext:
    """For whom and for which run tools are built. Nothing is connected until a tool is called."""

    run: RunContext
    agent: AgentSnapshot
    model: ModelSnapshot
    models: AgentModelFactory  # the agent's, over its provider's endpoints
    path: tuple[str, ...]  # keys of the agents from the chat agent down to this one
    exit_stack: AsyncExitStack  # closes what the tools opened, at the end of the run


@dataclass(frozen=True, slots=True)
class LoadedTools:
    """The tools of one source."""

    tools: Sequence[Tool] = ()
    notices: Sequence[Notice] = field(default=())  # for the user, such as a server that can't be reached


class SourceKind(Protocol):
    """A kind of tool source as admins choose it (admin_config.extension_kinds.ToolKind), and how its tools are made.

    `reads` says what a sub-agent with such a source may read (SECURITY 27): its tools are known only when it works. It is
    the most that any tool of the kind reads.
    """

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def help_text(self) -> str: ...

    @property
    def settings(self) -> type[SourceSettings]: ...

    @property
    def secret_url(self) -> Callable[[Any], str] | None: ...

    @property
    def reads(self) -> Reads: ...

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        """Return the source's tools.

        Raises RunConfigError, RunError or pydantic's ValidationError when the source can't be used; the run continues without it.
        """
        ...


def is_allowed(source: ToolSourceSnapshot, name: str) -> bool:
    """Return whether the source offers its tool `name` (without the prefix). An empty list allows all."""
    return not source.allowed_tools or name in source.allowed_tools


def tool_name(source: ToolSourceSnapshot, name: str) -> str:
    """Return the name under which the model sees the source's tool `name`."""
    return prefixed_name(source.prefix, name)


def with_source_options(source: ToolSourceSnapshot, base: ToolTraits, *, name: str) -> ToolTraits:
    """Return `base` with the admin's settings of the source and of its tool `name`, which is without the prefix.

    An admin can raise the danger level and require confirmation, but not remove either.
    """
    rule = source.tool_rules.get(name, ToolRule())
    levels = [base.danger, *(Danger(level) for level in (source.danger, rule.danger) if level)]
    danger = max(levels, key=list(Danger).index)
    return replace(base, danger=danger, confirm=base.confirm or source.confirm or rule.confirm, open_hosts=source.open_hosts)


ToolFunction = Callable[[dict[str, Any], ToolContext], Awaitable[ToolOutcome]]


@dataclass(frozen=True, slots=True)
class FunctionTool:
    """A `Tool` that calls `function` with the checked arguments. Raises what `function` raises."""

    definition: ToolDefinition
    traits: ToolTraits
    function: ToolFunction

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return await self.function(arguments, context)


def function_tools(source: ToolSourceSnapshot, *tools: FunctionTool) -> LoadedTools:
    """Return the tools that the source allows, with its prefix and options."""
    return LoadedTools(tuple(_with_source_options(source, tool) for tool in tools if is_allowed(source, tool.definition.name)))


def _with_source_options(source: ToolSourceSnapshot, tool: FunctionTool) -> FunctionTool:
    definition = replace(tool.definition, name=tool_name(source, tool.definition.name))
    return replace(tool, definition=definition, traits=with_source_options(source, tool.traits, name=tool.definition.name))
