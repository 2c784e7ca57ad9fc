"""What members switch on and off for each message (SPEC 6.4): the search of the web, and the organization's own tool sources.

A switch that is off takes its tools out of the release as this one answer sees it; nothing else has to know about switches. It never
gives more than the release: an unknown key, and one of a source that members may not switch, does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_AGENT, agent_key
from admin_config.release import AgentSnapshot, ReleaseSnapshot, ToolSourceSnapshot

MAX_SWITCHES = 50  # in one request
MAX_KEY_CHARS = 60
WEB = "web"
WEB_TOOLS = frozenset({"web_search", "url_context"})  # of providers
WEB_SOURCES = frozenset({"search", "fetch_url"})  # kinds of tool sources


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch of the message box."""

    key: str
    label: str
    hint: str
    is_on: bool  # at first
    is_platforms: bool


def switches_of(snapshot: ReleaseSnapshot) -> list[Switch]:
    """Return what members may switch: the web, if any agent of theirs reaches it, then the organization's switches by their names."""
    agents = _reachable(snapshot)
    sources = {source.id: source for agent in agents for source in snapshot.sources_of(agent)}
    own = sorted((_switch(source) for source in sources.values() if source.member_switch), key=lambda switch: switch.label.lower())
    is_web = any(WEB_TOOLS.intersection(agent.builtin_tools) for agent in agents)
    is_web = is_web or any(source.kind in WEB_SOURCES for source in sources.values())
    return [*([Switch(WEB, gettext("Search the web"), "", is_on=True, is_platforms=True)] if is_web else []), *own]


def release_with_switches(snapshot: ReleaseSnapshot, switches: Mapping[str, bool]) -> ReleaseSnapshot:
    """Return the release without what is off; the same object when nothing is. `switches`: by key; what is missing is as it is at first."""
    is_web = switches.get(WEB, True)
    sources = tuple(source for source in snapshot.tool_sources if _is_on(source, switches) and (is_web or source.kind not in WEB_SOURCES))
    if is_web and len(sources) == len(snapshot.tool_sources):
        return snapshot
    agents = snapshot.agents if is_web else {key: _without_web(agent) for key, agent in snapshot.agents.items()}
    return snapshot.model_copy(update={"tool_sources": sources, "agents": agents})


def _key(source: ToolSourceSnapshot) -> str:
    return f"source:{source.id}"


def _switch(source: ToolSourceSnapshot) -> Switch:
    return Switch(
        _key(source), source.switch_label or source.name, source.switch_hint, source.member_switch == "starts_on", is_platforms=False
    )


def _is_on(source: ToolSourceSnapshot, switches: Mapping[str, bool]) -> bool:
    return not source.member_switch or switches.get(_key(source), source.member_switch == "starts_on")


def _without_web(agent: AgentSnapshot) -> AgentSnapshot:
    return agent.model_copy(update={"builtin_tools": tuple(tool for tool in agent.builtin_tools if tool not in WEB_TOOLS)})


def _reachable(snapshot: ReleaseSnapshot) -> list[AgentSnapshot]:
    """Return the chat agents of the offered providers, and the agents below them."""
    agents_by_key: dict[str, AgentSnapshot] = {}

    def walk(agents: Iterator[AgentSnapshot]) -> None:
        for agent in agents:
            if agent.key not in agents_by_key:
                agents_by_key[agent.key] = agent
                walk(iter(snapshot.sub_agents_of(agent)))

    chat_agents = (snapshot.agents.get(agent_key(CHAT_AGENT, name)) for name in (snapshot.active_provider, *snapshot.offered_providers))
    walk(agent for agent in chat_agents if agent is not None and agent.is_enabled)
    return list(agents_by_key.values())
