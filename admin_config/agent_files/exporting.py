"""Export of an organization's agents and tool sources to YAML. Needs the organization's `tenant_tx`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from admin_config.agent_files.rows import row_export
from admin_config.models import AgentConfig, AgentPlugin, AgentTool, Assistant, ToolSource
from tenants.models import MemberGroup

VERSION = 1
PARTS = ("operations", "sections", "step_rules", "plugins", "tools__source", "tools__sub_agent", "assistants")


class _Dumper(yaml.SafeDumper):
    """YAML dumper that writes long texts as blocks, as people would, and never uses references."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def agents_export() -> str:
    """Return the YAML. Platform defaults are omitted, so the file holds only what the organization changed; secrets are never in it."""
    agents = AgentConfig.objects.select_related("model").prefetch_related(*PARTS).order_by("key")
    content = {
        "parley": VERSION,
        "tool_sources": {source.name: _source(source) for source in ToolSource.objects.order_by("name")},
        "agents": {agent.key: _agent(agent) for agent in agents},
    }
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def _source(source: ToolSource) -> dict[str, Any]:
    return {"kind": source.kind, **row_export(source, without=frozenset({"name"}))}


def _agent(agent: AgentConfig) -> dict[str, Any]:
    parts = {
        "operations": {row.name: fields for row in agent.operations.all() if (fields := _export_part(row))},
        "sections": {row.name: fields for row in agent.sections.all() if (fields := _export_part(row))},
        "step_rules": [row_export(row) for row in agent.step_rules.all()],
        "plugins": list(_plugins(agent.plugins.all())),
        "tools": list(_tools(agent.tools.all())),
    }
    model = {"model": agent.model.model_id} if agent.model else {}
    if (assistant := next(iter(agent.assistants.all()), None)) is not None:
        parts["assistant"] = _assistant(assistant)
    filled_parts = {name: value for name, value in parts.items() if value}
    return {"kind": agent.kind, "provider": agent.provider, **model, **row_export(agent), **filled_parts}


def _assistant(assistant: Assistant) -> dict[str, Any]:
    """Return the assistant with its groups by name. Its picture is not in the file."""
    groups = MemberGroup.objects.filter(pk__in=assistant.groups).order_by("name").values_list("name", flat=True)
    fields = {"title": assistant.title, **row_export(assistant, without=frozenset({"title", "groups"}))}
    return {**fields, **({"groups": list(groups)} if assistant.groups else {})}


def _export_part(row: Any) -> dict[str, Any]:
    return row_export(row, without=frozenset({"name"}))


def _plugins(rows: Iterable[AgentPlugin]) -> Iterator[dict[str, Any]]:
    """Yield plugins that are enabled or have settings; the others are the same for every agent."""
    for row in rows:
        fields = row_export(row)
        if row.is_enabled or row.settings:
            yield fields


def _tools(rows: Iterable[AgentTool]) -> Iterator[dict[str, Any]]:
    """Yield the tools in their order, which is the file's: a position is not named."""
    for row in rows:
        what = {"source": row.source.name} if row.source else {"agent": row.sub_agent.key if row.sub_agent else ""}
        yield {**what, **row_export(row, without=frozenset({"position"}))}
