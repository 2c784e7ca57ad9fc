"""An agent's settings for the two OpenAI wires, as fields of its requests.

Sources: the request types of the SDK; https://openrouter.ai/docs/features/provider-routing,
https://vercel.com/docs/ai-gateway/openresponses/provider-options, .../models-and-providers/provider-timeouts.
"""

from __future__ import annotations

from typing import Any

from admin_config.defaults.provider_settings import CompatibleSettings, OpenAISettings
from agents.providers.option_merging import set_fields, set_group


def responses_options(settings: OpenAISettings, thinking_model: str | None) -> dict[str, Any]:
    reasoning = {"effort": settings.reasoning_effort, "summary": settings.reasoning_summary} if thinking_model else {}
    return set_group("reasoning", reasoning)


def chat_options(settings: CompatibleSettings) -> dict[str, Any]:
    routing = {"order": list(settings.order), "only": list(settings.only)}
    fallbacks, keeps_nothing = list(settings.fallback_models), settings.zero_data_retention
    match settings.gateway:
        case "openrouter":
            own = set_fields({"models": fallbacks, "user": settings.user})
            return set_group("provider", {**routing, "zdr": keeps_nothing}) | own
        case "vercel":
            gateway_fields = {
                "models": fallbacks,
                "user": settings.user,
                "tags": list(settings.tags),
                "zeroDataRetention": keeps_nothing,
                "providerTimeouts": set_fields({"byok": settings.timeouts_ms}),
            }
            return set_group("providerOptions", {"gateway": set_fields({**routing, **gateway_fields})})
        case _:
            return {}
