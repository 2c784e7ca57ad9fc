"""Sums of tokens and cost from the call log (SPEC 3.16), by day, model or conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.db.models import BigIntegerField, CharField, Count, F, Q, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, TruncDate

from chat.conversations.shapes import UsageItem
from chat.models import ModelCall
from tenants.access import Actor
from tenants.errors import BadRequest
from tenants.rest.pagination import Page, page_slice

Group = Literal["day", "model", "conversation"]
KEY: Final = "([0-9a-f]{2}){1,300}"  # form of a cursor: the last key in UTF-8
DEFAULT_DAYS = 30
MAX_DAYS = 400

_TOKENS = ("input_tokens", "cached_tokens", "cache_write_tokens", "tool_tokens", "output_tokens", "thinking_tokens")
_GROUPS: Mapping[Group, Any] = {
    "day": Cast(TruncDate("created_at", tzinfo=UTC), CharField()),
    "model": F("model"),
    "conversation": Cast(Coalesce("conversation_id", "run__conversation_id"), CharField()),
}


@dataclass(frozen=True, slots=True)
class Period:
    """A range of days in UTC."""

    first: date
    last: date  # included


def usage_period(first: date | None, last: date | None) -> Period:
    """Return the period, by default the last 30 days. Raises BadRequest when it is longer than MAX_DAYS."""
    last = last or datetime.now(UTC).date()
    first = first or last - timedelta(days=min(DEFAULT_DAYS - 1, (last - date.min).days))
    if (last - first).days >= MAX_DAYS:
        raise BadRequest(f"Ask for at most {MAX_DAYS} days at a time: `from` and `to` are too far apart.")
    return Period(first, last)


def usage_list(*, actor: Actor, everyone: bool, period: Period, group: Group, cursor: str, limit: int) -> Page[UsageItem]:
    """Return a page of sums, ordered by key. One query.

    `everyone`: sums of the organization, else only of the actor's conversations. Deleted conversations count: they were paid for.
    """
    calls = _calls(period) if everyone else _calls(period).filter(_own(actor.membership_id))
    keyed = calls.annotate(key=_GROUPS[group])
    if cursor:
        keyed = keyed.filter(key__gt=_cursor_decode(cursor))
    sums = keyed.values("key").annotate(
        calls=Count("id"),
        unpriced=Count("id", filter=Q(cost_usd=None)),
        estimated=Count("id", filter=Q(is_estimated=True)),
        cost=Sum("cost_usd"),
        **{name: _sum(name) for name in _TOKENS},
    )
    return page_slice([_item(dict(row)) for row in sums.order_by("key")[: limit + 1]], limit, lambda item: item.key.encode().hex())


def _cursor_decode(cursor: str) -> str:
    """Return the key in a cursor of the form KEY."""
    return bytes.fromhex(cursor).decode(errors="replace").replace("\x00", "")


def _calls(period: Period) -> QuerySet[ModelCall]:
    start = datetime.combine(period.first, time.min, UTC)
    end = datetime.combine(period.last, time.max, UTC)
    return ModelCall.objects.filter(created_at__gte=start, created_at__lte=end)


def _own(membership_id: UUID) -> Q:
    return Q(run__conversation__owner_id=membership_id) | Q(run=None, conversation__owner_id=membership_id)


def _sum(name: str) -> Any:
    return Coalesce(Sum(Cast(KeyTextTransform(name, "usage"), BigIntegerField())), 0)


def _item(row: dict[str, Any]) -> UsageItem:
    tokens = {name: row[name] for name in _TOKENS}
    counts = {"calls": row["calls"], "unpriced_calls": row["unpriced"], "estimated_calls": row["estimated"]}
    return UsageItem(key=row["key"], cost_usd=row["cost"], **counts, **tokens)
