"""Services for agents that admins create (SPEC 4.9). All need the organization's `tenant_tx`; none of them publishes."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from admin_config.defaults.platform import CUSTOM_AGENT, KINDS, agent_key
from admin_config.errors import Problem, ReleaseInvalid
from admin_config.models import AgentConfig, AgentTool, PromptSection, ToolSource
from admin_config.validation.agents import check_own_name


def check_agent_name(name: str) -> None:
    """Raise ValidationError for an invalid name, or one that the platform or a tool source already uses."""
    check_own_name(name)
    for source in ToolSource.objects.all():
        if name in source.given_names:
            raise ValidationError(
                gettext("%(source)s gives a tool named %(name)s. Choose another name.") % {"source": source.name, "name": name}
            )


@transaction.atomic
def custom_agent_save_new(agent: AgentConfig) -> None:
    """Save a new agent that has a name, a provider and any other chosen fields, with its prompt sections."""
    agent.kind, agent.key = CUSTOM_AGENT, agent_key(agent.name, agent.provider)
    agent.save()
    PromptSection.objects.bulk_create(PromptSection(agent=agent, name=section.name) for section in KINDS[CUSTOM_AGENT].sections)


def check_unused(agent: AgentConfig) -> None:
    """Raise ReleaseInvalid with the names of the agents that use this one."""
    users = sorted(AgentTool.objects.filter(sub_agent=agent).values_list("agent__key", flat=True))
    if users:
        raise ReleaseInvalid(
            [Problem(gettext("%(key)s is used by %(users)s. Take it away there first.") % {"key": agent.key, "users": ", ".join(users)})]
        )
