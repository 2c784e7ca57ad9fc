"""Agents and their parts, from the working rows to what a release holds of them. No queries: rows come with their parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from admin_config.defaults.platform import OperationDefaults, SectionDefaults
from admin_config.extension_kinds import plugin_kinds, with_defaults
from admin_config.models import AgentConfig, AgentOperation, AgentTool, Assistant, PromptSection, StepRule
from admin_config.release import (
    AgentSnapshot,
    AgentToolSnapshot,
    AssistantSnapshot,
    OperationSnapshot,
    PluginSnapshot,
    SectionSnapshot,
    StepRuleSnapshot,
)
from admin_config.services.agents.bases import first_set, parts_by_name, tools_in_use
from admin_config.validation.text_lists import parse_names

Value = TypeVar("Value")

AGENT_PARTS = ("operations", "sections", "step_rules", "plugins", "tools", "assistants")


def agent_snapshot(row: AgentConfig) -> AgentSnapshot:
    """Return the agent as a release holds it, with what it has from its base. Parts (AGENT_PARTS) are read from what was prefetched."""
    defaults = row.defaults
    operations, sections = parts_by_name(row, AgentOperation), parts_by_name(row, PromptSection)
    return AgentSnapshot(
        key=row.key,
        kind=row.kind,
        provider=row.provider,
        is_enabled=row.is_on,
        model_id=row.model_id,
        system_prompt=row.value("system_prompt") or defaults.system_prompt,
        description=row.value("description") or defaults.description,
        temperature=_or_default(row.value("temperature"), defaults.temperature),
        max_output_tokens=_or_default(row.value("max_output_tokens"), defaults.max_output_tokens),
        max_steps=_or_default(row.value("max_steps"), defaults.max_steps),
        thinking_budget=_or_default(row.value("thinking_budget"), defaults.thinking_budget),
        operations={part.name: _operation(operations.get(part.name, ()), part) for part in defaults.operations},
        sections={part.name: _section(sections.get(part.name, ()), part) for part in defaults.sections},
        step_rules=tuple(step_rule_snapshot(rule) for rule in row.step_rules.all()),
        plugins=tuple(plugin_snapshots(row)),
        builtin_tools=row.builtin_tools_on,
        provider_settings=row.provider_settings,
        provider_options=row.provider_options,
        tools=tuple(agent_tool_snapshot(tool) for tool in tools_in_use(row)),
        name=row.name,
        input_schema=row.input_schema,
        assistant=next(map(assistant_snapshot, row.assistants.all()), None),
        **row.options().model_dump(),
    )


def assistant_snapshot(row: Assistant) -> AssistantSnapshot:
    return AssistantSnapshot.model_validate({name: getattr(row, name) for name in AssistantSnapshot.model_fields})


def agent_tool_snapshot(row: AgentTool) -> AgentToolSnapshot:
    return AgentToolSnapshot(source_id=row.source_id, agent_key=row.sub_agent.key if row.sub_agent else "")


def _or_default(value: Value | None, default: Value) -> Value:
    return default if value is None else value


def _operation(rows: Sequence[AgentOperation], defaults: OperationDefaults) -> OperationSnapshot:
    return OperationSnapshot(
        name=defaults.name,
        is_enabled=first_set(rows, "is_enabled", defaults.is_enabled),
        system_prompt=first_set(rows, "system_prompt", defaults.system_prompt),
        user_prompt_template=first_set(rows, "user_prompt_template", defaults.user_prompt_template),
    )


def _section(rows: Sequence[PromptSection], defaults: SectionDefaults) -> SectionSnapshot:
    return SectionSnapshot(is_enabled=first_set(rows, "is_enabled", defaults.is_enabled), text=first_set(rows, "text", defaults.text))


def plugin_snapshots(agent: AgentConfig) -> Iterator[PluginSnapshot]:
    """Yield the enabled plugins. A row whose plugin no longer exists has no effect."""
    kinds = plugin_kinds()
    for row in agent.plugins.all():
        if row.is_enabled and row.name in kinds:
            settings = with_defaults(kinds[row.name], row.settings)
            yield PluginSnapshot(id=row.id, name=row.name, settings=settings, secret_id=row.secret_id)


def step_rule_snapshot(row: StepRule) -> StepRuleSnapshot:
    return StepRuleSnapshot(
        first=row.first_step,
        last=row.last_step,
        active_tools=parse_names(row.active_tools) or None,
        tool_choice=row.tool_choice or None,
        max_output_tokens=row.max_output_tokens,
        temperature=row.temperature,
    )
