"""Services of assistants (SPEC 4.14). All need the organization's `tenant_tx`; none of them publishes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from admin_config.defaults.platform import agent_key
from admin_config.models import AgentConfig, AgentTool, AppSettings, Assistant, AssistantPicture, ModelConfig, ToolSource
from admin_config.services.agents.custom_agents import check_agent_name, custom_agent_save_new
from tenants.input.pictures import Picture

MAX_NAME_STEM = 34  # leaves room for a number and an underscore in an agent's name
KNOWLEDGE = "files"  # the kind of tool source that holds knowledge files


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantParts:
    """What the assistant's form says about its agent and its picture."""

    prompt: str
    call_description: str  # by which other agents know it; "": its description
    model: ModelConfig | None  # None: the default of its provider
    sources: Sequence[ToolSource]
    sub_agents: Sequence[AgentConfig]
    picture: Picture | None  # None: stays
    without_picture: bool


@transaction.atomic
def assistant_save(assistant: Assistant, parts: AssistantParts) -> Assistant:
    """Save a new or changed assistant with its agent, tools and picture. A new one without an agent gets one, named after its title."""
    old_agent = assistant.agent_or_none
    agent = old_agent or AgentConfig(provider=_provider(parts))
    agent.model, agent.system_prompt = parts.model, parts.prompt
    agent.description = parts.call_description or default_description(assistant)
    if old_agent is not None:
        agent.save(update_fields=["model", "system_prompt", "description"])
    else:
        agent.name = _free_name(assistant.title, agent.provider)
        custom_agent_save_new(agent)
        assistant.agent = agent
    _tools_write(agent, parts)
    if parts.picture is not None:
        assistant.picture = AssistantPicture.objects.create(content=parts.picture.content)
    elif parts.without_picture:
        assistant.picture = None
    assistant.save()
    return assistant


def default_description(assistant: Assistant) -> str:
    """Return what other agents are told about an assistant of which the admin said nothing else."""
    return f"{assistant.title}: {assistant.description}"


@transaction.atomic
def assistant_delete(assistant: Assistant) -> bool:
    """Delete the assistant, and its agent unless other agents call it. Return whether the agent is gone."""
    agent = assistant.agent
    assistant.delete()
    if AgentTool.objects.filter(sub_agent=agent).exists():
        return False
    agent.delete()
    return True


def _provider(parts: AssistantParts) -> str:
    return parts.model.provider if parts.model else AppSettings.objects.get().active_provider


def _tools_write(agent: AgentConfig, parts: AssistantParts) -> None:
    """Write what the agent may use. What stays keeps its place; a source that is switched off, and so not in the form, stays too."""
    tools = list(AgentTool.objects.filter(agent=agent).select_related("source"))
    target_ids = {*(source.pk for source in parts.sources), *(sub_agent.pk for sub_agent in parts.sub_agents)}
    for tool in tools:
        is_shown = tool.source is None or tool.source.is_enabled
        if is_shown and (tool.source_id or tool.sub_agent_id) not in target_ids:
            tool.delete()
    current_ids = {tool.source_id or tool.sub_agent_id for tool in tools}
    position = max((tool.position for tool in tools), default=0)
    new: list[dict[str, Any]] = [{"sub_agent": one} for one in parts.sub_agents if one.pk not in current_ids]
    more: list[dict[str, Any]] = [{"source": one} for one in parts.sources if one.pk not in current_ids]
    AgentTool.objects.bulk_create(
        AgentTool(agent=agent, position=position + place, **what) for place, what in enumerate([*new, *more], start=1)
    )


def _free_name(title: str, provider: str) -> str:
    """Return a name for the agent that is made from the title: small letters, digits and underscores."""
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:MAX_NAME_STEM].strip("_")
    stem = stem if stem[:1].isalpha() else f"assistant_{stem}".strip("_")
    keys = set(AgentConfig.objects.values_list("key", flat=True))
    names = (stem, *(f"{stem}_{number}" for number in range(2, len(keys) + 3)))
    return next(name for name in names if agent_key(name, provider) not in keys and _is_allowed(name))


def _is_allowed(name: str) -> bool:
    try:
        check_agent_name(name)
    except ValidationError:
        return False
    return True
