"""Checks of a draft's tool names and sub-agents before it is published.

Tool names (SPEC 4.10): the platform's own are reserved, and an agent may have each name only once. Sub-agents (SPEC 4.9): they must be
available, must not call each other in a circle, and have a limited depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from admin_config.defaults.platform import KINDS, TOOLS
from admin_config.errors import Problem
from admin_config.models import AgentConfig, ProviderEndpoint, ToolSource
from admin_config.services.agents.bases import tools_in_use
from admin_config.services.drafts.assistant_checks import assistant_of

MAX_DEPTH = 5  # levels of sub-agents (SECURITY 25)


def tool_problems(sources: Iterable[ToolSource], agents: Iterable[AgentConfig]) -> Iterator[Problem]:
    """Yield why these sources can't be published together."""
    enabled = {source.id: source for source in sources if source.is_enabled}
    for source in enabled.values():
        for name in reserved_names(source):
            yield Problem(f"{source}: the name {name} is the platform's own. Choose another name or a prefix.", source.id, "name")
    for agent in agents:
        own = [enabled[tool.source_id] for tool in tools_in_use(agent) if tool.source_id in enabled]
        yield from (Problem(f"{agent}: {text}", agent.id) for text in name_conflicts(own))


def reserved_names(source: ToolSource) -> list[str]:
    """Return those of its tools' names that belong to the platform's own tools."""
    return [name for name in source.given_names if name in TOOLS]


def name_conflicts(sources: Iterable[ToolSource]) -> Iterator[str]:
    """Yield sentences about tool names that two of these sources share."""
    first: dict[str, ToolSource] = {}
    for source in sources:
        for name in source.given_names:
            if name in first:
                yield f"{first[name].name} and {source.name} both give a tool named {name}. Give one of them a prefix."
            first.setdefault(name, source)


def sub_agents_of(agent: AgentConfig) -> list[AgentConfig]:
    """Return the agents that it may call, in its order."""
    return [tool.sub_agent for tool in agent.tools.all() if tool.sub_agent is not None]


class SubAgentDraft(Protocol):
    """The parts of a Draft (admin_config.services.drafts.draft) that are checked."""

    @property
    def endpoints(self) -> Sequence[ProviderEndpoint]: ...

    @property
    def agents(self) -> Sequence[AgentConfig]: ...

    @property
    def tool_sources(self) -> Sequence[ToolSource]: ...


def draft_sub_agent_problems(draft: SubAgentDraft) -> list[Problem]:
    """Return why the agents of this draft can't call each other; empty when they can."""
    reachable = frozenset(endpoint.provider for endpoint in draft.endpoints if endpoint.is_enabled)
    return list(sub_agent_problems(draft.agents, draft.tool_sources, reachable))


def sub_agent_problems(agents: Sequence[AgentConfig], sources: Iterable[ToolSource], reachable: frozenset[str]) -> Iterator[Problem]:
    """Yield why these agents can't be published together. `reachable`: providers with an enabled endpoint."""
    known = {agent.key: agent for agent in agents}
    given = {source.id: source for source in sources if source.is_enabled}
    for agent in agents:
        for text in (*_availability_problems(agent, known, reachable), *_name_conflicts(agent, known, given)):
            yield Problem(f"{agent}: {text}", agent.id)
    yield from _cycle_problems(known)


def _availability_problems(agent: AgentConfig, known: dict[str, AgentConfig], reachable: frozenset[str]) -> Iterator[str]:
    if not agent.is_on:
        return
    for sub_agent in _children(agent, known):
        if not KINDS[sub_agent.kind].is_sub_agent:
            yield f"{sub_agent.key} works for no other agent."
        elif (assistant := assistant_of(sub_agent)) is not None and not assistant.for_agents:
            yield f"it uses {sub_agent.key}, an assistant that other agents may not call. Allow that on its page, or take it away here first."
        elif not sub_agent.is_on:
            yield f"it uses {sub_agent.key}, which is not enabled. Enable that, or take it away here first."
        elif sub_agent.provider != agent.provider and sub_agent.provider not in reachable:
            yield f"it uses {sub_agent.key}, and {sub_agent.get_provider_display()} has no enabled endpoint."


def _name_conflicts(agent: AgentConfig, known: dict[str, AgentConfig], sources: dict[UUID, ToolSource]) -> Iterator[str]:
    """Yield tool names that an agent shares with a source or another agent."""
    own = [sources[tool.source_id] for tool in tools_in_use(agent) if tool.source_id in sources]
    givers = {name: source.name for source in own for name in source.given_names}
    for sub_agent in _children(agent, known):
        name = sub_agent.tool_name
        if name in givers:
            yield f"{givers[name]} and {sub_agent.key} both give a tool named {name}. Take one of them away, or give the source a prefix."
        givers.setdefault(name, sub_agent.key)


def _cycle_problems(known: dict[str, AgentConfig]) -> Iterator[Problem]:
    """Yield the first circle, or else the first chain that is too long, with its path."""
    for agent in known.values():
        for path in _call_paths(agent, known, (agent.key,)):
            if path[-1] in path[:-1]:
                circle = path[path.index(path[-1]) :]
                yield Problem(f"These agents call each other in a circle: {' -> '.join(circle)}.", known[circle[-2]].id)
                return
            if len(path) > MAX_DEPTH + 1:
                yield Problem(f"At most {MAX_DEPTH} agents may work below each other: {' -> '.join(path)}.", agent.id)
                return


def _call_paths(agent: AgentConfig, known: dict[str, AgentConfig], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield all call paths down from an agent, each until it ends, closes a circle or is too long."""
    children = list(_children(agent, known)) if len(path) <= MAX_DEPTH + 1 and path[-1] not in path[:-1] else []
    if not children:
        yield path
    for child in children:
        yield from _call_paths(child, known, (*path, child.key))


def _children(agent: AgentConfig, known: dict[str, AgentConfig]) -> Iterator[AgentConfig]:
    """Return the sub-agents as they are in the draft, because a row's own copy may be older."""
    return (known[child.key] for child in sub_agents_of(agent) if child.key in known)
