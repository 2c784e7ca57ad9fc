"""Generates a conversation's title with the chat agent's `title` operation (SPEC 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from admin_config.defaults.platform import CHAT_AGENT
from admin_config.errors import RunConfigError
from admin_config.release import ReleaseSnapshot
from admin_config.services.selectors import live_release
from agents.messages import ModelRequest, ModelSettings, SystemPrompt, UserMessage
from agents.runtime.call_recording import CallKind, CallRecord
from agents.runtime.connections import RunConnections
from agents.runtime.key_lookup import KeyOwner
from agents.runtime.masking import placeholders_open
from agents.runtime.model_factory import AgentModelFactory
from agents.runtime.placeholders import Placeholders
from agents.runtime.provider_options import provider_options
from agents.runtime.single_answer import answer_text
from agents.runtime.spending import CallBudgets
from limits.budgets import NO_BUDGETS, Budgets
from tenants.db import in_db
from tenants.input.visible_text import visible_line

MAX_TITLE_CHARS = 80
MAX_EXCERPT_CHARS = 2000  # characters of each text that the title is made from


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
        facts = partial(_facts, organization_id, key_owner.membership_id)
        snapshot, placeholders = await in_db(facts, organization_id=organization_id)
        agent = snapshot.agent(CHAT_AGENT, snapshot.provider_of(model_config_id))
        model = snapshot.model(None, agent)
        endpoints = snapshot.endpoints_of(model.provider)
    except RunConfigError:
        return ""
    operation = agent.operations.get("title")
    if operation is None or not operation.is_enabled:
        return ""
    models = AgentModelFactory(
        snapshot=snapshot,
        agent=agent,
        endpoints=endpoints,
        connections=RunConnections(organization_id, key_owner),
        record_call=record_call,
        hold=CallBudgets(organization_id, budgets).hold,
        placeholders=placeholders,
    )
    # Masked before it is cut: a truncated secret could no longer be found.
    transcript = "\n".join(f"{said.who}: {placeholders.mask(said.text)[:MAX_EXCERPT_CHARS]}" for said in texts)
    request = ModelRequest(
        model=model.model_id,
        system=SystemPrompt(operation.system_prompt),
        entries=(UserMessage(operation.user_prompt(conversation=transcript)),),
        settings=ModelSettings(provider_options=provider_options(agent)),
    )
    return _as_title(await answer_text(models.model(CallKind.TITLE), request))


def _facts(organization_id: UUID, membership_id: UUID | None) -> tuple[ReleaseSnapshot, Placeholders]:
    return live_release(organization_id=organization_id).snapshot, placeholders_open(membership_id=membership_id)


def _as_title(text: str) -> str:
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return visible_line(first.lstrip("#")).strip(" \"'“”*.")[:MAX_TITLE_CHARS]
