"""What calls without a price cost by prices that were entered later. For each day and model the newest calculation counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from django.db import connections

from tenants.context import current_alias, current_organization_id
from usage.reading.query import Period

_REPRICED: Final = """\
select provider, model, min(day), max(day), sum(calls), sum(tokens), sum(cost_usd), max(asked_at) from (
    select distinct on (s.day, s.provider, s.model) s.*, r.created_at as asked_at
    from usage_repricedsum s join usage_repricing r on r.organization_id = s.organization_id and r.id = s.repricing_id
    where s.organization_id = %(organization)s and s.day >= %(first)s and s.day <= %(last)s
    order by s.day, s.provider, s.model, r.created_at desc
) newest group by provider, model order by model, provider"""


@dataclass(frozen=True, slots=True)
class RepricedModel:
    """What a model's calls without a price cost by later prices."""

    provider: str
    model: str
    first: date  # the first day with such a call that is calculated
    last: date
    calls: int
    tokens: int
    cost_usd: Decimal
    asked_at: datetime  # when the newest calculation was asked for


def repriced_in(period: Period) -> list[RepricedModel]:
    """Return the models with such a calculation for days of the period. One statement."""
    values: dict[str, Any] = {"organization": current_organization_id(), "first": period.first, "last": period.last}
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_REPRICED, values)
        return [
            RepricedModel(provider, model, first, last, int(calls), int(tokens), cost, asked_at)
            for provider, model, first, last, calls, tokens, cost, asked_at in cursor.fetchall()
        ]
