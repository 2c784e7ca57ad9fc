"""Names that two tools would share (SPEC 4.10): the platform's own are reserved, and an agent has each name once.

Agents that work for agents: what must hold between them (SPEC 4.9).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from admin_config.defaults.platform import KINDS, TOOLS
from admin_config.errors import Problem
from admin_config.models import AgentConfig, ProviderEndpoint, ToolSource


def tool_problems(sources: Iterable[ToolSource], agents: Iterable[AgentConfig]) -> Iterator[Problem]:
    """Why these sources can't be published together."""
    enabled = {source.id: source for source in sources if source.is_enabled}
    for source in enabled.values():
        for name in reserved_names(source):
            yield Problem(f"{source}: the name {name} is the platform's own. Choose another name or a prefix.", source.id, "name")
    for agent in agents:
        own = [enabled[tool.source_id] for tool in agent.tools.all() if tool.source_id in enabled]
        yield from (Problem(f"{agent}: {text}", agent.id) for text in name_conflicts(own))


def reserved_names(source: ToolSource) -> list[str]:
    """Those of its tools that are named like one of the platform's own."""
    return [name for name in source.given_names if name in TOOLS]


def name_conflicts(sources: Iterable[ToolSource]) -> Iterator[str]:
    """Sentences about names that two of these sources give."""
    first: dict[str, ToolSource] = {}
    for source in sources:
        for name in source.given_names:
            if name in first:
                yield f"{first[name].name} and {source.name} both give a tool named {name}. Give one of them a prefix."
            first.setdefault(name, source)


MAX_DEPTH = 5  # sub-agents below each other (SECURITY 25)


def sub_agents_of(agent: AgentConfig) -> list[AgentConfig]:
    """Those that it may call, in its order."""
    return [tool.sub_agent for tool in agent.tools.all() if tool.sub_agent is not None]


class SubAgentDraft(Protocol):
    """What of a draft (admin_config.services.draft) is looked at."""

    @property
    def endpoints(self) -> Sequence[ProviderEndpoint]: ...

    @property
    def agents(self) -> Sequence[AgentConfig]: ...

    @property
    def tool_sources(self) -> Sequence[ToolSource]: ...


def draft_sub_agent_problems(draft: SubAgentDraft) -> list[Problem]:
    """Why the agents of this draft can't work for each other; empty when they can."""
    reachable = frozenset(endpoint.provider for endpoint in draft.endpoints if endpoint.is_enabled)
    return list(sub_agent_problems(draft.agents, draft.tool_sources, reachable))


def sub_agent_problems(agents: Sequence[AgentConfig], sources: Iterable[ToolSource], reachable: frozenset[str]) -> Iterator[Problem]:
    """Why these agents can't be published together. `reachable`: providers with an enabled endpoint."""
    known = {agent.key: agent for agent in agents}
    given = {source.id: source for source in sources if source.is_enabled}
    for agent in agents:
        for text in (*_availability_problems(agent, known, reachable), *_name_conflicts(agent, known, given)):
            yield Problem(f"{agent}: {text}", agent.id)
    yield from _cycle_problems(known)


def _availability_problems(agent: AgentConfig, known: dict[str, AgentConfig], reachable: frozenset[str]) -> Iterator[str]:
    if not agent.is_enabled:
        return
    for sub_agent in _children(agent, known):
        if not KINDS[sub_agent.kind].is_sub_agent:
            yield f"{sub_agent.key} works for no other agent."
        elif not sub_agent.is_enabled:
            yield f"it uses {sub_agent.key}, which is not enabled. Enable that, or take it away here first."
        elif sub_agent.provider != agent.provider and sub_agent.provider not in reachable:
            yield f"it uses {sub_agent.key}, and {sub_agent.get_provider_display()} has no enabled endpoint."


def _name_conflicts(agent: AgentConfig, known: dict[str, AgentConfig], sources: dict[UUID, ToolSource]) -> Iterator[str]:
    """Two tools of one name, one of them an agent."""
    own = [sources[tool.source_id] for tool in agent.tools.all() if tool.source_id in sources]
    givers = {name: source.name for source in own for name in source.given_names}
    for sub_agent in _children(agent, known):
        name = sub_agent.tool_name
        if name in givers:
            yield f"{givers[name]} and {sub_agent.key} both give a tool named {name}. Take one of them away, or give the source a prefix."
        givers.setdefault(name, sub_agent.key)


def _cycle_problems(known: dict[str, AgentConfig]) -> Iterator[Problem]:
    """The first circle, or else the first chain that is too long; with the path."""
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
    """All ways down from an agent, each until it ends, closes a circle or is too long."""
    children = list(_children(agent, known)) if len(path) <= MAX_DEPTH + 1 and path[-1] not in path[:-1] else []
    if not children:
        yield path
    for child in children:
        yield from _call_paths(child, known, (*path, child.key))


def _children(agent: AgentConfig, known: dict[str, AgentConfig]) -> Iterator[AgentConfig]:
    """As they are in the draft: a row's own copy may be older."""
    return (known[child.key] for child in sub_agents_of(agent) if child.key in known)
