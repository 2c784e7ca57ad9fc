"""The agents that an agent may call (SPEC 4.2, 4.9)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Final

from admin_config.errors import RunConfigError
from admin_config.release import AgentSnapshot
from admin_config.services.sub_agents import MAX_DEPTH
from agents.engine.messages import Notice
from agents.tools.base import LoadedTools, ToolBuildContext
from agents.tools.sub_agents.tool import SubAgentTool

SKIPPED: Final = "sub_agent_skipped"
Load = Callable[[ToolBuildContext], Awaitable[LoadedTools]]


def sub_agent_tools(build: ToolBuildContext, load: Load) -> LoadedTools:
    """One tool for each, as far as the release lets it work; who has nothing to work with is left out."""
    tools: list[SubAgentTool] = []
    notices: list[Notice] = []
    for agent in build.models.snapshot.sub_agents_of(build.agent):
        try:
            tools += _tool(agent, build, load)
        except RunConfigError as error:
            notices.append(Notice(SKIPPED, f"The agent {agent.tool_name} is missing in this answer: {error}", "warning"))
    return LoadedTools(tuple(tools), tuple(notices))


def _tool(agent: AgentSnapshot, build: ToolBuildContext, load: Load) -> Iterator[SubAgentTool]:
    if agent.key in build.path or len(build.path) > MAX_DEPTH:
        raise RunConfigError(f"{' -> '.join((*build.path, agent.key))} goes in a circle or is too long.")
    child = _child(agent, build)
    if agent.works_by_builtin_tools and not (agent.tools or set(agent.builtin_tools).intersection(child.model.builtin_tools)):
        return
    yield SubAgentTool(child, load)


def _child(agent: AgentSnapshot, build: ToolBuildContext) -> ToolBuildContext:
    """The same for the sub-agent, over its own provider's endpoints. Its task is all that it is told, and files are those that it made itself."""
    snapshot = build.models.snapshot
    model = snapshot.model(None, agent)
    models = replace(build.models, agent=agent, endpoints=snapshot.endpoints_of(agent.provider))
    return ToolBuildContext(
        run=build.run, agent=agent, model=model, models=models, path=(*build.path, agent.key), exit_stack=AsyncExitStack()
    )
