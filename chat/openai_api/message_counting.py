"""Counts a program's message before its run starts, together with the models that it may name."""

from __future__ import annotations

from functools import partial
from uuid import UUID, uuid4

from chat.openai_api.limit_headers import limit_headers
from chat.openai_api.model_catalogue import Catalogue, catalogue_load
from limits.allowances import Allowances, Sender
from limits.counters import message_count
from limits.selectors import allowances_load
from tenants.access import Actor
from tenants.db import in_db


async def catalogue_and_limits(actor: Actor, token_id: UUID | None, model: str) -> tuple[Catalogue, Allowances]:
    """Return the models, and what limits a message to `model`, which is a model's or an assistant's name. Raises RunConfigError."""
    return await in_db(partial(_catalogue_and_limits, actor, token_id, model), organization_id=actor.organization_id)


async def message_count_for(actor: Actor, token_id: UUID | None, limits: Allowances) -> dict[str, str]:
    """Count a message; return header fields with what is left of the limits. Raises LimitReached, LimitsUnavailable."""
    if not limits:
        return {}
    counted = await message_count(Sender(actor.organization_id, actor.membership_id, token_id), limits, message=uuid4().hex)
    return limit_headers(limits, counted)


def _catalogue_and_limits(actor: Actor, token_id: UUID | None, model: str) -> tuple[Catalogue, Allowances]:
    catalogue = catalogue_load(actor)
    return catalogue, allowances_load(actor, token_id=token_id, assistant=catalogue.assistant(model) or "")
