"""Checks of a draft's providers before it is published: models, endpoints, chat agents and prices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_AGENT, PROVIDERS, agent_key
from admin_config.errors import Problem
from admin_config.models import AgentConfig, AppSettings, ModelConfig, ProviderEndpoint


class ProviderDraft(Protocol):
    """The parts of a Draft (admin_config.services.drafts.draft) that are checked."""

    @property
    def settings(self) -> AppSettings: ...

    @property
    def endpoints(self) -> Sequence[ProviderEndpoint]: ...

    @property
    def models(self) -> Sequence[ModelConfig]: ...

    @property
    def agents(self) -> Sequence[AgentConfig]: ...


def provider_problems(draft: ProviderDraft) -> Iterator[Problem]:
    """Yield what prevents a provider that users may choose from answering."""
    yield from _default_model_problems(draft)
    active = draft.settings.active_provider
    for provider in dict.fromkeys((active, *draft.settings.offered_providers)):
        label = PROVIDERS[provider].label
        role = gettext("is the active provider") if provider == active else gettext("is offered to users")
        if not any(endpoint.is_enabled for endpoint in draft.endpoints if endpoint.provider == provider):
            yield Problem(gettext("%(label)s %(role)s and needs an enabled endpoint.") % {"label": label, "role": role})
        if not any(agent.is_on for agent in draft.agents if agent.key == agent_key(CHAT_AGENT, provider)):
            yield Problem(gettext("%(label)s %(role)s and needs its chat agent enabled.") % {"label": label, "role": role})


def price_problems(draft: ProviderDraft) -> Iterator[Problem]:
    """Yield agents with a cost budget that could not be enforced, because a model has no price."""
    providers = {draft.settings.active_provider, *draft.settings.offered_providers}
    for agent in draft.agents:
        is_limited = agent.is_own("cost_budget_usd") or (agent.is_set("cost_budget_usd") and agent.provider in providers)
        unpriced_models = [str(m) for m in draft.models if m.provider == agent.provider and m.is_enabled and not m.has_price]
        if is_limited and unpriced_models:
            text = gettext("%(agent)s: a cost budget needs the prices of all models that may answer. Without a price: %(unpriced)s.") % {
                "agent": agent,
                "unpriced": ", ".join(unpriced_models),
            }
            yield Problem(text, row_id=agent.id, field="cost_budget_usd")


def _default_model_problems(draft: ProviderDraft) -> Iterator[Problem]:
    for provider in {model.provider for model in draft.models if model.is_enabled} | {
        draft.settings.active_provider,
        *draft.settings.offered_providers,
    }:
        if not any(model.is_default and model.is_enabled for model in draft.models if model.provider == provider):
            yield Problem(gettext("%(label)s needs exactly one default model that is enabled.") % {"label": PROVIDERS[provider].label})
