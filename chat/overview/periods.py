"""The periods of the overview, and what was in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Case, F, Func, Q, UUIDField, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from chat.models import HourFigures
from chat.overview.hour_sums import hours_from_rows
from chat.overview.rollup import FIELDS, HOUR, hour_of
from chat.overview.sums import Sums, total

DAY: Final = timedelta(days=1)
PERIODS: Final[Mapping[str, tuple[str | Promise, int]]] = {
    "today": (gettext_lazy("Today"), 1),
    "7": (gettext_lazy("7 days"), 7),
    "30": (gettext_lazy("30 days"), 30),
}
DEFAULT: Final = "today"
PLAIN_FIELDS: Final = tuple(name for name in FIELDS if name != "members")


@dataclass(frozen=True, slots=True)
class Period:
    """Days in UTC, the last of them today."""

    key: str
    now: datetime

    @property
    def days(self) -> int:
        return PERIODS[self.key][1]

    @property
    def first(self) -> datetime:
        return hour_of(self.now).replace(hour=0) - (self.days - 1) * DAY

    @property
    def first_before(self) -> datetime:
        return self.first - self.days * DAY

    @property
    def end_before(self) -> datetime:
        """The end of the same hour so many days before: a day that has only begun is not compared with a whole one."""
        return hour_of(self.now) + HOUR - self.days * DAY

    @property
    def month_first(self) -> datetime:
        return hour_of(self.now).replace(day=1, hour=0)

    @property
    def step(self) -> timedelta:
        """Of the charts."""
        return HOUR if self.days == 1 else DAY

    def steps(self) -> Iterator[datetime]:
        """Yield where each part of the charts begins; also of what is still to come today."""
        at = self.first
        while at < self.first + self.days * DAY:
            yield at
            at += self.step


@dataclass(frozen=True, slots=True)
class Figures:
    """What the overview shows of a period."""

    period: Period
    now: Sums
    before: Sums
    steps: Mapping[datetime, Sums]  # of the charts, also empty ones
    month: Mapping[datetime, Sums]  # by day, from the first of this month until today


def figures_of_period(period: Period) -> Figures:
    """Return a period's figures. Four statements: two on the hours that are summed up, two on the rows since."""
    first = min(period.first_before, period.month_first)
    hours = _summed_hours(first)
    summed_until = max(hours) + HOUR if hours else first
    hours.update(hours_from_rows(summed_until, period.now + HOUR))
    steps = {at: total(sums for hour, sums in hours.items() if at <= hour < at + period.step) for at in period.steps()}
    now = total(steps.values())
    before = total(sums for hour, sums in hours.items() if period.first_before <= hour < period.end_before)
    _add_members(now, before, period)
    return Figures(period, now, before, steps, _by_day(hours, period))


def _by_day(hours: Mapping[datetime, Sums], period: Period) -> dict[datetime, Sums]:
    days = [period.month_first + number * DAY for number in range(period.now.day)]
    return {day: total(sums for hour, sums in hours.items() if day <= hour < day + DAY) for day in days}


def _summed_hours(first: datetime) -> dict[datetime, Sums]:
    rows = HourFigures.objects.filter(hour__gte=first).values("hour", *PLAIN_FIELDS)
    return {row.pop("hour"): Sums(**row) for row in rows}


def _add_members(now: Sums, before: Sums, period: Period) -> None:
    """Add who was active in the hours that are summed up. The database names each of them once per period."""
    condition = Q(hour__gte=period.first) | Q(hour__gte=period.first_before, hour__lt=period.end_before)
    is_now = Case(When(hour__gte=period.first, then=Value(True)), default=Value(False))
    member = Func(F("members"), function="unnest", output_field=UUIDField())
    hours = HourFigures.objects.filter(condition).order_by().annotate(is_now=is_now, member=member)
    for active_now, member_id in hours.values_list("is_now", "member").distinct():
        (now if active_now else before).members.add(member_id)
