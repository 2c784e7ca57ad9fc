"""What a source of tools gets and gives (SPEC 4.10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

from admin_config.release import AgentSnapshot, ModelSnapshot, ToolSourceSnapshot
from admin_config.tool_kinds import ToolSettings
from agents.engine.messages import Notice
from agents.engine.ports import Tool
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
    """A kind of tool source as admins choose it (admin_config.tool_kinds.ToolKind), and how its tools are made."""

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
