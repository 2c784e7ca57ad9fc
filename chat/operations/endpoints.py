"""Endpoints with their circuit breakers, what happened to those, and the calls of the last hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Aggregate, Count, FloatField, Q
from django.utils import timezone

from admin_config.models import ProviderEndpoint
from admin_config.services.breakers import Breaker, BreakerEvent, BreakerState, BreakerStatus, breakers_read
from chat.models import ModelCall
from chat.operations.sparklines import Strip, pauses_of

WINDOW: Final = timedelta(hours=1)
EVENTS: Final = 3  # of a breaker, in words


class Percentile(Aggregate):
    """The value below which a share of the rows lies; NULL without any."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


_FIGURES: Final = {
    "calls": Count("pk"),
    "failed": Count("pk", filter=~Q(error_code__in=("", "stopped"))),
    "first_ms": Percentile("first_token_ms", share=0.5),
    "slow_ms": Percentile("duration_ms", share=0.95),
}


NO_FIGURES: Final = {"calls": 0, "failed": 0, "first_ms": None, "slow_ms": None}


@dataclass(frozen=True, slots=True)
class EndpointState:
    """An endpoint of the board."""

    endpoint: ProviderEndpoint
    breaker: Breaker | None  # None: Redis is away
    calls: int
    failed: int
    first_ms: float | None
    slow_ms: float | None

    @property
    def status(self) -> BreakerStatus | None:
        return self.breaker.status if self.breaker else None

    @property
    def history(self) -> Sequence[BreakerEvent]:
        return self.breaker.history[:EVENTS] if self.breaker else ()

    @property
    def day(self) -> Strip | None:
        return pauses_of(self.breaker, timezone.now()) if self.breaker else None

    @property
    def is_healthy(self) -> bool:
        return self.status is not None and self.status.state == BreakerState.CLOSED

    @property
    def failed_percent(self) -> float | None:
        return 100 * self.failed / self.calls if self.calls else None


def endpoint_states(organization_id: UUID) -> list[EndpointState]:
    """Return the organization's endpoints that are in use. Two statements and one question to Redis."""
    endpoints = list(ProviderEndpoint.objects.filter(is_enabled=True).order_by("provider", "priority", "name", "pk"))
    breakers = {breaker.endpoint_id: breaker for breaker in breakers_read([(organization_id, endpoint.pk) for endpoint in endpoints])}
    recent = (
        ModelCall.objects.filter(created_at__gte=timezone.now() - WINDOW).order_by().values("provider", "endpoint").annotate(**_FIGURES)
    )
    figures = {(row["provider"], row["endpoint"]): {name: dict(row)[name] for name in _FIGURES} for row in recent}
    return [EndpointState(one, breakers.get(one.pk), **figures.get((one.provider, one.name), NO_FIGURES)) for one in endpoints]
