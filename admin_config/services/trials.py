"""What a trial runs with: the draft (or the live release) as a release of its own, which is never live (docs/decisions/0041).

A trial release is a row like any other, so that a run keeps it from its start to its end, whichever process works on it. It holds what
the tried agent can reach, and is found again by its content: asking twice without a change makes no second row.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_AGENT, KINDS, agent_key
from admin_config.errors import AgentNotConfigured, ReleaseInvalid
from admin_config.extension_kinds import plugin_kinds, tool_kinds
from admin_config.models import AppSettings, Release
from admin_config.release import AgentSnapshot, ReleaseSnapshot, ToolSourceSnapshot
from admin_config.services.drafts.draft import DraftChoice, draft_load, whole_draft
from admin_config.services.replaced_secrets import with_current_keys
from admin_config.services.selectors import LoadedRelease, release_content, release_load
from tenants.errors import NotFound

NOTE: Final = "Trial"


def draft_snapshot(choose: DraftChoice = whole_draft) -> ReleaseSnapshot:
    """Return the draft, or what is chosen of it, as it would be published. Raises ReleaseInvalid when it has problems."""
    candidate = choose(draft_load())
    if candidate.problems:
        raise ReleaseInvalid(candidate.problems)
    return candidate.snapshot


def live_snapshot() -> ReleaseSnapshot | None:
    """Return the live release with today's keys; None before anything was published."""
    live_id: UUID | None = AppSettings.objects.values_list("live_release_id", flat=True).get()
    return with_current_keys(release_content(live_id)) if live_id else None


def trial_release_store(snapshot: ReleaseSnapshot, *, author_id: int) -> UUID:
    """Store what a trial runs with, unless it is stored already; return its id. At most three queries."""
    content_hash = snapshot.content_hash()
    release_id: UUID | None = Release.objects.filter(is_trial=True, content_hash=content_hash).values_list("pk", flat=True).first()
    if release_id is not None:
        return release_id
    number = AppSettings.objects.values_list("live_release__number", flat=True).first() or 0
    content = snapshot.as_json()
    row = Release.objects.create(is_trial=True, number=number, content=content, content_hash=content_hash, author_id=author_id, note=NOTE)
    return row.pk


def trial_release(release_id: UUID) -> LoadedRelease:
    """Return what was stored for a trial. Raises NotFound, also for a release that is or was live."""
    try:
        release = release_load(release_id)
    except Release.DoesNotExist as error:
        raise NotFound from error
    if not release.is_trial:
        raise NotFound
    return release


def trial_snapshot(snapshot: ReleaseSnapshot, key: str, *, ask: bool) -> ReleaseSnapshot:
    """Return the part of a release that the agent can reach, with the agent's provider as the active one.

    An agent that admins made stands in the chat agent's place, so that one talks to it. Other agents that are tools are reached through
    the chat agent, as by members. `ask`: tools that reach other servers with a secret of the organization ask first. Raises
    AgentNotConfigured.
    """
    trial_agent = snapshot.agents.get(key)
    if trial_agent is None:
        raise AgentNotConfigured(gettext("This version has no such agent."))
    agents = {name: agent for name, agent in snapshot.agents.items() if agent.provider == trial_agent.provider}
    if KINDS[trial_agent.kind].is_custom:
        agents[agent_key(CHAT_AGENT, trial_agent.provider)] = _as_chat_agent(trial_agent)
    stack = list(agents.values())
    while stack:
        for sub_agent in snapshot.sub_agents_of(stack.pop()):
            if sub_agent.key not in agents:
                agents[sub_agent.key] = sub_agent
                stack.append(sub_agent)
    providers = {agent.provider for agent in agents.values()}
    sources = {tool.source_id for agent in agents.values() for tool in agent.tools}
    return snapshot.model_copy(
        update={
            "active_provider": trial_agent.provider,
            "offered_providers": (),
            "agents": {name: _without_outgoing_plugins(agent) for name, agent in sorted(agents.items())},
            "bases": {},
            "endpoints": tuple(endpoint for endpoint in snapshot.endpoints if endpoint.provider in providers),
            "models": tuple(model for model in snapshot.models if model.provider in providers),
            "tool_sources": tuple(_with_confirmation(source, ask) for source in snapshot.tool_sources if source.id in sources),
        }
    )


def _with_confirmation(source: ToolSourceSnapshot, ask: bool) -> ToolSourceSnapshot:
    kind = tool_kinds().get(source.kind)
    reaches_out = kind is not None and kind.secret_url is not None
    return source.model_copy(update={"confirm": True}) if ask and reaches_out else source


def _without_outgoing_plugins(agent: AgentSnapshot) -> AgentSnapshot:
    """Return the agent without plugins that send something out: nobody but the admin shall hear of a trial."""
    kinds = plugin_kinds()
    plugins = tuple(plugin for plugin in agent.plugins if plugin.name not in kinds or kinds[plugin.name].secret_url is None)
    return agent.model_copy(update={"plugins": plugins})


def _as_chat_agent(agent: AgentSnapshot) -> AgentSnapshot:
    return agent.model_copy(update={"kind": CHAT_AGENT, "is_enabled": True})
