"""Generates a conversation's title with the chat agent's `title` operation (SPEC 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.errors import RunConfigError
from admin_config.release import AgentSnapshot, EndpointSnapshot, ModelSnapshot, OperationSnapshot, ReleaseSnapshot
from admin_config.services.own_keys import own_keys_allowed
from admin_config.services.selectors import live_release
from agents.messages import ModelRequest, ModelSettings, SystemPrompt, UserMessage
from agents.runtime.budget_holds import CallBudgets
from agents.runtime.call_recording import CallKind, CallRecord
from agents.runtime.connections import PreloadedKeys, RunConnections, preload_first_key
from agents.runtime.key_lookup import KeyOwner, KeyRows
from agents.runtime.masking import placeholders_of
from agents.runtime.model_factory import AgentModelFactory
from agents.runtime.placeholders import Placeholders
from agents.runtime.provider_options import provider_options
from agents.runtime.single_answer import answer_text
from limits.budgets import NO_BUDGETS, Budgets
from security.secrets.registered_secrets import run_secrets_read
from tenants.db import in_db
from tenants.input.visible_text import visible_line

MAX_GENERATED_TITLE_CHARS = 80
MAX_EXCERPT_CHARS = 2000  # of each text that the title is made from


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One speaker's text."""

    who: str
    text: str


async def title_write(
    *,
    organization_id: UUID,
    model_config_id: UUID | None,  # the conversation's model: its provider has already seen the texts
    key_owner: KeyOwner,  # the conversation's owner, whose registered secrets are masked
    texts: Sequence[TranscriptLine],
    budgets: Budgets = NO_BUDGETS,  # the owner's
    record_call: Callable[[CallRecord], None],
) -> str:
    """Return a title for the conversation; empty when the operation is switched off or the model returns nothing.

    `record_call` receives the model call, also when it fails. Raises ProviderError, OutOfBudget.
    """
    try:
        facts = await in_db(partial(_facts, organization_id, model_config_id, key_owner), organization_id=organization_id)
    except RunConfigError:
        return ""
    if facts is None:
        return ""
    models = AgentModelFactory(
        snapshot=facts.snapshot,
        agent=facts.agent,
        endpoints=facts.endpoints,
        connections=RunConnections(organization_id, key_owner, facts.preloaded_keys),
        record_call=record_call,
        hold=CallBudgets(organization_id, budgets).hold,
        placeholders=facts.placeholders,
    )
    # Masked before it is cut: a truncated secret could no longer be found.
    transcript = "\n".join(f"{line.who}: {facts.placeholders.mask(line.text)[:MAX_EXCERPT_CHARS]}" for line in texts)
    request = ModelRequest(
        model=facts.model.model_id,
        system=SystemPrompt(facts.operation.system_prompt),
        entries=(UserMessage(facts.operation.user_prompt(conversation=transcript)),),
        settings=ModelSettings(provider_options=provider_options(facts.agent)),
    )
    return _as_title(await answer_text(models.model(CallKind.TITLE), request))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a title is made with, read in one transaction."""

    snapshot: ReleaseSnapshot
    agent: AgentSnapshot
    operation: OperationSnapshot
    model: ModelSnapshot
    endpoints: tuple[EndpointSnapshot, ...]
    placeholders: Placeholders
    preloaded_keys: PreloadedKeys


def _facts(organization_id: UUID, model_config_id: UUID | None, owner: KeyOwner) -> _Facts | None:
    """Return None when the operation is switched off. Raises RunConfigError."""
    snapshot = live_release(organization_id=organization_id).snapshot
    agent = snapshot.agent(CHAT_AGENT, snapshot.provider_of(model_config_id))
    model = snapshot.model(None, agent)
    endpoints = snapshot.endpoints_of(model.provider)
    operation = agent.operations.get("title")
    if operation is None or not operation.is_enabled:
        return None
    secrets = run_secrets_read(membership_id=owner.membership_id, endpoint_secret_id=endpoints[0].secret_id)
    preloaded_keys = preload_first_key(snapshot, model.id, owner, KeyRows(own_keys_allowed(), secrets.endpoint_key))
    return _Facts(snapshot, agent, operation, model, endpoints, placeholders_of(secrets.registered), preloaded_keys)


def _as_title(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return visible_line(first.lstrip("#")).strip(" \"'“”*.")[:MAX_GENERATED_TITLE_CHARS]
