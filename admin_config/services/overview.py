"""Overview page of an organization's admin: what is live, who answers, and whether it can."""

from __future__ import annotations

from dataclasses import dataclass

from admin_config.defaults.platform import PROVIDERS
from admin_config.models import AgentConfig, Release
from admin_config.services.draft import Draft, draft_compose, draft_load
from admin_config.services.own_keys import NO_KEY, key_words


@dataclass(frozen=True)
class Overview:
    """Facts of the overview page. `agents`, `model` and `key` are those of the active provider."""

    provider: str
    model: str
    key: str
    publish_on_save: bool
    live: Release | None
    draft_differs: bool
    agents: list[AgentConfig]


def overview_load() -> Overview:
    """Return the current organization's overview. Raises AppSettings.DoesNotExist before it was seeded."""
    draft = draft_load()
    provider, live = draft.settings.active_provider, draft.settings.live_release
    models = [model for model in draft.models if model.provider == provider and model.is_default]
    return Overview(
        provider=PROVIDERS[provider].label,
        model=models[0].display_name if models else "",
        key=_key_state(draft),
        publish_on_save=draft.settings.publish_on_save,
        live=live,
        draft_differs=live is None or live.content_hash != draft_compose(draft).content_hash(),
        agents=[agent for agent in draft.agents if agent.provider == provider],
    )


def _key_state(draft: Draft) -> str:
    """Return which key is used first. One that is missing counts only if no other endpoint has one."""
    provider = draft.settings.active_provider
    words = [key_words(row) for row in draft.endpoints if row.provider == provider and row.is_enabled]
    return next((found for found in words if found != NO_KEY), NO_KEY if PROVIDERS[provider].needs_key else "not needed")
