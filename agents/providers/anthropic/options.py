"""An agent's settings for Claude, as fields of its requests. Source: the request types of the SDK."""

from __future__ import annotations

from typing import Any

from admin_config.defaults.provider_settings import AnthropicSettings
from agents.providers.anthropic.model_traits import traits_of
from agents.providers.option_merging import set_group


def anthropic_options(settings: AnthropicSettings, thinking_model: str | None) -> dict[str, Any]:
    if thinking_model is None:
        return {}
    effort = None if traits_of(thinking_model).takes_budget else settings.effort  # models that accept a budget reject an effort
    return set_group("output_config", {"effort": effort}) | set_group("thinking", {"display": settings.thinking_display})
