"""Registered secrets of a run (SPEC 3.17): loaded once, masked before every model call, restored by their connector."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any
from uuid import UUID

from agents.engine.messages import ModelEvent, ModelRequest
from agents.engine.placeholders import Placeholders, RegisteredSecret, RequestMasker
from agents.engine.ports import LanguageModel
from security.egress import EgressRefused, origin_of
from security.registered_secrets import OpenedSecret, registered_secrets_open
from tenants.db import in_db


class MaskingModel:
    """Wraps a model and everything that records or retries its calls, so that all of them only see placeholders."""

    def __init__(self, model: LanguageModel, placeholders: Placeholders) -> None:
        self._model, self._mask = model, RequestMasker(placeholders)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(self._model.stream(self._mask.mask_request(request))) as events:
            async for event in events:
                yield event


def with_masking(model: LanguageModel, placeholders: Placeholders) -> LanguageModel:
    """Return `model` with masking; the model itself when there are no secrets."""
    return MaskingModel(model, placeholders) if placeholders else model


async def placeholders_load(*, organization_id: UUID, membership_id: UUID | None) -> Placeholders:
    """Return the secrets of the organization and, with `membership_id`, of that member. One query.

    Keep the result for one run only.
    """
    return await in_db(placeholders_open, membership_id=membership_id, organization_id=organization_id)


def placeholders_open(*, membership_id: UUID | None) -> Placeholders:
    """Like `placeholders_load`, but synchronous and inside the organization's transaction."""
    return placeholders_of(registered_secrets_open(membership_id=membership_id))


def placeholders_of(opened: Sequence[OpenedSecret]) -> Placeholders:
    """Return the placeholders of secrets that are opened already."""
    return Placeholders(RegisteredSecret(secret.placeholder, secret.value, secret.tool, secret.origin) for secret in opened)


def restore(value: Any, placeholders: Placeholders, *, tool: str, url: str) -> Any:
    """Return a header or JSON body as the connector of `tool` sends it to `url`: with the secrets that may be sent there.

    Call it for each hop.
    """
    try:
        return placeholders.restore(value, tool=tool, origin=origin_of(url))
    except EgressRefused:
        return value
