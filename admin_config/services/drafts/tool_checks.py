"""Checks of a draft's tool names before it is published (SPEC 4.10): the platform's own are reserved, and an agent has each name only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext

from admin_config.errors import Problem
from admin_config.models import AgentConfig, ToolSource
from admin_config.services.agents.bases import tools_in_use
from admin_config.validation.reserved_names import is_reserved


def tool_problems(sources: Iterable[ToolSource], agents: Iterable[AgentConfig]) -> Iterator[Problem]:
    """Yield why these sources can't be published together."""
    sources_by_id = {source.id: source for source in sources if source.is_enabled}
    for source in sources_by_id.values():
        for name in reserved_names(source):
            yield Problem(
                gettext("%(source)s: the name %(name)s is the platform's own. Choose another name or a prefix.")
                % {"source": source, "name": name},
                source.id,
                "name",
            )
    for agent in agents:
        own = [sources_by_id[tool.source_id] for tool in tools_in_use(agent) if tool.source_id in sources_by_id]
        yield from (Problem(f"{agent}: {text}", agent.id) for text in name_conflicts(own))


def reserved_names(source: ToolSource) -> list[str]:
    """Return those of its tools' names that belong to the platform's own tools."""
    return [name for name in source.given_names if is_reserved(name, kind=source.kind)]


def name_conflicts(sources: Iterable[ToolSource]) -> Iterator[str]:
    """Yield sentences about tool names that two of these sources share."""
    first: dict[str, ToolSource] = {}
    for source in sources:
        for name in source.given_names:
            if name in first:
                yield gettext("%(name)s and %(name_2)s both give a tool named %(name_3)s. Give one of them a prefix.") % {
                    "name": first[name].name,
                    "name_2": source.name,
                    "name_3": name,
                }
            first.setdefault(name, source)
