"""Writes the agents of a release back into their rows. What equals the base's value, or else the platform's default, becomes blank again.

A release lists all agents with all their parts, so those that were added since are deleted. All functions need the organization's
`tenant_tx`.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.db import models

from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import ALL_PROVIDERS, KINDS, PROVIDERS, agent_key
from admin_config.extension_kinds import plugin_kinds, with_defaults
from admin_config.models import (
    AgentConfig,
    AgentOperation,
    AgentPlugin,
    AgentTool,
    Assistant,
    ModelConfig,
    PromptSection,
    StepRule,
    ToolSource,
)
from admin_config.models.platform import platform_defaults
from admin_config.release import AgentSnapshot, AgentToolSnapshot, PluginSnapshot, StepRuleSnapshot
from admin_config.services.agents.platform_agents import base_of, kinds_with_base, platform_agent
from admin_config.services.discarding.rows import row_put, row_write
from admin_config.services.drafts.agent_snapshots import agent_tool_snapshot, plugin_snapshots, step_rule_snapshot
from admin_config.services.replaced_secrets import plugin_keeps_secret
from security.secrets.services import secret_delete

TEXTS = ("system_prompt", "description")
NUMBERS = ("temperature", "max_output_tokens", "max_steps", "thinking_budget")
PARTS = ("operations", "sections", "step_rules", "plugins__secret", "assistants", "tools__sub_agent")


def agents_write(agents: Mapping[str, AgentSnapshot], bases: Mapping[str, AgentSnapshot], author_id: int | None) -> None:
    """Write all agents and their bases, then what they may use. Those of kinds or providers that Parley no longer has are left out.

    The bases of a release from before there were bases set nothing.
    """
    _delete_others(agents, author_id)
    rows = {row.key: row for row in AgentConfig.objects.prefetch_related(*PARTS)}
    supported_bases = {base.key: base for base in (base_of(kind, bases) for kind in kinds_with_base()) if base.key in {*rows, *bases}}
    supported_agents = {key: agent for key, agent in agents.items() if agent.kind in KINDS and agent.provider in PROVIDERS}
    defaults = platform_defaults()
    model_ids = frozenset(ModelConfig.objects.values_list("id", flat=True))
    for key, agent in (supported_bases | supported_agents).items():
        has_base = key not in supported_bases and agent_key(agent.kind, ALL_PROVIDERS) in supported_bases
        below = base_of(agent.kind, bases) if has_base else platform_agent(agent.kind, defaults.of(agent.kind))
        new = AgentConfig(key=key, kind=agent.kind, provider=agent.provider)
        model_id = agent.model_id if agent.model_id in model_ids else None
        rows[key] = row = row_put(rows.get(key), new, model_id=model_id, **_agent_values(agent, below))
        _prompts_write(row, agent, below)
        _step_rules_write(row, agent.step_rules)
        _plugins_write(row, agent.plugins, author_id)
        _assistant_write(row, agent)
    for key, agent in (supported_bases | supported_agents).items():
        base_tools = () if key in supported_bases else base_of(agent.kind, bases).tools
        _tools_write(rows[key], tuple(tool for tool in agent.tools if tool not in base_tools), rows)


def _delete_others(agents: Mapping[str, AgentSnapshot], author_id: int | None) -> None:
    others = AgentConfig.objects.exclude(key__in=agents).exclude(provider=ALL_PROVIDERS)
    for plugin in AgentPlugin.objects.filter(agent__in=others).exclude(secret=None):
        if plugin.secret_id is not None:
            secret_delete(secret_id=plugin.secret_id, actor_user_id=author_id)
    others.delete()


def _agent_values(agent: AgentSnapshot, below: AgentSnapshot) -> dict[str, Any]:
    """Return the columns of the row. `below`: what holds where a column is blank."""
    own = AgentConfig(kind=agent.kind, provider=agent.provider)
    return {
        **{name: _blank_default(getattr(agent, name), getattr(below, name), "") for name in TEXTS},
        **{name: _blank_default(getattr(agent, name), getattr(below, name), None) for name in NUMBERS},
        **{name: _option_value(name, getattr(agent, name), getattr(below, name)) for name in AgentOptions.model_fields},
        "name": agent.name,
        "input_schema": agent.input_schema,
        "is_enabled": _blank_default(agent.is_enabled, below.is_enabled, None),
        "builtin_tools": None if agent.builtin_tools == own.builtin_tools_on else list(agent.builtin_tools),
        "provider_settings": agent.provider_settings,
        "provider_options": agent.provider_options,
    }


def _blank_default(value: Any, default: Any, blank: Any) -> Any:
    return blank if value == default else value


def _option_value(name: str, value: Any, below: Any) -> Any:
    """Return the value of the option's column: lists and pairs as lines, and blank where `below` is the same."""
    column = AgentConfig._meta.get_field(name)
    assert isinstance(column, models.Field)
    if value == below:
        return column.get_default()
    if isinstance(value, tuple):
        return "\n".join(value)
    if isinstance(value, dict):
        return "\n".join(f"{key}: {inner}" for key, inner in value.items())
    return Decimal(str(value)) if isinstance(column, models.DecimalField) else value


def _prompts_write(row: AgentConfig, agent: AgentSnapshot, below: AgentSnapshot) -> None:
    operations = {one.name: one for one in row.operations.all()}
    for operation in below.operations.values():
        if (own := agent.operations.get(operation.name)) is not None:
            row_put(
                operations.get(operation.name),
                AgentOperation(agent=row, name=operation.name),
                is_enabled=_blank_default(own.is_enabled, operation.is_enabled, None),
                system_prompt=_blank_default(own.system_prompt, operation.system_prompt, ""),
                user_prompt_template=_blank_default(own.user_prompt_template, operation.user_prompt_template, ""),
            )
    sections = {one.name: one for one in row.sections.all()}
    for name, section in below.sections.items():
        if (text := agent.sections.get(name)) is not None:
            row_put(
                sections.get(name),
                PromptSection(agent=row, name=name),
                is_enabled=_blank_default(text.is_enabled, section.is_enabled, None),
                text=_blank_default(text.text, section.text, ""),
            )


def _step_rules_write(row: AgentConfig, rules: tuple[StepRuleSnapshot, ...]) -> None:
    if tuple(step_rule_snapshot(rule) for rule in row.step_rules.all()) == rules:
        return
    StepRule.objects.filter(agent=row).delete()
    for position, rule in enumerate(rules, start=1):
        StepRule.objects.create(
            agent=row,
            position=position,
            first_step=rule.first,
            last_step=rule.last,
            active_tools="\n".join(rule.active_tools or ()),
            tool_choice=rule.tool_choice or "",
            max_output_tokens=rule.max_output_tokens,
            temperature=rule.temperature,
        )


def _plugins_write(row: AgentConfig, plugins: tuple[PluginSnapshot, ...], author_id: int | None) -> None:
    """Write the enabled plugins. Those that the release doesn't list are disabled."""
    if tuple(plugin_snapshots(row)) == plugins:
        return
    old_plugins = {plugin.id: plugin for plugin in row.plugins.all()}
    plugin_ids = {plugin.id for plugin in plugins}
    for other in old_plugins.values():
        if other.id not in plugin_ids:
            row_write(other, is_enabled=False)
    for position, plugin in enumerate(plugins, start=1):
        if plugin.id is not None:
            new = AgentPlugin(id=plugin.id, agent=row, name=plugin.name)
            target = row_put(old_plugins.get(plugin.id), new, is_enabled=True, position=position, settings=_own_settings(plugin))
            _check_plugin_secret(target, author_id)


def _assistant_write(row: AgentConfig, agent: AgentSnapshot) -> None:
    old_row = next(iter(row.assistants.all()), None)
    if agent.assistant is None:
        if old_row is not None:
            old_row.delete()
        return
    values = agent.assistant.model_dump(mode="json") | {"picture_id": agent.assistant.picture_id}
    row_put(old_row, Assistant(agent=row), **values)


def _own_settings(plugin: PluginSnapshot) -> dict[str, Any]:
    kind = plugin_kinds().get(plugin.name)
    defaults = with_defaults(kind, {}) if kind else {}
    return {name: value for name, value in plugin.settings.items() if name not in defaults or defaults[name] != value}


def _check_plugin_secret(plugin: AgentPlugin, author_id: int | None) -> None:
    secret_id = plugin.secret_id
    if secret_id is not None and not plugin_keeps_secret(plugin):
        plugin.secret = None
        plugin.save(update_fields=["secret"])
        secret_delete(secret_id=secret_id, actor_user_id=author_id)


def _tools_write(row: AgentConfig, tools: tuple[AgentToolSnapshot, ...], rows: Mapping[str, AgentConfig]) -> None:
    """Write what the agent may use. A source that was deleted while it was disabled can't be given back."""
    if tuple(agent_tool_snapshot(tool) for tool in row.tools.all()) == tools:
        return
    AgentTool.objects.filter(agent=row).delete()
    sources = set(ToolSource.objects.values_list("id", flat=True))
    for position, tool in enumerate(tools, start=1):
        sub_agent = rows.get(tool.agent_key)
        if tool.source_id in sources or sub_agent is not None:
            AgentTool.objects.create(agent=row, source_id=tool.source_id, sub_agent=sub_agent, position=position)
