"""Checks of a draft's sub-agents before it is published (SPEC 4.9): available, in no circle, of a limited depth, with names of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.platform import KINDS
from admin_config.errors import Problem
from admin_config.models import AgentConfig, ProviderEndpoint, ToolSource
from admin_config.services.agents.bases import tools_in_use
from admin_config.services.drafts.assistant_checks import assistant_of

MAX_DEPTH = 5  # levels of sub-agents (SECURITY 25)


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
    agents_by_key = {agent.key: agent for agent in agents}
    sources_by_id = {source.id: source for source in sources if source.is_enabled}
    for agent in agents:
        for text in (*_availability_problems(agent, agents_by_key, reachable), *_name_conflicts(agent, agents_by_key, sources_by_id)):
            yield Problem(f"{agent}: {text}", agent.id)
    yield from _cycle_problems(agents_by_key)


def _availability_problems(agent: AgentConfig, agents_by_key: dict[str, AgentConfig], reachable: frozenset[str]) -> Iterator[str]:
    if not agent.is_on:
        return
    for sub_agent in _children(agent, agents_by_key):
        if not KINDS[sub_agent.kind].is_sub_agent:
            yield gettext("%(key)s works for no other agent.") % {"key": sub_agent.key}
        elif (assistant := assistant_of(sub_agent)) is not None and not assistant.for_agents:
            yield gettext(
                "it uses %(key)s, an assistant that other agents may not call. Allow that on its page, or take it away here first."
            ) % {"key": sub_agent.key}
        elif not sub_agent.is_on:
            yield gettext("it uses %(key)s, which is not enabled. Enable that, or take it away here first.") % {"key": sub_agent.key}
        elif sub_agent.provider != agent.provider and sub_agent.provider not in reachable:
            yield gettext("it uses %(key)s, and %(provider)s has no enabled endpoint.") % {
                "key": sub_agent.key,
                "provider": sub_agent.get_provider_display(),
            }


def _name_conflicts(agent: AgentConfig, agents_by_key: dict[str, AgentConfig], sources_by_id: dict[UUID, ToolSource]) -> Iterator[str]:
    """Yield tool names that an agent shares with a source or another agent."""
    own = [sources_by_id[tool.source_id] for tool in tools_in_use(agent) if tool.source_id in sources_by_id]
    givers = {name: source.name for source in own for name in source.given_names}
    for sub_agent in _children(agent, agents_by_key):
        name = sub_agent.tool_name
        if name in givers:
            yield gettext("%(value)s and %(key)s both give a tool named %(name)s. Take one of them away, or give the source a prefix.") % {
                "value": givers[name],
                "key": sub_agent.key,
                "name": name,
            }
        givers.setdefault(name, sub_agent.key)


def _cycle_problems(agents_by_key: dict[str, AgentConfig]) -> Iterator[Problem]:
    """Yield the first circle, or else the first chain that is too long, with its path."""
    for agent in agents_by_key.values():
        for path in _call_paths(agent, agents_by_key, (agent.key,)):
            if path[-1] in path[:-1]:
                circle = path[path.index(path[-1]) :]
                yield Problem(
                    gettext("These agents call each other in a circle: %(circle)s.") % {"circle": " -> ".join(circle)},
                    agents_by_key[circle[-2]].id,
                )
                return
            if len(path) > MAX_DEPTH + 1:
                yield Problem(
                    gettext("At most %(max_depth)s agents may work below each other: %(path)s.")
                    % {"max_depth": MAX_DEPTH, "path": " -> ".join(path)},
                    agent.id,
                )
                return


def _call_paths(agent: AgentConfig, agents_by_key: dict[str, AgentConfig], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield all call paths down from an agent, each until it ends, closes a circle or is too long."""
    children = list(_children(agent, agents_by_key)) if len(path) <= MAX_DEPTH + 1 and path[-1] not in path[:-1] else []
    if not children:
        yield path
    for child in children:
        yield from _call_paths(child, agents_by_key, (*path, child.key))


def _children(agent: AgentConfig, agents_by_key: dict[str, AgentConfig]) -> Iterator[AgentConfig]:
    """Return the sub-agents as they are in the draft, because a row's own copy may be older."""
    return (agents_by_key[child.key] for child in sub_agents_of(agent) if child.key in agents_by_key)
