"""Provider-specific settings of admins, as fields of the provider's requests (SPEC 2.9).

There is one function per wire; the adapters merge the fields into their requests. Sources: the request types of the
SDKs; https://openrouter.ai/docs/features/provider-routing,
https://vercel.com/docs/ai-gateway/openresponses/provider-options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from admin_config.defaults.platform import PROVIDERS, Wire
from admin_config.defaults.provider_settings import (
    AnthropicSettings,
    CompatibleSettings,
    GoogleSettings,
    OpenAISettings,
)
from admin_config.release import AgentSnapshot
from agents.providers.anthropic.model_traits import traits_of
from agents.providers.option_merging import merge_objects

Json = dict[str, Any]
ThinkingLevel = Literal["minimal", "low", "medium", "high"]

HARM_CATEGORIES = {
    "harassment": "HARM_CATEGORY_HARASSMENT",
    "hate_speech": "HARM_CATEGORY_HATE_SPEECH",
    "sexually_explicit": "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "dangerous_content": "HARM_CATEGORY_DANGEROUS_CONTENT",
    "civic_integrity": "HARM_CATEGORY_CIVIC_INTEGRITY",
}


def provider_options(agent: AgentSnapshot, *, thinking_model: str | None = None) -> Json:
    """Return the agent's settings in its provider's spelling, overridden by the agent's additional fields.

    `thinking_model`: the provider's name of the model that thinks; without it, thinking settings are left out.
    """
    wire = _wire(agent)
    settings = _OPTIONS_BY_WIRE[wire](agent.provider_settings, thinking_model) if wire else {}
    return merge_objects(settings, agent.provider_options)


def thinking_level(agent: AgentSnapshot) -> ThinkingLevel:
    """Return the level for models that think in levels."""
    google = GoogleSettings.model_validate(agent.provider_settings) if _wire(agent) == "google" else GoogleSettings()
    return google.thinking_level or "high"


def _wire(agent: AgentSnapshot) -> Wire | None:
    return PROVIDERS[agent.provider].wire if agent.provider in PROVIDERS else None


def _google(values: Json, thinking_model: str | None) -> Json:
    thresholds = GoogleSettings.model_validate(values).set_values()
    safety = [{"category": category, "threshold": thresholds[name]} for name, category in HARM_CATEGORIES.items() if name in thresholds]
    return {"safetySettings": safety} if safety else {}


def _openai(values: Json, thinking_model: str | None) -> Json:
    settings = OpenAISettings.model_validate(values)
    return _group("reasoning", {"effort": settings.reasoning_effort, "summary": settings.reasoning_summary} if thinking_model else {})


def _anthropic(values: Json, thinking_model: str | None) -> Json:
    settings = AnthropicSettings.model_validate(values)
    if thinking_model is None:
        return {}
    effort = None if traits_of(thinking_model).takes_budget else settings.effort  # models that accept a budget reject an effort
    return _group("output_config", {"effort": effort}) | _group("thinking", {"display": settings.thinking_display})


def _compatible(values: Json, thinking_model: str | None) -> Json:
    settings = CompatibleSettings.model_validate(values)
    routing = {"order": list(settings.order), "only": list(settings.only)}
    fallbacks, keeps_nothing = list(settings.fallback_models), settings.zero_data_retention
    match settings.gateway:
        case "openrouter":
            own = _set({"models": fallbacks, "user": settings.user})
            return _group("provider", {**routing, "zdr": keeps_nothing}) | own
        case "vercel":
            named = {"models": fallbacks, "user": settings.user, "tags": list(settings.tags), "zeroDataRetention": keeps_nothing}
            return _group("providerOptions", {"gateway": _set({**routing, **named})})
        case _:
            return {}


def _group(name: str, members: Json) -> Json:
    kept = _set(members)
    return {name: kept} if kept else {}


def _set(members: Json) -> Json:
    return {name: value for name, value in members.items() if value}


_OPTIONS_BY_WIRE: Mapping[Wire, Callable[[Json, str | None], Json]] = {
    "google": _google,
    "openai": _openai,
    "anthropic": _anthropic,
    "compatible": _compatible,
}
