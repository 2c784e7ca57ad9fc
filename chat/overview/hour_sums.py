"""Figures by hour, summed up from runs and model calls themselves. Both functions read an index over the time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from math import log
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import BigIntegerField, Case, Count, F, FloatField, IntegerField, Min, Q, Sum, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Floor, Greatest, Ln, TruncHour

from chat.models import ModelCall, Run
from chat.overview.sums import STEP, Sums


def hours_from_rows(first: datetime, end: datetime) -> dict[datetime, Sums]:
    """Return the sums of each hour from `first` until before `end` in which something happened. Two statements."""
    sums_by_hour: dict[datetime, Sums] = defaultdict(Sums)
    _add_runs(sums_by_hour, first, end)
    _add_calls(sums_by_hour, first, end)
    return dict(sums_by_hour)


def first_row_at(after: datetime | None) -> datetime | None:
    """Return when the first run ended or the first call was made, at or after a moment; None: never. Two statements."""
    runs, calls = Run.objects.filter(finished_at__isnull=False), ModelCall.objects.all()
    if after is not None:
        runs, calls = runs.filter(finished_at__gte=after), calls.filter(created_at__gte=after)
    times = (runs.aggregate(at=Min("finished_at"))["at"], calls.aggregate(at=Min("created_at"))["at"])
    return min((at for at in times if at is not None), default=None)


def _add_runs(sums_by_hour: dict[datetime, Sums], first: datetime, end: datetime) -> None:
    runs = Run.objects.filter(finished_at__gte=first, finished_at__lt=end, conversation__is_trial=False).order_by()
    groups = runs.annotate(hour=TruncHour("finished_at", tzinfo=UTC)).values("hour", "status", "error_code")
    for row in groups.annotate(count=Count("id"), members=ArrayAgg("conversation__owner_id", distinct=True)):
        sums = sums_by_hour[row["hour"]]
        sums.runs += row["count"]
        sums.members.update(row["members"])
        if row["status"] == Run.Status.FAILED:
            sums.failed += row["count"]
            sums.errors[row["error_code"]] += row["count"]
        elif row["status"] == Run.Status.STOPPED:
            sums.stopped += row["count"]


def _add_calls(sums_by_hour: dict[datetime, Sums], first: datetime, end: datetime) -> None:
    calls = ModelCall.objects.filter(created_at__gte=first, created_at__lt=end).order_by()
    groups = calls.annotate(
        hour=TruncHour("created_at", tzinfo=UTC),
        is_trial=Coalesce("run__conversation__is_trial", "conversation__is_trial"),
        first_class=_FIRST_CLASS,
    ).values("hour", "is_trial", "first_class")
    for call_sums in groups.annotate(**_CALL_SUMS):
        row: Mapping[str, Any] = dict(call_sums)
        sums = sums_by_hour[row["hour"]]
        if row["is_trial"]:
            sums.trial_calls += row["count"]
            sums.trial_unpriced_calls += row["unpriced"]
            sums.trial_cost_usd += row["cost"]
            continue
        sums.calls += row["count"]
        sums.unpriced_calls += row["unpriced"]
        sums.cost_usd += row["cost"]
        sums.input_tokens += row["input"]
        sums.output_tokens += row["output"]
        if row["first_class"] is not None:
            sums.first_tokens[str(row["first_class"])] += row["count"]


def _tokens(name: str) -> Coalesce:
    return Coalesce(Cast(KeyTextTransform(name, "usage"), BigIntegerField()), Value(0), output_field=BigIntegerField())


_FIRST_CLASS = Case(
    When(
        Q(kind=ModelCall.Kind.STEP, step=1, first_token_ms__isnull=False),
        then=Cast(Floor(Ln(Cast(Greatest(F("first_token_ms"), Value(1)), FloatField())) / Value(log(STEP))), IntegerField()),
    ),
    output_field=IntegerField(),
)
_CALL_SUMS = {
    "count": Count("id"),
    "unpriced": Count("id", filter=Q(cost_usd=None)),
    "cost": Coalesce(Sum("cost_usd"), 0.0),
    "input": Sum(_tokens("input_tokens")),
    "output": Sum(_tokens("output_tokens") + _tokens("thinking_tokens")),
}
