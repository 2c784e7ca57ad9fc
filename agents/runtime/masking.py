"""A run's registered secrets (SPEC 3.17): loaded once, masked before every model call, put back by the connector they belong to."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from uuid import UUID

from agents.engine.messages import ModelEvent, ModelRequest
from agents.engine.placeholders import Placeholders, RegisteredSecret, RequestMasker
from agents.engine.ports import LanguageModel
from security.egress import EgressRefused, origin_of
from security.registered_secrets import registered_secrets_open
from tenants.db import in_db


class MaskingModel:
    """Wraps a model, and everything that records or repeats its calls: all of it sees placeholders."""

    def __init__(self, model: LanguageModel, placeholders: Placeholders) -> None:
        self._model, self._mask = model, RequestMasker(placeholders)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(self._model.stream(self._mask.mask_request(request))) as events:
            async for event in events:
                yield event


def with_masking(model: LanguageModel, placeholders: Placeholders) -> LanguageModel:
    """`model` behind the placeholders; itself when there are no secrets."""
    return MaskingModel(model, placeholders) if placeholders else model


async def placeholders_load(*, organization_id: UUID, membership_id: UUID | None) -> Placeholders:
    """The secrets of the organization and, with `membership_id`, of that member. One query; keep the result for one run only."""
    return await in_db(placeholders_open, membership_id=membership_id, organization_id=organization_id)


def placeholders_open(*, membership_id: UUID | None) -> Placeholders:
    """The same inside the organization's transaction."""
    opened = registered_secrets_open(membership_id=membership_id)
    return Placeholders(RegisteredSecret(secret.placeholder, secret.value, secret.tool, secret.origin) for secret in opened)


def restore(value: Any, placeholders: Placeholders, *, tool: str, url: str) -> Any:
    """A header or JSON body as the connector of `tool` sends it to `url`: with the secrets that belong there. Call it for each hop."""
    try:
        return placeholders.restore(value, tool=tool, origin=origin_of(url))
    except EgressRefused:
        return value
