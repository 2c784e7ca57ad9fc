"""Checks before a draft is published that no agent has more tools than its provider takes (WireSpec.max_tools).

What only some answers have is not counted, and fails there with the same figures (agents.providers.tool_limits): sources that members
switch on, and tools of a project's files. Nor are agents whose step rules choose among their tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.artifact_agents import ARTIFACT_AGENTS
from admin_config.defaults.platform import CHAT_AGENT, PROVIDERS
from admin_config.defaults.wires import WIRES
from admin_config.errors import Problem
from admin_config.models import AgentConfig, ProviderEndpoint, ToolSource
from admin_config.services.agents.bases import tools_in_use
from admin_config.services.drafts.assistant_checks import assistant_of
from admin_config.services.drafts.sub_agent_checks import SubAgentDraft, sub_agents_of

_STARTS_OFF, _XML = ToolSource.MemberSwitch.STARTS_OFF, ProviderEndpoint.ToolMode.XML


def tool_count_problems(draft: SubAgentDraft) -> Iterator[Problem]:
    """Yield agents whose every answer their provider would refuse."""
    always = {source.id: source for source in draft.tool_sources if source.is_enabled and source.member_switch != _STARTS_OFF}
    native = {endpoint.provider for endpoint in draft.endpoints if endpoint.is_enabled and endpoint.tool_mode != _XML}
    own = {(agent.provider, agent.kind) for agent in draft.agents if agent.is_on and agent.kind in ARTIFACT_AGENTS}
    for agent in draft.agents:
        limit = WIRES[PROVIDERS[agent.provider].wire].max_tools
        if limit is None or agent.provider not in native or not agent.is_on or _chooses_tools(agent):
            continue
        artifacts = sum(provider == agent.provider for provider, _ in own) if _answers_chats(agent) else 0
        if (count := artifacts + _count(agent, always)) > limit:
            yield Problem(_text(agent, count, limit), agent.id)


def _count(agent: AgentConfig, sources: dict[UUID, ToolSource]) -> int:
    source_tools = [sources[tool.source_id].given_names for tool in tools_in_use(agent) if tool.source_id in sources]
    builtin_tools = WIRES[PROVIDERS[agent.provider].wire].counted_builtin_tools.intersection(agent.builtin_tools_on)
    return sum(map(len, source_tools)) + len(sub_agents_of(agent)) + len(builtin_tools)


def _chooses_tools(agent: AgentConfig) -> bool:
    return any(rule.active_tools for rule in agent.step_rules.all())


def _answers_chats(agent: AgentConfig) -> bool:
    return agent.kind == CHAT_AGENT or assistant_of(agent) is not None


def _text(agent: AgentConfig, count: int, limit: int) -> str:
    return gettext(
        "%(agent)s has %(count)s tools, and %(provider)s takes at most %(limit)s. Take a tool source away from it, allow fewer tools of one,"
        " or let members switch one on for a message."
    ) % {"agent": agent, "count": count, "provider": agent.get_provider_display(), "limit": limit}
