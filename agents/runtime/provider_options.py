"""Provider-specific settings of admins, as fields of the provider's requests (SPEC 2.9). Each adapter says how its API spells them."""

from __future__ import annotations

from typing import Any, Literal

from admin_config.defaults.platform import PROVIDERS
from admin_config.defaults.provider_settings import GoogleSettings, ProviderSettings
from admin_config.defaults.wires import WIRES
from admin_config.release import AgentSnapshot
from agents.providers.option_merging import merge_objects
from agents.providers.registry import adapter_class

Json = dict[str, Any]
ThinkingLevel = Literal["minimal", "low", "medium", "high"]


def provider_options(agent: AgentSnapshot, *, thinking_model: str | None = None) -> Json:
    """Return the agent's settings in its provider's spelling, overridden by the agent's additional fields.

    `thinking_model`: the provider's name of the model that thinks; without it, thinking settings are left out.
    """
    if agent.provider not in PROVIDERS:
        return merge_objects({}, agent.provider_options)
    return merge_objects(adapter_class(agent.provider).options(_settings(agent), thinking_model), agent.provider_options)


def thinking_level(agent: AgentSnapshot) -> ThinkingLevel:
    """Return the level for models that think in levels."""
    settings = _settings(agent) if agent.provider in PROVIDERS else None
    level = settings.thinking_level if isinstance(settings, GoogleSettings) else None
    return level or "high"


def _settings(agent: AgentSnapshot) -> ProviderSettings:
    return WIRES[PROVIDERS[agent.provider].wire].settings.model_validate(agent.provider_settings)
