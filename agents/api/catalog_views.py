"""REST views of the models and agents of the live release (docs/rest.md)."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from rest_framework.response import Response

from admin_config.defaults.platform import PROVIDERS
from admin_config.errors import RunConfigError
from admin_config.release import AgentSnapshot, ModelSnapshot, ReleaseSnapshot
from admin_config.services.selectors import live_release
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class PriceItem(ResponseSchema):
    """Prices in US dollars per million tokens, valid from a date on, for prompts of more than `aboveTokens` tokens."""

    valid_from: date
    above_tokens: int
    input_usd: float | None
    cached_usd: float | None
    cache_write_usd: float | None
    output_usd: float | None
    thinking_usd: float | None


class ModelItem(ResponseSchema):
    """A model that the member can choose. `id` is Parley's id of it, `model` the provider's name."""

    id: UUID
    name: str
    model: str
    provider: str
    provider_label: str
    context_window: int
    max_output_tokens: int
    supports_thinking: bool
    supports_tools: bool
    supports_images: bool
    supports_pdf: bool
    is_default: bool
    prices: list[PriceItem]


class ModelList(ResponseSchema):
    items: list[ModelItem]


class AgentItem(ResponseSchema):
    """An agent. `model` is null when it uses the provider's default model."""

    key: str
    kind: str
    provider: str
    is_enabled: bool
    model: str | None
    description: str


class AgentList(ResponseSchema):
    items: list[AgentItem]


class ModelsView(RestView):
    @operation("listModels", "The models that you can choose", tag="models", answer=ModelList, etag=True)
    def get(self, request: ActorRequest) -> Response:
        snapshot = _snapshot(request.actor)
        if snapshot is None:
            return Response({"items": []})
        default_id = _default_model_id(snapshot)
        return Response({"items": [_model(model, is_default=model.id == default_id) for model in snapshot.models_offered()]})


class AgentsView(RestView):
    @operation("listAgents", "The agents", tag="agents", answer=AgentList, etag=True)
    def get(self, request: ActorRequest) -> Response:
        snapshot = _snapshot(request.actor)
        if snapshot is None:
            return Response({"items": []})
        names = {model.id: model.display_name for model in snapshot.models}
        return Response({"items": [_agent(agent, names) for agent in snapshot.agents.values()]})


def _snapshot(actor: Actor) -> ReleaseSnapshot | None:
    """Return the live release, or None before anything was published."""
    try:
        with tenant_tx(actor.organization_id):
            return live_release(organization_id=actor.organization_id).snapshot
    except RunConfigError:
        return None


def _default_model_id(snapshot: ReleaseSnapshot) -> UUID | None:
    try:
        return snapshot.chat_model(None)[1].id
    except RunConfigError:
        return None


def _model(model: ModelSnapshot, *, is_default: bool) -> dict[str, Any]:
    return {
        "id": str(model.id),
        "name": model.display_name,
        "model": model.model_id,
        "provider": model.provider,
        "providerLabel": PROVIDERS[model.provider].label,
        "contextWindow": model.context_window,
        "maxOutputTokens": model.max_output_tokens,
        "supportsThinking": model.supports_thinking,
        "supportsTools": model.supports_tools,
        "supportsImages": model.supports_images,
        "supportsPdf": model.supports_pdf,
        "isDefault": is_default,
        "prices": [
            {
                "validFrom": price.valid_from.isoformat(),
                "aboveTokens": price.above_tokens,
                "inputUsd": price.input_usd,
                "cachedUsd": price.cached_usd,
                "cacheWriteUsd": price.cache_write_usd,
                "outputUsd": price.output_usd,
                "thinkingUsd": price.thinking_usd,
            }
            for price in model.prices
        ],
    }


def _agent(agent: AgentSnapshot, models: dict[UUID, str]) -> dict[str, Any]:
    return {
        "key": agent.key,
        "kind": agent.kind,
        "provider": agent.provider,
        "isEnabled": agent.is_enabled,
        "model": models.get(agent.model_id) if agent.model_id else None,
        "description": agent.description,
    }
