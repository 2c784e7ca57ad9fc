"""Names that two tools would share (SPEC 4.10): the platform's own are reserved, and an agent has each name once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from admin_config.defaults.platform import TOOLS
from admin_config.errors import Problem
from admin_config.models import AgentConfig, ToolSource


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
