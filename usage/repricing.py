"""What calls without a price would have cost by today's prices: a calculation of its own beside the log, never a change of it.

An admin asks for it, and a worker makes it, a day in each transaction. A worker that dies is followed by the next round of
usage.tasks.usage_sum, which goes on with the next day.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any, Final
from uuid import UUID

import structlog
from celery import current_app
from django.db import connections, transaction
from django.db.models import F, Q
from kombu.exceptions import KombuError

from admin_config.defaults.prices import Price, price_of_call
from admin_config.models import ModelConfig
from chat.models import ModelCall
from security.audit import audit
from tenants.access import Actor
from tenants.context import current_alias, current_organization_id, tenant_tx
from usage.models import RepricedSum, Repricing
from usage.reading.query import DAY, Period, UsageQuery
from usage.reading.sums import Scope, sums_by_columns
from usage.rollup import day_start, hours_with

log = structlog.get_logger(__name__)

TASK: Final = "usage.tasks.usage_reprice"
Names = tuple[str, str]  # a provider, and its model
_UNDER_WAY: Final = Q(done_until=None) | ~Q(done_until=F("last"))

# By step of the price lists, as prices may depend on the length of the prompt. Calls with searches or pictures are apart: they may have no price.
_UNPRICED: Final = """\
select c.provider, c.model, width_bucket(u.input, %(steps)s::bigint[]) as step, count(*),
    sum(u.input), sum(u.cached), sum(u.written), sum(u.output), sum(u.thinking), sum(u.images), sum(u.searches), sum(u.pictures)
from chat_modelcall c
cross join lateral (select coalesce((c.usage ->> 'input_tokens')::bigint, 0) as input,
    coalesce((c.usage ->> 'cached_tokens')::bigint, 0) as cached, coalesce((c.usage ->> 'cache_write_tokens')::bigint, 0) as written,
    coalesce((c.usage ->> 'output_tokens')::bigint, 0) as output, coalesce((c.usage ->> 'thinking_tokens')::bigint, 0) as thinking,
    coalesce((c.usage ->> 'image_tokens')::bigint, 0) as images, coalesce((c.usage ->> 'searches')::bigint, 0) as searches,
    coalesce((c.usage ->> 'pictures')::bigint, 0) as pictures) u
where c.organization_id = %(organization)s and c.created_at >= %(first)s and c.created_at < %(end)s and c.cost_usd is null
group by 1, 2, 3, u.searches > 0, u.pictures > 0"""


def repricing_begin(*, actor: Actor, period: Period) -> Repricing | None:
    """Have a worker calculate what the period's calls without a price cost by the prices that are set now. Writes an audit event.

    Return None when none of their models has a price. One that is under way for the same days is returned instead of a second one.
    """
    running = Repricing.objects.filter(_UNDER_WAY, first=period.first, last=period.last).first()
    if running:
        return running
    model_sums = sums_by_columns(Scope.of(UsageQuery(period)), ("provider", "model"), period.first, period.last)
    price_lists = _known_prices()
    models = sorted({model for (provider, model), sums in model_sums if sums.unpriced_calls and (provider, model) in price_lists})
    audit(
        organization_id=actor.organization_id,
        actor_user_id=actor.user_id,
        action="usage.reprice",
        object_kind="usage",
        object_id="",
        detail={"first": str(period.first), "last": str(period.last), "models": models},
    )
    if not models:
        return None
    repricing = Repricing.objects.create(first=period.first, last=period.last, asked_by_id=actor.membership_id)
    transaction.on_commit(partial(_enqueue, actor.organization_id, repricing.pk))
    return repricing


def repricing_work(*, organization_id: UUID, repricing_id: UUID, until: float) -> None:
    """Calculate day after day, as far as the time allows. A call that was sent several times is priced as one request.

    `until`: when to begin nothing more, by time.monotonic(). Opens its own transactions.
    """
    while time.monotonic() < until:
        with tenant_tx(organization_id):
            row = Repricing.objects.select_for_update().filter(pk=repricing_id).first()
            if row is None or row.is_done:
                return
            day = row.done_until + DAY if row.done_until else row.first
            RepricedSum.objects.bulk_create(_sums_of(row, day))
            row.done_until = day
            row.save(update_fields=["done_until"])


def repricings_continue(*, organization_id: UUID, until: float) -> None:
    """Go on with what no worker has finished."""
    with tenant_tx(organization_id):
        waiting = list(Repricing.objects.filter(_UNDER_WAY).order_by("created_at").values_list("pk", flat=True))
    for repricing_id in waiting:
        repricing_work(organization_id=organization_id, repricing_id=repricing_id, until=until)


def _enqueue(organization_id: UUID, repricing_id: UUID) -> None:
    """Queue the work. While the broker is down this is only logged: the next round goes on with it."""
    try:
        current_app.send_task(TASK, (str(organization_id), str(repricing_id)), expires=300, retry=False)
    except (KombuError, OSError) as error:
        log.warning("repricing_not_queued", repricing_id=str(repricing_id), reason=type(error).__name__)


def _known_prices() -> dict[Names, list[Price]]:
    """Return the price lists that have a price. Two statements."""
    lists = {
        (model.provider, model.model_id): [row.price for row in model.prices.all()]
        for model in ModelConfig.objects.prefetch_related("prices")
    }
    return {names: prices for names, prices in lists.items() if any(price.is_known for price in prices)}


def _sums_of(row: Repricing, day: date) -> list[RepricedSum]:
    price_lists = _known_prices()
    sums_by_model: dict[Names, RepricedSum] = {}
    for provider, model, prompt, count, *sums in _unpriced_sums(price_lists, day):
        prices = price_lists.get((provider, model), [])
        usd = _cost(prices, day, prompt, *map(int, sums))
        if usd is not None:
            words = "; ".join(price.words() for price in prices)[:400]
            new = RepricedSum(repricing=row, day=day, provider=provider, model=model, calls=0, tokens=0, cost_usd=Decimal(0), prices=words)
            one = sums_by_model.setdefault((provider, model), new)
            one.calls, one.tokens, one.cost_usd = one.calls + count, one.tokens + int(sums[0] + sums[3] + sums[4]), one.cost_usd + usd
    return list(sums_by_model.values())


def _unpriced_sums(price_lists: dict[Names, list[Price]], day: date) -> list[tuple[Any, ...]]:
    """Return rows of provider, model, a prompt's length that has the row's price, and sums: of a part of the day each."""
    steps = sorted({price.above_tokens + 1 for prices in price_lists.values() for price in prices})
    rows: list[tuple[Any, ...]] = []
    with connections[current_alias()].cursor() as cursor:
        for begins, ends in hours_with(ModelCall.objects.all(), day_start(day), day_start(day + DAY)):
            values: dict[str, Any] = {"organization": current_organization_id(), "first": begins, "end": ends, "steps": steps}
            cursor.execute(_UNPRICED, values)
            rows += [(provider, model, steps[place - 1] if place else 0, *rest) for provider, model, place, *rest in cursor.fetchall()]
    return rows


def _cost(prices: Sequence[Price], day: date, prompt: int, *sums: int) -> Decimal | None:
    price = price_of_call(prices, day=day, prompt_tokens=prompt)
    if price is None:
        return None
    total_input, cached_input, cache_write, output, thinking, images, searches, pictures = sums
    usd = price.cost_usd(
        fresh_input=total_input - cached_input - cache_write,
        cached_input=cached_input,
        cache_write=cache_write,
        output=output,
        thinking=thinking,
        images=images,
        searches=searches,
        pictures=pictures,
    )
    return None if usd is None else Decimal(repr(usd))
