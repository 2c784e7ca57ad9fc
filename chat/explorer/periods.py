"""The time that the list of runs shows: the last days, or what a link of another page or of a bar asks for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

DAYS: Final = "days"  # runs that began on the days from one to another, which links of other pages ask for
MOMENTS: Final = "ended"  # runs that ended from one moment to another, which the bars of the histogram ask for
PERIODS: Final[Mapping[str, StrOrPromise]] = {
    "1": gettext_lazy("Last 24 hours"),
    "7": gettext_lazy("Last 7 days"),
    "30": gettext_lazy("Last 30 days"),
    "all": gettext_lazy("Any time"),
}
DEFAULT_PERIOD: Final = "7"


def asked_time(period: str, first: str, last: str) -> tuple[datetime, datetime] | None:
    """Return the first moment (UTC) of the time that a link asks for, and the one after it; None for texts that are no time, or an empty one.

    DAYS: `last` is the last day. MOMENTS: `last` is the moment after it.
    """
    if period not in (DAYS, MOMENTS):
        return None
    try:
        begins, ends = (_day(first), _day(last) + timedelta(days=1)) if period == DAYS else (_moment(first), _moment(last))
    except (ValueError, OverflowError):
        return None
    return (begins, ends) if begins < ends else None


def begin_of(period: str, first: str, last: str, now: datetime) -> datetime | None:
    """Return when the first run of the period may have begun; None: at any time."""
    if interval := asked_time(period, first, last):
        return interval[0] if period == DAYS else None
    return None if period == "all" else now - timedelta(days=int(period))


def moment_text(moment: datetime) -> str:
    """Return a moment as the address has it."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M}"


def _day(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), time.min, UTC)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
