"""REST views of the models and agents of the live release (docs/rest.md)."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from admin_config.defaults.platform import PROVIDERS
from admin_config.defaults.prices import Price
from admin_config.errors import RunConfigError
from admin_config.release import AgentSnapshot, ModelSnapshot, ReleaseSnapshot
from admin_config.services.selectors import live_release
from agents.assistants import visible_agents
from tenants.access import Actor
from tenants.context import tenant_tx
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class PriceItem(ResponseSchema):
    """Prices in US dollars per million tokens, valid from a date on, for prompts of more than `aboveTokens` tokens.

    `searchUsd`: of a thousand searches of the provider's own tool; `pictureUsd`: of one picture that a tool of the provider draws.
    """

    valid_from: date
    above_tokens: int
    input_usd: float | None
    cached_usd: float | None
    cache_write_usd: float | None
    output_usd: float | None
    thinking_usd: float | None
    image_usd: float | None
    search_usd: float | None
    picture_usd: float | None


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
    def get(self, request: ActorRequest) -> ModelList:
        snapshot = _snapshot(request.actor)
        if snapshot is None:
            return ModelList(items=[])
        default_id = _default_model_id(snapshot)
        return ModelList(items=[_model(model, is_default=model.id == default_id) for model in snapshot.offered_models()])


class AgentsView(RestView):
    @operation("listAgents", "The agents", tag="agents", answer=AgentList, etag=True)
    def get(self, request: ActorRequest) -> AgentList:
        snapshot = _snapshot(request.actor)
        if snapshot is None:
            return AgentList(items=[])
        names = {model.id: model.display_name for model in snapshot.models}
        with tenant_tx(request.actor.organization_id):
            agents = visible_agents(snapshot, request.actor)
        return AgentList(items=[_agent(agent, names) for agent in agents])


def _snapshot(actor: Actor) -> ReleaseSnapshot | None:
    """Return the live release, or None before anything was published."""
    try:
        with tenant_tx(actor.organization_id):
            return live_release(organization_id=actor.organization_id, membership_id=actor.membership_id).snapshot
    except RunConfigError:
        return None


def _default_model_id(snapshot: ReleaseSnapshot) -> UUID | None:
    try:
        return snapshot.chat_model(None)[1].id
    except RunConfigError:
        return None


def _model(model: ModelSnapshot, *, is_default: bool) -> ModelItem:
    return ModelItem(
        id=model.id,
        name=model.display_name,
        model=model.model_id,
        provider=model.provider,
        provider_label=PROVIDERS[model.provider].label,
        context_window=model.context_window,
        max_output_tokens=model.max_output_tokens,
        supports_thinking=model.supports_thinking,
        supports_tools=model.supports_tools,
        supports_images=model.supports_images,
        supports_pdf=model.supports_pdf,
        is_default=is_default,
        prices=[_price(price) for price in model.prices],
    )


def _price(price: Price) -> PriceItem:
    return PriceItem(
        valid_from=price.valid_from,
        above_tokens=price.above_tokens,
        input_usd=price.input_usd,
        cached_usd=price.cached_usd,
        cache_write_usd=price.cache_write_usd,
        output_usd=price.output_usd,
        thinking_usd=price.thinking_usd,
        image_usd=price.image_usd,
        search_usd=price.search_usd,
        picture_usd=price.picture_usd,
    )


def _agent(agent: AgentSnapshot, models: dict[UUID, str]) -> AgentItem:
    return AgentItem(
        key=agent.key,
        kind=agent.kind,
        provider=agent.provider,
        is_enabled=agent.is_enabled,
        model=models.get(agent.model_id) if agent.model_id else None,
        description=agent.description,
    )
