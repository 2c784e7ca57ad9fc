"""Periods of budgets: they begin at midnight UTC, and months on their first day. Pure functions."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal

Period = Literal["day", "month", "total"]

PERIODS: Final[tuple[Period, ...]] = ("day", "month", "total")
FIRST_DAY: Final = date(2000, 1, 1)  # of a budget in total, which never begins anew


def period_start(period: Period, day: date) -> date:
    """Return the first day of the period that contains `day`."""
    return {"day": day, "month": day.replace(day=1), "total": FIRST_DAY}[period]


def next_start(period: Period, day: date) -> date | None:
    """Return when the next period begins; None: never."""
    match period:
        case "day":
            return day + timedelta(days=1)
        case "month":
            return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return None


def seconds_until(day: date, now: datetime) -> int:
    """Return the seconds from `now` to the begin of the day."""
    return max(1, round((datetime.combine(day, time(), UTC) - now).total_seconds()))


def utc_today() -> date:
    return datetime.now(UTC).date()
