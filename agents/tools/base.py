"""What a source of tools gets and gives (SPEC 4.10).

What an admin says of a source holds for each of its tools: the prefix, which of them there are, how dangerous they are.

Tools that are one function each, under what the admin said of their source.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from admin_config.extension_kinds import ToolSettings, prefixed
from admin_config.release import AgentSnapshot, ModelSnapshot, ToolSourceSnapshot
from agents.engine.messages import Notice, ToolDefinition
from agents.engine.ports import Danger, Tool, ToolContext, ToolOutcome, ToolTraits
from agents.run_context import RunContext
from agents.runtime.model_factory import AgentModelFactory


class SourceSettings(ToolSettings):
    """Base of the settings of a kind of source; `tool_names` says what its tools are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBuildContext:
    """Whose tools are built, for which run. Nothing is connected until a tool is called.

    `models`: the agent's, over its provider's endpoints. `path`: keys of the agents from the chat agent down to this one. `exit_stack`:
    what a tool opened is closed with the run.
    """

    run: RunContext
    agent: AgentSnapshot
    model: ModelSnapshot
    models: AgentModelFactory
    path: tuple[str, ...]
    exit_stack: AsyncExitStack


@dataclass(frozen=True, slots=True)
class LoadedTools:
    """The tools of one source. `notices`: what the user should know, such as a server that can't be reached."""

    tools: Sequence[Tool] = ()
    notices: Sequence[Notice] = field(default=())


class SourceKind(Protocol):
    """A kind of tool source as admins choose it (admin_config.extension_kinds.ToolKind), and how its tools are made."""

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

    async def load(self, source: ToolSourceSnapshot, build: ToolBuildContext) -> LoadedTools:
        """Raises RunConfigError, RunError or pydantic's ValidationError when the source can't be used; the run goes on without it."""
        ...


def is_allowed(source: ToolSourceSnapshot, name: str) -> bool:
    """Whether the source gives the tool that it calls `name` itself (without the prefix). No list: it gives all."""
    return not source.allowed_tools or name in source.allowed_tools


def tool_name(source: ToolSourceSnapshot, name: str) -> str:
    """What the model calls the tool that the source itself calls `name`."""
    return prefixed(source.prefix, name)


def with_source_options(source: ToolSourceSnapshot, base: ToolTraits) -> ToolTraits:
    """`base` with the admin's danger level where that is higher. Danger and confirming can be added by the admin, not taken away."""
    danger = max(base.danger, Danger(source.danger or base.danger), key=list(Danger).index)
    return replace(base, danger=danger, confirm=base.confirm or source.confirm)


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
