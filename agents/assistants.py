"""Assistants: agents that members choose (SPEC 4.14). Who may choose which, and how one of them answers."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.errors import AgentNotConfigured, AssistantUnavailable
from admin_config.release import AgentSnapshot, AssistantSnapshot, ReleaseSnapshot
from tenants.access import Actor
from tenants.models import GroupMember

# Sections of the chat agent's prompt that a custom agent lacks, because it usually answers another agent and not a person.
SHARED_SECTIONS = ("output_format", "tool_use", "user_preferences", "project")


def may_use(assistant: AssistantSnapshot, role: str, groups: Collection[UUID]) -> bool:
    """Return whether a member with this role, in these groups, may choose the assistant."""
    return assistant.audience == "everyone" or role in assistant.roles or not set(assistant.groups).isdisjoint(groups)


def assistants_for(snapshot: ReleaseSnapshot, actor: Actor, groups: Collection[UUID] | None = None) -> list[AgentSnapshot]:
    """Return the assistants that the actor may choose, in order. `groups`: theirs, if they were read already.

    At most one query, and only if an assistant is for groups. Needs the organization's `tenant_tx`.
    """
    candidates = [(agent, agent.assistant) for agent in snapshot.assistants() if agent.assistant is not None]
    if groups is None:
        groups = groups_of(actor) if any(assistant.groups for _, assistant in candidates) else ()
    return [agent for agent, assistant in candidates if may_use(assistant, actor.role, groups)]


def visible_agents(snapshot: ReleaseSnapshot, actor: Actor) -> list[AgentSnapshot]:
    """Return the agents without the assistants that the actor may not choose: that they exist is not for everybody to know.

    Needs the organization's `tenant_tx`.
    """
    own = {agent.key for agent in assistants_for(snapshot, actor)}
    return [agent for agent in snapshot.agents.values() if agent.assistant is None or agent.key in own or actor.can_audit]


def assistant_check(snapshot: ReleaseSnapshot, key: str, actor: Actor, groups: Collection[UUID] | None = None) -> None:
    """Raise AssistantUnavailable unless the actor may choose the assistant with this key; '' is the chat agent, for everybody."""
    if key and all(agent.key != key for agent in assistants_for(snapshot, actor, groups)):
        raise AssistantUnavailable


def groups_of(actor: Actor) -> set[UUID]:
    """Return the ids of the actor's groups. One query."""
    return set(GroupMember.objects.filter(membership_id=actor.membership_id).values_list("group_id", flat=True))


def answering_agent(agent: AgentSnapshot, snapshot: ReleaseSnapshot) -> AgentSnapshot:
    """Return the agent as it answers a person: an assistant gets what it lacks for that from its provider's chat agent.

    That is how answers look, how tools are used, what the member prefers, and the plugins, such as titles.
    """
    if agent.assistant is None or agent.kind == CHAT_AGENT:
        return agent
    try:
        chat = snapshot.agent(CHAT_AGENT, agent.provider)
    except AgentNotConfigured:
        return agent
    shared_sections = {name: chat.sections[name] for name in SHARED_SECTIONS if name in chat.sections}
    return agent.model_copy(update={"kind": CHAT_AGENT, "sections": {**shared_sections, **agent.sections}, "plugins": chat.plugins})
