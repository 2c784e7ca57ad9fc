"""What holds for the agents of a kind at all providers: platform's default, then the base, then the provider's row (SPEC 4.15).

A release holds flat agents, as if there were no bases: what is inherited is settled here, when a draft is loaded. Rows of tools, plugins
and step rules stay with each provider, except that a base's tool sources come first in addition (docs/decisions/0044).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from admin_config.defaults.platform import ALL_PROVIDERS, KINDS
from admin_config.models import AgentConfig, AgentOperation, AgentTool, PromptSection
from admin_config.models.platform import PlatformDefaults

INHERITED_PARTS = ("operations", "sections", "tools__source")

Part = TypeVar("Part", AgentOperation, PromptSection)


def bases_attach(agents: Sequence[AgentConfig]) -> list[AgentConfig]:
    """Give each agent the base of its kind from the same rows; return the agents without the bases. No query."""
    bases = {agent.kind: agent for agent in agents if agent.is_base}
    others = [agent for agent in agents if not agent.is_base]
    for agent in others:
        agent.base = bases.get(agent.kind)
    return others


def defaults_attach(agents: Iterable[AgentConfig], defaults: PlatformDefaults) -> None:
    """Give each agent the platform's defaults of its kind, which it would else read itself. No query."""
    for agent in agents:
        agent.defaults = defaults.of(agent.kind)


def base_attach(agent: AgentConfig) -> AgentConfig:
    """Give an agent its base with what is inherited from it, unless it has it already; return the agent. At most five queries."""
    if agent.base is None and not agent.is_base and not KINDS[agent.kind].is_custom:
        agent.base = AgentConfig.objects.filter(kind=agent.kind, provider=ALL_PROVIDERS).prefetch_related(*INHERITED_PARTS).first()
    return agent


def base_part(agent: AgentConfig, part: Part) -> Part | None:
    """Return the row with this part's name of the agent's base."""
    return _part_with_name(_parts_of(agent.base, type(part)), part.name) if agent.base is not None else None


def part_rows(agent: AgentConfig, model: type[Part], name: str) -> list[Part]:
    """Return the agent's own row of this name, then its base's, as far as they exist."""
    return parts_by_name(agent, model).get(name, [])


def parts_by_name(agent: AgentConfig, model: type[Part]) -> dict[str, list[Part]]:
    """Return the agent's own rows and then its base's, by their names."""
    parts: dict[str, list[Part]] = {}
    for row in (*_parts_of(agent, model), *(_parts_of(agent.base, model) if agent.base is not None else ())):
        parts.setdefault(row.name, []).append(row)
    return parts


def first_set(rows: Iterable[Any], field: str, default: Any) -> Any:
    """Return the first of the rows' values that is not blank, or else the default."""
    return next((value for row in rows if (value := getattr(row, field)) not in (None, "")), default)


def tools_in_use(agent: AgentConfig) -> list[AgentTool]:
    """Return the sources of the agent's base, then what it has besides."""
    base_tools = list(agent.base.tools.all()) if agent.base is not None else []
    sources = {tool.source for tool in base_tools if tool.source is not None}
    return [*base_tools, *(tool for tool in agent.tools.all() if tool.source not in sources)]


def agents_on(agents: QuerySet[AgentConfig]) -> QuerySet[AgentConfig]:
    """Return those of the agents that are enabled, by themselves or by their base; bases are left out."""
    off = AgentConfig.objects.filter(provider=ALL_PROVIDERS, is_enabled=False).values("kind")
    return agents.exclude(provider=ALL_PROVIDERS).exclude(Q(is_enabled=False) | Q(is_enabled=None, kind__in=off))


def _parts_of(agent: AgentConfig, model: Any) -> Iterable[Any]:
    return agent.operations.all() if model is AgentOperation else agent.sections.all()


def _part_with_name(rows: Iterable[Part], name: str) -> Part | None:
    return next((row for row in rows if row.name == name), None)
