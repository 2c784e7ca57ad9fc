"""What runs used and cost, from the call log and from their own rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Min, Q, Sum

from chat.models import ModelCall


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Sums over the model calls of a run."""

    cost_usd: float | None = None  # None: no call, or one without a known price
    first_token_ms: int | None = None  # of the first step's call
    calls: int = 0


def figures_of(run_ids: Collection[UUID]) -> dict[UUID, RunFigures]:
    """Return the figures of those runs that called a model. One query."""
    first = Min("first_token_ms", filter=Q(step=1, kind=ModelCall.Kind.STEP))
    calls = ModelCall.objects.filter(run_id__in=run_ids).order_by().values("run_id")
    sums = calls.annotate(cost=Sum("cost_usd"), unpriced=Count("id", filter=Q(cost_usd=None)), first=first, calls=Count("id"))
    return {row["run_id"]: RunFigures(None if row["unpriced"] else row["cost"], row["first"], row["calls"]) for row in sums}
