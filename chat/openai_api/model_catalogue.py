"""The models that a caller may name: the chat agent, the agent with each model that users may choose, and the caller's assistants."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.errors import AgentNotConfigured
from admin_config.models import Release
from admin_config.release import ModelSnapshot, ReleaseSnapshot
from admin_config.services.selectors import live_release
from agents.assistants import assistants_for
from chat.openai_api.errors import ApiError
from tenants.access import Actor


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The models of the live release."""

    names: dict[str, ModelSnapshot]  # by the name that callers use, in the order of the list
    assistants: frozenset[str]  # those of the names that are keys of assistants
    created: int  # when the release was published, in seconds since the epoch

    def items(self) -> list[dict[str, Any]]:
        """Return OpenAI's model objects, in order."""
        return [self.item(name) for name in self.names]

    def item(self, name: str) -> dict[str, Any]:
        """Return OpenAI's model object. Raises ApiError when there is no such model."""
        return {"id": name, "object": "model", "created": self.created, "owned_by": self.model(name).provider}

    def model(self, name: str) -> ModelSnapshot:
        """Return the model with this name or id. Raises ApiError when there is none."""
        by_id = {str(model.id): model for model in self.names.values()}
        snapshot = self.names.get(name) or by_id.get(name)
        if snapshot is None:
            raise ApiError(
                gettext("There is no model %(name)s here, or you may not use it.") % {"name": name[:80]},
                status=404,
                code="model_not_found",
                param="model",
            )
        return snapshot

    def assistant(self, name: str) -> str:
        """Return the key of the assistant with this name; "" for a model."""
        return name if name in self.assistants else ""


def catalogue_load(actor: Actor) -> Catalogue:
    """Return the models of the live release that the actor may use. Needs the organization's `tenant_tx`. Raises RunConfigError."""
    release = live_release(organization_id=actor.organization_id, membership_id=actor.membership_id)
    published_at = Release.objects.values_list("created_at", flat=True).get(pk=release.id)
    assistants = _assistants(release.snapshot, actor)
    return Catalogue({**_names(release.snapshot), **assistants}, frozenset(assistants), int(published_at.timestamp()))


def _assistants(snapshot: ReleaseSnapshot, actor: Actor) -> dict[str, ModelSnapshot]:
    """Return the model with which each assistant answers, by the assistant's key."""
    return {agent.key: snapshot.chat_model(None, agent.key)[1] for agent in assistants_for(snapshot, actor)}


def _names(snapshot: ReleaseSnapshot) -> dict[str, ModelSnapshot]:
    """Return the models by name: the model id, or provider/model id when two providers have the same model id."""
    models = [model for model in snapshot.offered_models() if _has_agent(snapshot, model)]
    counts = Counter(model.model_id for model in models)
    default = snapshot.chat_model(None)[1]
    unique = {model.model_id if counts[model.model_id] == 1 else f"{model.provider}/{model.model_id}": model for model in models}
    return {CHAT_AGENT: default, **unique}


def _has_agent(snapshot: ReleaseSnapshot, model: ModelSnapshot) -> bool:
    try:
        snapshot.agent(CHAT_AGENT, model.provider)
    except AgentNotConfigured:
        return False
    return True
