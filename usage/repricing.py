"""What calls without a price would have cost by today's prices: a calculation of its own beside the log, never a change of it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django.db import connections

from admin_config.defaults.prices import Price, price_of_call
from admin_config.models import ModelConfig
from security.audit import audit
from tenants.access import Actor
from tenants.context import current_alias, current_organization_id
from usage.models import Repricing
from usage.reading.query import DAY, Period
from usage.rollup import day_start

# By day and step of the price list, as prices hold from a day on and may depend on the length of the prompt.
_UNPRICED: Final = """\
select (c.created_at at time zone 'UTC')::date, width_bucket(u.input, %(steps)s::bigint[]) as step, count(*),
    sum(u.input), sum(u.cached), sum(u.written), sum(u.output), sum(u.thinking)
from chat_modelcall c
cross join lateral (select coalesce((c.usage ->> 'input_tokens')::bigint, 0) as input,
    coalesce((c.usage ->> 'cached_tokens')::bigint, 0) as cached, coalesce((c.usage ->> 'cache_write_tokens')::bigint, 0) as written,
    coalesce((c.usage ->> 'output_tokens')::bigint, 0) as output, coalesce((c.usage ->> 'thinking_tokens')::bigint, 0) as thinking) u
where c.organization_id = %(organization)s and c.created_at >= %(first)s and c.created_at < %(end)s and c.cost_usd is null
    and c.provider = %(provider)s and c.model = %(model)s
group by 1, 2"""


def usage_reprice(*, actor: Actor, period: Period) -> list[Repricing]:
    """Calculate what the period's calls without a price cost by the prices that are set now; return a row for each model with a price.

    A call that was sent several times is priced as one request. Writes an audit event.
    """
    made = [row for model in ModelConfig.objects.prefetch_related("prices") if (row := _of_model(model, period, actor)) is not None]
    Repricing.objects.bulk_create(made)
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="usage.reprice",
        object_kind="usage",
        object_id="",
        detail={"first": str(period.first), "last": str(period.last), "models": [row.model for row in made]},
    )
    return made


def _of_model(model: ModelConfig, period: Period, actor: Actor) -> Repricing | None:
    prices = [row.price for row in model.prices.all()]
    if not any(price.is_known for price in prices):
        return None
    cost, calls, tokens = Decimal(0), 0, 0
    for day, prompt, count, *sums in _unpriced(model, prices, period):
        usd = _cost(prices, day, prompt, *map(int, sums))
        if usd is not None:
            cost, calls, tokens = cost + usd, calls + count, tokens + int(sums[0] + sums[3] + sums[4])
    if not calls:
        return None
    return Repricing(
        provider=model.provider,
        model=model.model_id,
        first=period.first,
        last=period.last,
        calls=calls,
        tokens=tokens,
        cost_usd=cost,
        prices="; ".join(price.words() for price in prices)[:400],
        asked_by_id=actor.membership_id,
    )


def _unpriced(model: ModelConfig, prices: Iterable[Price], period: Period) -> list[tuple[Any, ...]]:
    """Return rows of day, a prompt's length that has the row's price, and sums. One statement."""
    steps = sorted({price.above_tokens + 1 for price in prices})
    values: dict[str, Any] = {
        "organization": current_organization_id(),
        "first": day_start(period.first),
        "end": day_start(period.last + DAY),
        "provider": model.provider,
        "model": model.model_id,
        "steps": steps,
    }
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_UNPRICED, values)
        return [(day, steps[place - 1] if place else 0, *rest) for day, place, *rest in cursor.fetchall()]


def _cost(prices: Iterable[Price], day: date, prompt: int, *sums: int) -> Decimal | None:
    price = price_of_call(prices, day=day, prompt_tokens=prompt)
    if price is None:
        return None
    entered, cached, written, output, thinking = sums
    usd = price.cost_usd(fresh_input=entered - cached - written, cached_input=cached, cache_write=written, output=output, thinking=thinking)
    return None if usd is None else Decimal(repr(usd))
