"""Sums of tokens and cost of a member's own calls, from the call log (SPEC 3.16), by day, model or conversation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BigIntegerField, BooleanField, CharField, Count, F, Func, Max, Min, Q, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, TruncDate
from django.utils.translation import gettext

from chat.conversations.selectors import conversation_get_for_user, duration_ms
from chat.conversations.shapes import (
    AnswerUsage,
    ConversationUsage,
    UsageConversation,
    UsageDay,
    UsageItem,
    UsageSummary,
    UsageSums,
)
from chat.models import Conversation, ModelCall, Run
from tenants.access import Actor
from tenants.errors import BadRequest
from tenants.rest.pagination import Page, page_slice

Group = Literal["day", "model", "conversation"]
KEY: Final = "([0-9a-f]{2}){1,300}"  # form of a cursor: the last key in UTF-8
DEFAULT_DAYS = 30
MAX_DAYS = 400
TOP_CONVERSATIONS = 8
AFTER_ITS_END: Final = timedelta(days=1)
FIRST_MOMENT: Final = datetime(2, 1, 1, tzinfo=UTC)  # nothing can be taken from the first day that there is
LAST_MOMENT: Final = datetime(9998, 1, 1, tzinfo=UTC)  # nor added to the last one
CLOCKS_DIFFER: Final = timedelta(hours=1)  # by less than this: between the hosts that made a run and its call

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
        raise BadRequest(
            gettext("Ask for at most %(max_days)s days at a time: `from` and `to` are too far apart.") % {"max_days": MAX_DAYS}
        )
    return Period(first, last)


def usage_list(*, actor: Actor, period: Period, group: Group, cursor: str, limit: int) -> Page[UsageItem]:
    """Return a page of sums over the actor's own conversations, ordered by key. One query.

    Deleted conversations count: they were paid for.
    """
    keyed = _own_calls(actor.membership_id, period).annotate(key=_GROUPS[group])
    if cursor:
        keyed = keyed.filter(key__gt=key_after(cursor))
    sums = keyed.values("key").annotate(**_SUMS)
    return usage_page([_item(dict(row)) for row in sums.order_by("key")[: limit + 1]], limit)


def usage_page(items: Iterable[UsageItem], limit: int) -> Page[UsageItem]:
    """Return the first `limit` items as a page, whose cursor has the form KEY."""
    return page_slice(items, limit, lambda item: item.key.encode().hex())


def key_after(cursor: str) -> str:
    """Return the key in a cursor of the form KEY."""
    return bytes.fromhex(cursor).decode(errors="replace").replace("\x00", "")


def usage_summary(*, actor: Actor, period: Period) -> UsageSummary:
    """Return what the actor used: sums by day and model, and the conversations that cost most. Two queries.

    Deleted conversations count, without a title.
    """
    calls = _own_calls(actor.membership_id, period)
    days = calls.annotate(day=_GROUPS["day"]).values("day", "model").annotate(answers=_ANSWERS, **_SUMS).order_by("day", "model")
    places = (
        calls.annotate(place=Coalesce("conversation_id", "run__conversation_id"))
        .annotate(title=_of_conversation("title"), deleted_at=_of_conversation("deleted_at"))
        .values("place", "title", "deleted_at")
        .annotate(answers=_ANSWERS, **_SUMS)
        .order_by(F("cost").desc(nulls_last=True), F("input_tokens").desc(), "place")
    )
    return UsageSummary(
        first=period.first,
        last=period.last,
        days=[UsageDay(day=row["day"], model=row["model"], **_sums(row)) for row in days],
        conversations=[_conversation(row) for row in places[:TOP_CONVERSATIONS]],
    )


def conversation_usage(*, actor: Actor, key: str, run_ids: Collection[UUID]) -> ConversationUsage:
    """Return what the actor's conversation used in all, and what these of its runs did. Two queries.

    Raises NotFound.
    """
    conversation = conversation_get_for_user(actor=actor, key=key)
    calls = ModelCall.objects.filter(Q(run__conversation=conversation) | Q(run=None, conversation=conversation))
    times = {
        "first_token_ms": _FIRST_TOKEN,
        "begun": Max("run__created_at"),
        "ended": Max("run__finished_at"),
        "waited_ms": Max("run__waited_ms"),
    }
    rows = list(calls.values("run_id").annotate(answers=_ANSWERS, **times, **_SUMS))
    wanted = set(run_ids)
    return ConversationUsage(
        total=total_of(rows),
        answers=[_answer(row) for row in rows if row["run_id"] in wanted],
    )


def _answer(row: Mapping[str, Any]) -> AnswerUsage:
    took_ms = max(0, duration_ms(row["begun"], row["ended"]) - row["waited_ms"]) if row["ended"] else None
    return AnswerUsage(run_id=row["run_id"], first_token_ms=row["first_token_ms"], duration_ms=took_ms, **_sums(row))


def total_of(rows: Sequence[Mapping[str, Any]]) -> UsageSums:
    costs = [row["cost"] for row in rows if row["cost"] is not None]
    names = ("answers", "calls", "unpriced", "estimated", *_TOKENS)
    return UsageSums(**_sums({name: sum(row[name] for row in rows) for name in names} | {"cost": sum(costs) if costs else None}))


def _conversation(row: Mapping[str, Any]) -> UsageConversation:
    is_deleted = row["deleted_at"] is not None
    return UsageConversation(id=None if is_deleted else row["place"], title="" if is_deleted else row["title"], **_sums(row))


def _of_conversation(name: str) -> Any:
    return Coalesce(f"conversation__{name}", f"run__conversation__{name}")


def _start(period: Period) -> datetime:
    return datetime.combine(period.first, time.min, UTC)


def _end(period: Period) -> datetime:
    return datetime.combine(period.last, time.max, UTC)


class _IsAny(Func):
    """Whether a column has one of a subquery's values, as an array: so an index of the column is used, and not each row looked at."""

    arg_joiner = " = any("
    template = "(%(expressions)s))"
    output_field = BooleanField()


def _own_calls(membership_id: UUID, period: Period) -> QuerySet[ModelCall]:
    """Return the member's own calls. What they tried as an admin is the organization's, not theirs."""
    conversations = Conversation.objects.filter(owner_id=membership_id, is_trial=False).order_by()
    # A title or suggestions may come after the end of their run.
    has_calls = Q(finished_at=None) | Q(finished_at__gte=max(_start(period), FIRST_MOMENT) - AFTER_ITS_END)
    until_end = Q(created_at__lte=min(_end(period), LAST_MOMENT) + CLOCKS_DIFFER)  # or a past month would look up all runs since
    runs = Run.objects.filter(has_calls, until_end, conversation__owner_id=membership_id, conversation__is_trial=False).order_by()
    in_runs = Q(_IsAny(F("run_id"), ArraySubquery(runs.values("pk"))))
    calls = ModelCall.objects.filter(created_at__gte=_start(period), created_at__lte=_end(period))
    return calls.filter(in_runs | Q(_IsAny(F("conversation_id"), ArraySubquery(conversations.values("pk"))), run=None))


def _sum(name: str) -> Any:
    return Coalesce(Sum(Cast(KeyTextTransform(name, "usage"), BigIntegerField())), 0)


_ANSWERS = Count("run_id", distinct=True)
_FIRST_TOKEN = Min("first_token_ms", filter=Q(kind=ModelCall.Kind.STEP, step=1))
_SUMS: Mapping[str, Any] = {
    "calls": Count("id"),
    "unpriced": Count("id", filter=Q(cost_usd=None)),
    "estimated": Count("id", filter=Q(is_estimated=True)),
    "cost": Sum("cost_usd"),
    **{name: _sum(name) for name in _TOKENS},
}


def _item(row: Mapping[str, Any]) -> UsageItem:
    return UsageItem(key=row["key"], **_counts(row))


def _sums(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of UsageSums."""
    return {"answers": row["answers"], **_counts(row)}


def _counts(row: Mapping[str, Any]) -> dict[str, Any]:
    tokens = {name: row[name] for name in _TOKENS}
    return {
        "cost_usd": row["cost"],
        "calls": row["calls"],
        "unpriced_calls": row["unpriced"],
        "estimated_calls": row["estimated"],
        **tokens,
    }
