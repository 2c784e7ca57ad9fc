"""Endpoints of all organizations that are left alone after failures, for the operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from admin_config.models import ProviderEndpoint
from admin_config.services.breakers import BreakerEvent, BreakerStatus, breaker_histories, breaker_statuses, opened_breakers
from tenants.redis.clients import REDIS_ERRORS

MAX_BREAKERS = 50


@dataclass(frozen=True, slots=True)
class OpenBreaker:
    endpoint: ProviderEndpoint
    status: BreakerStatus | None
    history: Sequence[BreakerEvent]


def open_breakers() -> list[OpenBreaker] | None:
    """Return the endpoints whose breaker opened and has not closed, at most MAX_BREAKERS; None while Redis is away. One statement."""
    try:
        pairs = opened_breakers(MAX_BREAKERS)
    except REDIS_ERRORS:
        return None
    by_id = {endpoint_id: organization_id for organization_id, endpoint_id in pairs}
    endpoints = ProviderEndpoint.unscoped.using("system").filter(pk__in=by_id).select_related("organization") if by_id else []
    return [_breaker(endpoint) for endpoint in endpoints if by_id[endpoint.pk] == endpoint.organization_id]


def _breaker(endpoint: ProviderEndpoint) -> OpenBreaker:
    place: tuple[UUID, list[UUID]] = (endpoint.organization_id, [endpoint.pk])
    statuses = breaker_statuses(organization_id=place[0], endpoint_ids=place[1])
    histories = breaker_histories(organization_id=place[0], endpoint_ids=place[1])
    return OpenBreaker(endpoint, statuses.get(endpoint.pk), histories.get(endpoint.pk, [])[:6])
