"""Counts a program's message before its run starts, together with the models that it may name."""

from __future__ import annotations

from dataclasses import dataclass, field
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


@dataclass(slots=True)
class MessageCount:
    """Counts a message as soon as its request is known to be valid, images included: an invalid one uses up nothing."""

    actor: Actor
    token_id: UUID | None
    limits: Allowances
    headers: dict[str, str] = field(default_factory=dict)  # header fields with what is left of the limits, after the count

    async def count(self) -> None:
        """Raises LimitReached, LimitsUnavailable."""
        if self.limits:
            sender = Sender(self.actor.organization_id, self.actor.membership_id, self.token_id)
            self.headers = limit_headers(self.limits, await message_count(sender, self.limits, message=uuid4().hex))


def _catalogue_and_limits(actor: Actor, token_id: UUID | None, model: str) -> tuple[Catalogue, Allowances]:
    catalogue = catalogue_load(actor)
    return catalogue, allowances_load(actor, token_id=token_id, assistant=catalogue.assistant(model) or "")
