"""Endpoints of all organizations that get no calls for a while after failures, for the operator."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from admin_config.models import ProviderEndpoint
from admin_config.services.breakers import Breaker, BreakerEvent, breakers_read, opened_breakers
from chat.operations.endpoints import EVENTS
from chat.operations.sparklines import Strip, pauses_of
from tenants.redis.clients import REDIS_ERRORS

MAX_BREAKERS = 50


@dataclass(frozen=True, slots=True)
class OpenBreaker:
    endpoint: ProviderEndpoint
    breaker: Breaker

    @property
    def history(self) -> Sequence[BreakerEvent]:
        return self.breaker.history[:EVENTS]

    @property
    def day(self) -> Strip:
        return pauses_of(self.breaker, timezone.now())


def open_breakers() -> list[OpenBreaker] | None:
    """Return the endpoints whose breaker opened and has not closed, at most MAX_BREAKERS; None while Redis is away.

    One statement, and three questions to Redis.
    """
    try:
        places = opened_breakers()[:MAX_BREAKERS]
    except REDIS_ERRORS:
        return None
    breakers = {(breaker.organization_id, breaker.endpoint_id): breaker for breaker in breakers_read(places)} if places else {}
    if places and not breakers:
        return None
    pairs = [(endpoint, breakers.get((endpoint.organization_id, endpoint.pk))) for endpoint in _endpoints(breakers)]
    return [OpenBreaker(endpoint, breaker) for endpoint, breaker in pairs if breaker]


def paused_endpoints() -> Sequence[ProviderEndpoint] | None:
    """Return all endpoints whose breaker opened and has not closed, with their organizations; None while Redis is away.

    One statement where there are any, and two questions to Redis.
    """
    try:
        places = set(opened_breakers())
    except REDIS_ERRORS:
        return None
    return [endpoint for endpoint in _endpoints(places) if (endpoint.organization_id, endpoint.pk) in places]


def _endpoints(places: Collection[tuple[UUID, UUID]]) -> Sequence[ProviderEndpoint]:
    ids = [endpoint_id for _, endpoint_id in places]
    endpoints = ProviderEndpoint.unscoped.using("system").filter(pk__in=ids).select_related("organization")
    return list(endpoints.order_by("organization__name", "name", "pk")) if ids else []


def endpoint_of_any(endpoint_id: UUID) -> ProviderEndpoint | None:
    """Return an organization's endpoint, for the operator."""
    return ProviderEndpoint.unscoped.using("system").filter(pk=endpoint_id).first()
