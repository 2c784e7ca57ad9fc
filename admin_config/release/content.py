"""The whole content of a release, and what runs look up in it."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

import orjson
from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_AGENT, KINDS, PROVIDERS, agent_key
from admin_config.errors import AgentNotConfigured, AssistantUnavailable, EndpointNotConfigured, ModelNotConfigured
from admin_config.release.agents import AgentSnapshot
from admin_config.release.base import Snapshot
from admin_config.release.providers import EndpointSnapshot, ModelSnapshot, endpoint_with_demo_url
from admin_config.release.tool_sources import ToolSourceSnapshot


class ReleaseSnapshot(Snapshot):
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
        sub_agents = (self.agents.get(tool.agent_key) for tool in agent.tools)
        return [sub_agent for sub_agent in sub_agents if sub_agent is not None and sub_agent.is_enabled]

    def agent(self, kind: str, provider: str | None = None) -> AgentSnapshot:
        """Return the provider's agent of this kind; `provider` None means the active one. Raises AgentNotConfigured when missing or
        disabled.
        """
        provider = provider or self.active_provider
        agent = self.agents.get(agent_key(kind, provider))
        if agent is None or not agent.is_enabled:
            label = KINDS[kind].label if kind in KINDS else kind
            raise AgentNotConfigured(gettext("%(label)s is not enabled for %(label_2)s.") % {"label": label, "label_2": _label(provider)})
        return agent

    def offered_models(self) -> list[ModelSnapshot]:
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
        requested_model = next((model for model in self.offered_models() if model.id == model_id), None)
        agent = self.agent(CHAT_AGENT, requested_model.provider if requested_model else None)
        return agent, self.model(model_id, agent)

    def provider_of(self, model_id: UUID | None) -> str:
        """Return the provider of the model that answered, or the active one if nothing is sent to that provider any more."""
        providers = {self.active_provider, *self.offered_providers, *(agent.provider for agent in self.assistants())}
        return next((model.provider for model in self.models if model.id == model_id and model.provider in providers), self.active_provider)

    def assistants(self) -> list[AgentSnapshot]:
        """Return the agents that members may choose, in their order. Who may choose which: agents.assistants."""
        pairs = [
            (agent.assistant, agent)
            for agent in self.agents.values()
            if agent.is_enabled and agent.assistant and agent.assistant.is_offered
        ]
        return [agent for _, agent in sorted(pairs, key=lambda pair: (pair[0].position, pair[0].title.casefold(), pair[1].key))]

    def assistant_agent(self, key: str) -> AgentSnapshot:
        """Return the assistant with this key. Raises AssistantUnavailable."""
        assistant = next((agent for agent in self.assistants() if agent.key == key), None)
        if assistant is None:
            raise AssistantUnavailable
        return assistant

    def _assistant_model(self, agent: AgentSnapshot, model_id: UUID | None) -> tuple[AgentSnapshot, ModelSnapshot]:
        """Return the assistant with the provider of its model: a member may choose a model of another provider than the agent's."""
        if agent.assistant is None or agent.assistant.model_choice == "fixed":
            return agent, self.model(None, agent)
        model = next((model for model in self.offered_models() if model.id == model_id), None) or self._first_model(agent)
        if model.provider == agent.provider:
            return agent, model
        # Settings of one provider's API mean nothing to another's.
        return agent.model_copy(update={"provider": model.provider, "provider_settings": {}, "provider_options": {}}), model

    def _first_model(self, agent: AgentSnapshot) -> ModelSnapshot:
        """Return the model of an assistant's answer when the member chose none: its own if members are offered that, else the default."""
        models = {model.id: model for model in self.offered_models()}
        own = models.get(agent.model_id) if agent.model_id else None
        return own or self.chat_model(None)[1]

    def model(self, model_id: UUID | None, agent: AgentSnapshot) -> ModelSnapshot:
        """Return the requested model if it is of the agent's provider, else the agent's own, else the provider's default.

        Raises ModelNotConfigured when the provider has no default model.
        """
        own = {model.id: model for model in self.models if model.provider == agent.provider}
        for candidate_id in (model_id, agent.model_id):
            if candidate_id is not None and candidate_id in own:
                return own[candidate_id]
        for model in own.values():
            if model.is_default:
                return model
        raise ModelNotConfigured(gettext("%(label)s has no default model.") % {"label": _label(agent.provider)})

    def endpoint(self, provider: str) -> EndpointSnapshot:
        """Return the provider's endpoint with the best (lowest) priority. Raises EndpointNotConfigured."""
        return self.endpoints_of(provider)[0]

    def endpoints_of(self, provider: str) -> tuple[EndpointSnapshot, ...]:
        """Return the provider's endpoints with an address, best (lowest) priority first; at least one. Raises EndpointNotConfigured."""
        endpoints = tuple(endpoint for endpoint in self.endpoints if endpoint.provider == provider and endpoint.base_url)
        if not endpoints:
            raise EndpointNotConfigured(gettext("%(label)s has no enabled endpoint with an address.") % {"label": _label(provider)})
        return endpoints

    def with_demo_url(self, url: str) -> ReleaseSnapshot:
        """Return the same release with the blank addresses of demo endpoints filled; an empty `url` fills none.

        The demo's port depends on the machine, so it is not part of the release.
        """
        endpoints = tuple(endpoint_with_demo_url(endpoint, url) for endpoint in self.endpoints)
        return self.model_copy(update={"endpoints": endpoints})

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def content_hash(self) -> str:
        """Return the SHA-256 (hex) of the canonical JSON: sorted keys, no white space."""
        return hashlib.sha256(orjson.dumps(self.as_json(), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _label(provider: str) -> str:
    return PROVIDERS[provider].label if provider in PROVIDERS else provider
