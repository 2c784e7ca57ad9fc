"""Copies the values of one provider's agent to others of its kind (SPEC 4.15). Needs the organization's `tenant_tx`; never publishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from admin_config.defaults.options import OPTIONS
from admin_config.models import AgentConfig, AgentOperation, PromptSection, StepRule
from admin_config.services.agents.value_texts import Place
from admin_config.services.settings_lock import settings_lock
from security.audit import audit
from tenants.context import current_organization_id

FIELDS = ("is_enabled", "description", "system_prompt", "temperature", "max_output_tokens", "max_steps", "thinking_budget", *OPTIONS)
RULE_FIELDS = ("position", "first_step", "last_step", "active_tools", "tool_choice", "max_output_tokens", "temperature")


@transaction.atomic
def agent_copy(source: AgentConfig, targets: Sequence[AgentConfig], *, author_id: int | None = None) -> None:
    """Give the targets, agents of the same kind, the source's settings, prompts and step rules, and write an audit event for each.

    What a provider alone has stays as it is: its model, tools, sub-agents, plugins and own settings. A base gets no step rules.
    Locks the organization's settings row, and reads all of them anew.
    """
    _lock([source, *targets])
    for target in targets:
        assert target.kind == source.kind
        fields = [name for name in FIELDS if getattr(target, name) != getattr(source, name)]
        for name in fields:
            setattr(target, name, getattr(source, name))
        target.save(update_fields=fields)
        _texts_copy(source, target)
        if not target.is_base and not source.is_base:
            _rules_copy(source, target)
        _audit(source, target, author_id)


@transaction.atomic
def agent_values_copy(
    source: AgentConfig, targets: Sequence[AgentConfig], places: Sequence[Place], *, author_id: int | None = None
) -> None:
    """Give the targets, agents of the same kind, these of the source's values, and write an audit event for each. Locks as `agent_copy`."""
    _lock([source, *targets])
    for target in targets:
        assert target.kind == source.kind
        fields = [place.field for place in places if place.model is None]
        for name in fields:
            setattr(target, name, getattr(source, name))
        target.save(update_fields=fields)
        for place in places:
            if place.model is not None and issubclass(place.model, (PromptSection, AgentOperation)):
                [value] = place.model.objects.filter(agent=source, name=place.part).values_list(place.field, flat=True)
                place.model.objects.filter(agent=target, name=place.part).update(**{place.field: value})
        _audit(source, target, author_id, fields=[place.key for place in places])  # a label is in the author's language


def _lock(agents: Sequence[AgentConfig]) -> None:
    """Lock the organization's settings row, and read the agents anew."""
    settings_lock(current_organization_id())
    for agent in agents:
        agent.refresh_from_db()


def _texts_copy(source: AgentConfig, target: AgentConfig) -> None:
    for section in PromptSection.objects.filter(agent=source):
        PromptSection.objects.filter(agent=target, name=section.name).update(is_enabled=section.is_enabled, text=section.text)
    for one in AgentOperation.objects.filter(agent=source):
        AgentOperation.objects.filter(agent=target, name=one.name).update(
            is_enabled=one.is_enabled, system_prompt=one.system_prompt, user_prompt_template=one.user_prompt_template
        )


def _rules_copy(source: AgentConfig, target: AgentConfig) -> None:
    StepRule.objects.filter(agent=target).delete()
    for rule in StepRule.objects.filter(agent=source):
        values: dict[str, Any] = {name: getattr(rule, name) for name in RULE_FIELDS}
        StepRule.objects.create(agent=target, **values)


def _audit(source: AgentConfig, target: AgentConfig, author_id: int | None, **detail: Any) -> None:
    audit(
        organization_id=current_organization_id(),
        actor_user_id=author_id,
        action="agentconfig.copy",
        object_kind="agentconfig",
        object_id=target.pk,
        object_label=str(target),
        detail={"from": source.key, **detail},
    )
