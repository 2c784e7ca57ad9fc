"""Typed content of a release: the configuration that a run keeps from its start to its end.

Stored snapshots are read forever. A new field therefore needs a default, and unknown fields of newer releases are ignored.
"""

from __future__ import annotations

import hashlib
from datetime import date
from typing import Any, Literal
from uuid import UUID

import orjson
from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict, Field, model_validator

from admin_config.defaults.endpoint_options import CompatibleOptions
from admin_config.defaults.options import AgentOptions
from admin_config.defaults.platform import CHAT_AGENT, KINDS, PROVIDER_TOOLS_AGENT, PROVIDERS, ThinkingStyle, agent_key
from admin_config.defaults.prices import Price, legacy_prices, price_of_call
from admin_config.errors import AgentNotConfigured, AssistantUnavailable, EndpointNotConfigured, ModelNotConfigured
from admin_config.validation.prompt_templates import template_render


class _Snapshot(BaseModel):
    """Base of the frozen parts of a release."""

    # protected_namespaces: `model_id` names a model, not one of pydantic's methods.
    model_config = ConfigDict(frozen=True, extra="ignore", protected_namespaces=())


class EndpointSnapshot(_Snapshot):
    """Where a provider is reached."""

    id: UUID
    provider: str
    name: str
    base_url: str
    api_version: str
    secret_id: UUID | None  # row of the key; the key itself is never in a release
    priority: int
    timeout_s: int
    tool_mode: Literal["native", "xml"] = "native"
    compatible_options: CompatibleOptions = CompatibleOptions()


class ModelSnapshot(_Snapshot):
    """A model that users may choose, with its prices."""

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

    def cost_usd(
        self,
        *,
        day: date,
        fresh_input: int,
        cached_input: int,
        output: int,
        thinking: int,
        cache_write: int = 0,
        images: int = 0,
        searches: int = 0,
        pictures: int = 0,
    ) -> float | None:
        """Return the cost in US dollars of one call on that day (UTC), or None when the model has no price for what it used."""
        price = price_of_call(self.prices, day=day, prompt_tokens=fresh_input + cached_input + cache_write)
        if price is None:
            return None
        return price.cost_usd(
            fresh_input=fresh_input,
            cached_input=cached_input,
            output=output,
            thinking=thinking,
            cache_write=cache_write,
            images=images,
            searches=searches,
            pictures=pictures,
        )


class OperationSnapshot(_Snapshot):
    """One operation of an agent."""

    name: str
    is_enabled: bool
    system_prompt: str
    user_prompt_template: str

    def user_prompt(self, **values: str) -> str:
        """Return the user prompt with its placeholders filled. Values that the template doesn't name are ignored."""
        return template_render(self.user_prompt_template, values)


class SectionSnapshot(_Snapshot):
    """One section of an agent's system prompt."""

    is_enabled: bool
    text: str


class StepRuleSnapshot(_Snapshot):
    """Settings of the steps `first` to `last`. A setting of None leaves the agent's own unchanged."""

    first: int
    last: int | None  # None: no end
    active_tools: tuple[str, ...] | None
    tool_choice: str | None
    max_output_tokens: int | None
    temperature: float | None


class PluginSnapshot(_Snapshot):
    """A plugin that takes part in the agent's runs."""

    name: str
    settings: dict[str, Any] = {}
    secret_id: UUID | None = None  # row of the secret
    id: UUID | None = None  # row of the plugin


def _legacy_plugins(agent: dict[str, Any]) -> tuple[PluginSnapshot, ...]:
    """Return the plugins of releases from before plugins existed, when every chat got a title."""
    return (PluginSnapshot(name="title"),) if agent.get("kind") == CHAT_AGENT else ()


def _legacy_sections(agent: dict[str, Any]) -> dict[str, SectionSnapshot]:
    """Return the sections of releases from before sections existed.

    The chat agent's prompt was a single text then, followed by date, organization and user.
    """
    if agent.get("kind") != CHAT_AGENT:
        return {}
    return {"environment": SectionSnapshot(is_enabled=True, text="Date: {date}\nOrganization: {organization}\nUser: {user}")}


class ToolRule(_Snapshot):
    """What an admin decided about one tool of a source, besides what holds for all of them. It only makes them stricter."""

    danger: Literal["", "safe", "moderate", "dangerous"] = ""
    confirm: bool = False


class ToolSourceSnapshot(_Snapshot):
    """A tool source (admin_config.models.tools.ToolSource)."""

    id: UUID
    name: str
    kind: str
    prefix: str = ""
    allowed_tools: tuple[str, ...] = ()
    danger: Literal["", "safe", "moderate", "dangerous"] = ""
    confirm: bool = False
    tool_rules: dict[str, ToolRule] = {}  # by the source's own name of the tool
    open_hosts: tuple[str, ...] = ()
    member_switch: Literal["", "starts_on", "starts_off"] = ""  # whether members switch it, and how it is at first; empty: always on
    switch_label: str = ""
    switch_hint: str = ""
    settings: dict[str, Any] = {}
    pins: dict[str, Any] = {}
    secret_id: UUID | None = None  # row of the secret


class AgentToolSnapshot(_Snapshot):
    """What an agent may use: a tool source, or another agent by its key."""

    source_id: UUID | None = None
    agent_key: str = ""


class StarterSnapshot(_Snapshot):
    """A message that a click sends. `title` is what stands on its card."""

    title: str
    text: str


class AssistantSnapshot(_Snapshot):
    """What makes an agent one that members choose (admin_config.models.assistants.Assistant)."""

    is_offered: bool
    title: str
    description: str = ""
    picture_id: UUID | None = None
    starters: tuple[StarterSnapshot, ...] = ()
    model_choice: Literal["fixed", "member"] = "member"
    audience: Literal["everyone", "chosen"] = "everyone"
    roles: tuple[str, ...] = ()
    groups: tuple[UUID, ...] = ()
    for_agents: bool = False
    position: int = 1


class AgentSnapshot(AgentOptions):
    """One agent, with the platform's defaults filled in."""

    key: str
    kind: str
    provider: str
    is_enabled: bool
    model_id: UUID | None  # a ModelSnapshot's id; None: the provider's default
    system_prompt: str  # comes before the sections
    description: str
    temperature: float | None
    max_output_tokens: int | None
    max_steps: int
    thinking_budget: int
    operations: dict[str, OperationSnapshot]
    sections: dict[str, SectionSnapshot] = Field(default_factory=_legacy_sections)  # in the order of the kind
    step_rules: tuple[StepRuleSnapshot, ...] = ()
    plugins: tuple[PluginSnapshot, ...] = Field(default_factory=_legacy_plugins)  # the enabled ones, in order
    builtin_tools: tuple[str, ...] = ()  # those that are enabled; each model supports some of them
    provider_settings: dict[str, Any] = {}  # values of admin_config.defaults.provider_settings that are set
    provider_options: dict[str, Any] = {}  # fields of the provider's API that have no setting
    tools: tuple[AgentToolSnapshot, ...] = ()  # those beyond the kind's own
    name: str = ""  # see AgentConfig
    input_schema: dict[str, Any] = {}  # see AgentConfig
    assistant: AssistantSnapshot | None = None  # None: members can't choose it

    @property
    def tool_name(self) -> str:
        """The name under which other agents call it."""
        return self.name or self.kind

    @property
    def works_by_builtin_tools(self) -> bool:
        """Whether its purpose is to use the provider's built-in tools."""
        return self.kind == PROVIDER_TOOLS_AGENT


class ReleaseSnapshot(_Snapshot):
    """The content of a release."""

    active_provider: str
    offered_providers: tuple[str, ...] = ()
    endpoints: tuple[EndpointSnapshot, ...]  # enabled ones, best first
    models: tuple[ModelSnapshot, ...]  # enabled ones, default models first
    agents: dict[str, AgentSnapshot]  # by key, including disabled ones
    tool_sources: tuple[ToolSourceSnapshot, ...] = ()  # enabled ones
    # By key; for admins alone (SPEC 4.15). Runs read `agents`, which have what is inherited.
    bases: dict[str, AgentSnapshot] = {}

    def sources_of(self, agent: AgentSnapshot) -> list[ToolSourceSnapshot]:
        """Return the agent's tool sources, in its order."""
        sources = {source.id: source for source in self.tool_sources}
        return [sources[tool.source_id] for tool in agent.tools if tool.source_id in sources]

    def sub_agents_of(self, agent: AgentSnapshot) -> list[AgentSnapshot]:
        """Return the enabled agents that it may call, in its order."""
        found = (self.agents.get(tool.agent_key) for tool in agent.tools)
        return [sub_agent for sub_agent in found if sub_agent is not None and sub_agent.is_enabled]

    def agent(self, kind: str, provider: str | None = None) -> AgentSnapshot:
        """Return the provider's agent of this kind; `provider` None means the active one. Raises AgentNotConfigured when missing or
        disabled.
        """
        provider = provider or self.active_provider
        found = self.agents.get(agent_key(kind, provider))
        if found is None or not found.is_enabled:
            label = KINDS[kind].label if kind in KINDS else kind
            raise AgentNotConfigured(gettext("%(label)s is not enabled for %(label_2)s.") % {"label": label, "label_2": _label(provider)})
        return found

    def models_offered(self) -> list[ModelSnapshot]:
        """Return the models that users may choose, the active provider's first."""
        providers = (self.active_provider, *self.offered_providers)
        return [model for provider in providers for model in self.models if model.provider == provider]

    def chat_model(self, model_id: UUID | None, assistant: str = "") -> tuple[AgentSnapshot, ModelSnapshot]:
        """Return who answers, and with which model: the chat agent of the requested model's provider, or the assistant with this key.

        When users may not choose that model, the active provider's is used; an assistant with a model of its own keeps that. Raises
        AgentNotConfigured, AssistantUnavailable, ModelNotConfigured.
        """
        if assistant:
            return self._assistant_model(self.assistant_agent(assistant), model_id)
        chosen = next((model for model in self.models_offered() if model.id == model_id), None)
        agent = self.agent(CHAT_AGENT, chosen.provider if chosen else None)
        return agent, self.model(model_id, agent)

    def provider_of(self, model_id: UUID | None) -> str:
        """Return the provider of the model that answered, or the active one if nothing is sent to that provider any more."""
        used = {self.active_provider, *self.offered_providers, *(agent.provider for agent in self.assistants())}
        return next((model.provider for model in self.models if model.id == model_id and model.provider in used), self.active_provider)

    def assistants(self) -> list[AgentSnapshot]:
        """Return the agents that members may choose, in their order. Who may choose which: agents.assistants."""
        offered = [
            (agent.assistant, agent)
            for agent in self.agents.values()
            if agent.is_enabled and agent.assistant and agent.assistant.is_offered
        ]
        return [agent for _, agent in sorted(offered, key=lambda pair: (pair[0].position, pair[0].title.casefold(), pair[1].key))]

    def assistant_agent(self, key: str) -> AgentSnapshot:
        """Return the assistant with this key. Raises AssistantUnavailable."""
        found = next((agent for agent in self.assistants() if agent.key == key), None)
        if found is None:
            raise AssistantUnavailable
        return found

    def _assistant_model(self, agent: AgentSnapshot, model_id: UUID | None) -> tuple[AgentSnapshot, ModelSnapshot]:
        """Return the assistant with the provider of its model: a member may choose a model of another provider than the agent's."""
        if agent.assistant is None or agent.assistant.model_choice == "fixed":
            return agent, self.model(None, agent)
        model = next((model for model in self.models_offered() if model.id == model_id), None) or self._first_model(agent)
        if model.provider == agent.provider:
            return agent, model
        # Settings of one provider's API mean nothing to another's.
        return agent.model_copy(update={"provider": model.provider, "provider_settings": {}, "provider_options": {}}), model

    def _first_model(self, agent: AgentSnapshot) -> ModelSnapshot:
        """Return the model of an assistant's answer when the member chose none: its own if members are offered that, else the default."""
        offered = {model.id: model for model in self.models_offered()}
        own = offered.get(agent.model_id) if agent.model_id else None
        return own or self.chat_model(None)[1]

    def model(self, model_id: UUID | None, agent: AgentSnapshot) -> ModelSnapshot:
        """Return the requested model if it is of the agent's provider, else the agent's own, else the provider's default.

        Raises ModelNotConfigured when the provider has no default model.
        """
        own = {model.id: model for model in self.models if model.provider == agent.provider}
        for wanted in (model_id, agent.model_id):
            if wanted is not None and wanted in own:
                return own[wanted]
        for model in own.values():
            if model.is_default:
                return model
        raise ModelNotConfigured(gettext("%(label)s has no default model.") % {"label": _label(agent.provider)})

    def endpoint(self, provider: str) -> EndpointSnapshot:
        """Return the provider's endpoint with the best (lowest) priority. Raises EndpointNotConfigured."""
        return self.endpoints_of(provider)[0]

    def endpoints_of(self, provider: str) -> tuple[EndpointSnapshot, ...]:
        """Return the provider's endpoints with an address, best (lowest) priority first; at least one. Raises EndpointNotConfigured."""
        found = tuple(endpoint for endpoint in self.endpoints if endpoint.provider == provider and endpoint.base_url)
        if not found:
            raise EndpointNotConfigured(gettext("%(label)s has no enabled endpoint with an address.") % {"label": _label(provider)})
        return found

    def with_demo_url(self, url: str) -> ReleaseSnapshot:
        """Return the same release with the blank addresses of demo endpoints filled; an empty `url` fills none.

        The demo's port depends on the machine, so it is not part of the release.
        """
        filled = tuple(endpoint_with_demo_url(endpoint, url) for endpoint in self.endpoints)
        return self.model_copy(update={"endpoints": filled})

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def content_hash(self) -> str:
        """Return the SHA-256 (hex) of the canonical JSON: sorted keys, no white space."""
        return hashlib.sha256(orjson.dumps(self.as_json(), option=orjson.OPT_SORT_KEYS)).hexdigest()


def endpoint_with_demo_url(endpoint: EndpointSnapshot, url: str) -> EndpointSnapshot:
    """Return a demo endpoint with its address; every other endpoint as it is."""
    path = PROVIDERS[endpoint.provider].demo_path if endpoint.provider in PROVIDERS else None
    if endpoint.base_url or not url or path is None:
        return endpoint
    return endpoint.model_copy(update={"base_url": url.rstrip("/") + path})


def _label(provider: str) -> str:
    return PROVIDERS[provider].label if provider in PROVIDERS else provider
