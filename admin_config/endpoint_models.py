"""The list of models that an endpoint gives. `agents`, a higher layer, asks for it and registers here how."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from admin_config.release import EndpointSnapshot

MAX_LISTED_MODELS: Final = 1000


@dataclass(frozen=True, slots=True)
class ModelListing:
    """The ids of an endpoint's models in order, or the problem as a sentence for an admin."""

    models: tuple[str, ...] = ()
    problem: str = ""


ListModels = Callable[[EndpointSnapshot, UUID], Awaitable[ModelListing]]
"""Asks the endpoint with the organization's key (SECURITY 8: outside of transactions)."""

_listers: list[ListModels] = []


def list_models_set(list_models: ListModels) -> None:
    """Register how an endpoint is asked. Called once, when the process starts."""
    _listers[:] = [list_models]


async def endpoint_models(endpoint: EndpointSnapshot, organization_id: UUID) -> ModelListing:
    [list_models] = _listers
    return await list_models(endpoint, organization_id)
