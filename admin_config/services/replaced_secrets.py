"""Today's keys for an older release: a release holds ids of secrets, and a secret that was replaced since is gone."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from pydantic import ValidationError as SettingsInvalid

from admin_config.defaults.platform import PROVIDERS
from admin_config.extension_kinds import plugin_kinds
from admin_config.models import AgentPlugin, ProviderEndpoint, ToolSource
from admin_config.release import AgentSnapshot, ReleaseSnapshot


def with_current_keys(snapshot: ReleaseSnapshot) -> ReleaseSnapshot:
    """Return the snapshot with today's secrets. A key is kept only for the address that it was entered for."""
    keys = {(row.id, row.base_url or PROVIDERS[row.provider].base_url): row.secret_id for row in ProviderEndpoint.objects.all()}
    endpoints = tuple(e.model_copy(update={"secret_id": keys.get((e.id, e.base_url))}) for e in snapshot.endpoints)
    secrets = dict(AgentPlugin.objects.values_list("id", "secret_id"))
    agents = {key: _with_current_secrets(agent, secrets) for key, agent in snapshot.agents.items()}
    source_secrets = dict(ToolSource.objects.values_list("id", "secret_id"))
    sources = tuple(s.model_copy(update={"secret_id": source_secrets.get(s.id)}) for s in snapshot.tool_sources)
    return snapshot.model_copy(update={"endpoints": endpoints, "agents": agents, "tool_sources": sources})


def source_keeps_secret(source: ToolSource) -> bool:
    """Return whether the source keeps its secret, which belongs to the host that it was entered for (SECURITY 11)."""
    try:
        address = source.secret_address
    except SettingsInvalid:  # reported by the draft's checks
        return False
    return bool(address) and source.has_secret_for(address)


def plugin_keeps_secret(plugin: AgentPlugin) -> bool:
    """Return whether the plugin keeps its secret, by the same rule as `source_keeps_secret`."""
    kind = plugin_kinds().get(plugin.name)
    if kind is None or kind.secret_url is None:
        return False
    try:
        return plugin.has_secret_for(kind.secret_url(kind.settings.model_validate(plugin.settings)))
    except SettingsInvalid:
        return False


def _with_current_secrets(agent: AgentSnapshot, secrets: Mapping[UUID, UUID | None]) -> AgentSnapshot:
    plugins = tuple(p.model_copy(update={"secret_id": secrets.get(p.id) if p.id else None}) for p in agent.plugins)
    return agent.model_copy(update={"plugins": plugins})
