"""The typed content of a release: what a run keeps from its start to its end.

Snapshots are read for ever, so a later field needs a default, and unknown fields of newer releases are ignored.
"""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any, Literal
from uuid import UUID

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from admin_config.defaults.endpoint_options import CompatibleOptions
from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import CHAT_AGENT, KINDS, PROVIDER_TOOLS_AGENT, PROVIDERS, ThinkingStyle, agent_key
from admin_config.defaults.prices import Price, legacy_prices, price_of_call
from admin_config.errors import AgentNotConfigured, EndpointNotConfigured, ModelNotConfigured
from admin_config.validation.prompt_templates import template_render


class _Snapshot(BaseModel):
    # protected_namespaces: `model_id` is our word for a model, not one of pydantic's methods.
    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())


class EndpointSnapshot(_Snapshot):
    """Where a provider is reached. `secret_id` names the key's row; the key itself is never in a release."""

    id: UUID
    provider: str
    name: str
    base_url: str
    api_version: str
    secret_id: UUID | None
    priority: int
    timeout_s: int
    tool_mode: Literal["native", "xml"] = "native"
    compatible_options: CompatibleOptions = CompatibleOptions()


class ModelSnapshot(_Snapshot):
    id: UUID
    provider: str
    model_id: str
    display_name: str
    context_window: int
    max_output_tokens: int
    supports_thinking: bool
    thinking_style: ThinkingStyle
    supports_tools: bool
    is_default: bool
    supports_images: bool = False
    supports_pdf: bool = False
    builtin_tools: tuple[str, ...] = ()
    reasons: bool | None = None
    prices: tuple[Price, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _fill_legacy_prices(cls, content: Any) -> Any:
        if not isinstance(content, dict) or "prices" in content:
            return content
        return {**content, "prices": legacy_prices(content)}

    def cost_usd(self, *, day: date, fresh_input: int, cached_input: int, output: int, thinking: int, cache_write: int = 0) -> float | None:
        """What so many tokens of one call cost on that day (UTC), in US dollars; None when the model has no price."""
        price = price_of_call(self.prices, day=day, prompt_tokens=fresh_input + cached_input + cache_write)
        if price is None:
            return None
        return price.cost_usd(fresh_input=fresh_input, cached_input=cached_input, output=output, thinking=thinking, cache_write=cache_write)


class OperationSnapshot(_Snapshot):
    name: str
    is_enabled: bool
    system_prompt: str
    user_prompt_template: str

    def user_prompt(self, **values: str) -> str:
        """The user prompt with its placeholders filled; values that the template doesn't name are left out."""
        return template_render(self.user_prompt_template, values)


class SectionSnapshot(_Snapshot):
    is_enabled: bool
    text: str


class StepRuleSnapshot(_Snapshot):
    """Settings of the steps `first` to `last` (None: no end). None: unchanged."""

    first: int
    last: int | None
    active_tools: tuple[str, ...] | None
    tool_choice: str | None
    max_output_tokens: int | None
    temperature: float | None


class PluginSnapshot(_Snapshot):
    """A plugin that takes part in the agent's runs. `secret_id` names the secret's row, `id` the plugin's."""

    name: str
    settings: dict[str, Any] = {}
    secret_id: UUID | None = None
    id: UUID | None = None


def _legacy_plugins(agent: dict[str, Any]) -> tuple[PluginSnapshot, ...]:
    """Before there were plugins, every chat got a title."""
    return (PluginSnapshot(name="title"),) if agent.get("kind") == CHAT_AGENT else ()


def _legacy_sections(agent: dict[str, Any]) -> dict[str, SectionSnapshot]:
    """Before there were sections, the chat agent's prompt was one text, and the facts of the moment followed it."""
    if agent.get("kind") != CHAT_AGENT:
        return {}
    return {"environment": SectionSnapshot(is_enabled=True, text="Date: {date}\nOrganization: {organization}\nUser: {user}")}


class ToolSourceSnapshot(_Snapshot):
    """A source of tools (admin_config.models.tools.ToolSource). `secret_id` names the secret's row."""

    id: UUID
    name: str
    kind: str
    prefix: str = ""
    allowed_tools: tuple[str, ...] = ()
    danger: Literal["", "safe", "moderate", "dangerous"] = ""
    confirm: bool = False
    settings: dict[str, Any] = {}
    pins: dict[str, Any] = {}
    secret_id: UUID | None = None


class AgentToolSnapshot(_Snapshot):
    """What an agent may use: a source of tools, or another agent by its key."""

    source_id: UUID | None = None
    agent_key: str = ""


class AgentSnapshot(AgentOptions):
    """One agent, platform defaults already filled in. `model_id`: a ModelSnapshot's id, None for the provider's default.

    `system_prompt` comes before the `sections`; their order is that of the kind. `plugins`: the enabled ones, in their order.
    `builtin_tools`: those that are switched on, of which each model can do some. `provider_settings`: what is set of the provider's own
    settings (admin_config.defaults.provider_settings), `provider_options`: fields of its API that have no setting. `tools`: what it was given
    beyond its kind's own. `name`, `input_schema`: see AgentConfig.
    """

    key: str
    kind: str
    provider: str
    is_enabled: bool
    model_id: UUID | None
    system_prompt: str
    description: str
    temperature: float | None
    max_output_tokens: int | None
    max_steps: int
    thinking_budget: int
    operations: dict[str, OperationSnapshot]
    sections: dict[str, SectionSnapshot] = Field(default_factory=_legacy_sections)
    step_rules: tuple[StepRuleSnapshot, ...] = ()
    plugins: tuple[PluginSnapshot, ...] = Field(default_factory=_legacy_plugins)
    builtin_tools: tuple[str, ...] = ()
    provider_settings: dict[str, Any] = {}
    provider_options: dict[str, Any] = {}
    tools: tuple[AgentToolSnapshot, ...] = ()
    name: str = ""
    input_schema: dict[str, Any] = {}

    @property
    def tool_name(self) -> str:
        """By which other agents call it."""
        return self.name or self.kind

    @property
    def works_by_builtin_tools(self) -> bool:
        """Whether it is there for what its provider runs itself."""
        return self.kind == PROVIDER_TOOLS_AGENT


class ReleaseSnapshot(_Snapshot):
    """`endpoints`, `models` and `tool_sources` hold the enabled rows only, endpoints best first, default models first."""

    active_provider: str
    offered_providers: tuple[str, ...] = ()
    endpoints: tuple[EndpointSnapshot, ...]
    models: tuple[ModelSnapshot, ...]
    agents: dict[str, AgentSnapshot]
    tool_sources: tuple[ToolSourceSnapshot, ...] = ()

    def sources_of(self, agent: AgentSnapshot) -> list[ToolSourceSnapshot]:
        """The agent's sources of tools, in its order."""
        sources = {source.id: source for source in self.tool_sources}
        return [sources[tool.source_id] for tool in agent.tools if tool.source_id in sources]

    def sub_agents_of(self, agent: AgentSnapshot) -> list[AgentSnapshot]:
        """The agents that it may call, in its order."""
        found = (self.agents.get(tool.agent_key) for tool in agent.tools)
        return [sub_agent for sub_agent in found if sub_agent is not None and sub_agent.is_enabled]

    def agent(self, kind: str, provider: str | None = None) -> AgentSnapshot:
        """The provider's (None: the active one's) agent of this kind. Raises AgentNotConfigured when it is missing or disabled."""
        provider = provider or self.active_provider
        found = self.agents.get(agent_key(kind, provider))
        if found is None or not found.is_enabled:
            label = KINDS[kind].label if kind in KINDS else kind
            raise AgentNotConfigured(f"{label} is not enabled for {_label(provider)}.")
        return found

    def models_offered(self) -> list[ModelSnapshot]:
        """The models that users may choose, the active provider's first."""
        providers = (self.active_provider, *self.offered_providers)
        return [model for provider in providers for model in self.models if model.provider == provider]

    def chat_model(self, model_id: UUID | None) -> tuple[AgentSnapshot, ModelSnapshot]:
        """The asked-for model when users may choose it, else the active provider's, and the chat agent of its provider.

        Raises AgentNotConfigured, ModelNotConfigured.
        """
        chosen = next((model for model in self.models_offered() if model.id == model_id), None)
        agent = self.agent(CHAT_AGENT, chosen.provider if chosen else None)
        return agent, self.model(model_id, agent)

    def model(self, model_id: UUID | None, agent: AgentSnapshot) -> ModelSnapshot:
        """The asked-for model of the agent's provider, else the agent's own, else the provider's default.

        Raises ModelNotConfigured when the provider has no enabled model.
        """
        own = {model.id: model for model in self.models if model.provider == agent.provider}
        for wanted in (model_id, agent.model_id):
            if wanted is not None and wanted in own:
                return own[wanted]
        for model in own.values():
            if model.is_default:
                return model
        raise ModelNotConfigured(f"{_label(agent.provider)} has no default model.")

    def endpoint(self, provider: str) -> EndpointSnapshot:
        """The provider's endpoint with the best (lowest) priority. Raises EndpointNotConfigured."""
        return self.endpoints_of(provider)[0]

    def endpoints_of(self, provider: str) -> tuple[EndpointSnapshot, ...]:
        """The provider's endpoints with an address, best (lowest) priority first; at least one. Raises EndpointNotConfigured."""
        found = tuple(endpoint for endpoint in self.endpoints if endpoint.provider == provider and endpoint.base_url)
        if not found:
            raise EndpointNotConfigured(f"{_label(provider)} has no enabled endpoint with an address.")
        return found

    def with_demo_url(self, url: str) -> ReleaseSnapshot:
        """The same release with the demo's blank addresses filled: its port is the machine's business, not the release's. "" fills none."""
        filled = tuple(_with_demo_url(endpoint, url) for endpoint in self.endpoints)
        return self.model_copy(update={"endpoints": filled})

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def content_hash(self) -> str:
        """SHA-256 (hex) of the canonical JSON: sorted keys, no white space."""
        return hashlib.sha256(orjson.dumps(self.as_json(), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _with_demo_url(endpoint: EndpointSnapshot, url: str) -> EndpointSnapshot:
    path = PROVIDERS[endpoint.provider].demo_path if endpoint.provider in PROVIDERS else None
    if endpoint.base_url or not url or path is None:
        return endpoint
    return endpoint.model_copy(update={"base_url": url.rstrip("/") + path})


def _label(provider: str) -> str:
    return PROVIDERS[provider].label if provider in PROVIDERS else provider
