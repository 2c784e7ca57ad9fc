"""What an address of the usage pages asks for: a period, a dimension, and filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from tenants.errors import BadRequest
from tenants.input.short_text import short_text
from usage.call_sums import KINDS, TRIAL_KINDS
from usage.rollup import next_month

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

DAY: Final = timedelta(days=1)
MAX_DAYS: Final = 400
FIRST: Final = date(2001, 1, 1)
LAST: Final = date(2100, 1, 1)
MAX_CHARS: Final = 120  # of a key
DIMENSIONS: Final[Mapping[str, StrOrPromise]] = {
    "agent": gettext_lazy("Agent"),
    "assistant": gettext_lazy("Assistant"),
    "provider": gettext_lazy("Provider"),
    "model": gettext_lazy("Model"),
    "member": gettext_lazy("Member"),
    "project": gettext_lazy("Project"),
    "token": gettext_lazy("API token"),
    "kind": gettext_lazy("Kind of call"),
    "day": gettext_lazy("Day"),
    "week": gettext_lazy("Week"),
    "month": gettext_lazy("Month"),
}
TIMES: Final = ("day", "week", "month")  # dimensions that divide the period, and are no filters
# SQL expressions of the keys.
COLUMNS: Final[Mapping[str, str]] = {
    **{name: name for name in DIMENSIONS},
    "member": "member_id",
    "project": "project_id",
    "token": "token_id",
    "week": "date_trunc('week', day)::date",
    "month": "date_trunc('month', day)::date",
}
IDS: Final = ("member", "project", "token")
OF_TOOLS: Final = ("agent", "assistant", *IDS)  # filters that calls of tools have, too
NONE: Final = "-"  # the value of a filter that asks for calls without a project or token, or of no assistant


class PeriodUnusable(BadRequest):
    """Days that no page can show. The message says which can."""

    def __init__(self) -> None:
        text = gettext("Choose a first and a last day between %(first)d and %(last)d, at most %(days)d days.")
        super().__init__(text % {"first": FIRST.year, "last": LAST.year, "days": MAX_DAYS})


@dataclass(frozen=True, slots=True)
class Period:
    """Days in UTC, and the days that they are compared with."""

    key: str  # "today", "7", "month" or "days"
    first: date
    last: date  # included
    before: date  # the first of the days before
    before_last: date

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def steps(self) -> list[date]:
        return [self.first + place * DAY for place in range(self.days)]

    @property
    def query(self) -> dict[str, str]:
        if self.key == "month":
            return {"period": "month", "month": f"{self.first:%Y-%m}"}
        return {"from": str(self.first), "to": str(self.last)} if self.key == "days" else {"period": self.key}


@dataclass(frozen=True, slots=True)
class UsageQuery:
    """A period, the dimension of the table, and which calls count. Unknown and malformed values of an address are ignored, except days."""

    period: Period
    by: str = "agent"
    filters: Mapping[str, str] = field(default_factory=dict)  # dimension: key
    with_trials: bool = True  # calls count that admins made to try something out

    @classmethod
    def of(cls, parameters: Mapping[str, Any], today: date) -> UsageQuery:
        """Raises PeriodUnusable."""
        by = str(parameters.get("by", ""))
        return cls(
            period_of(parameters, today),
            by if by in DIMENSIONS else "agent",
            {name: key for name in DIMENSIONS if name not in TIMES and (key := _key(name, parameters.get(name, "")))},
        )

    def address(self, *, without: str = "", **changes: str) -> str:
        """Return the query of an address that asks for this with changes; `without`: a filter that is left out."""
        filters = {name: key for name, key in self.filters.items() if name != without}
        return urlencode({**self.period.query, "by": self.by, **filters, **changes})

    def in_period(self, **changes: str) -> str:
        """Return the address for another period."""
        return urlencode({"by": self.by, **self.filters, **changes})

    def filtered(self, name: str, key: str) -> UsageQuery:
        return replace(self, filters={**self.filters, name: key})

    def of_tools(self) -> UsageQuery:
        """Return the same question without the filters that calls of tools don't have."""
        return replace(self, filters={name: key for name, key in self.filters.items() if name in OF_TOOLS})

    @property
    def column(self) -> str:
        """The column that the dimension is read from."""
        return "day" if self.by in TIMES else COLUMNS[self.by]

    @property
    def columns(self) -> set[str]:
        """The columns that the filters are on."""
        columns = {COLUMNS[name] for name in self.filters}
        return columns if self.with_trials else {*columns, "kind"}

    def conditions(self) -> tuple[str, dict[str, Any]]:
        """Return the SQL condition on facts, and its values."""
        parts, values = ["true"], dict[str, Any]()
        for name, key in self.filters.items():
            column = COLUMNS[name]
            if name in IDS and key == NONE:
                parts.append(f"{column} is null")
                continue
            parts.append(f"{column} = %(filter_{name})s")
            values[f"filter_{name}"] = UUID(key) if name in IDS else "" if key == NONE else key
        if not self.with_trials:
            parts.append("kind <> all(%(trial_kinds)s)")
            values["trial_kinds"] = list(TRIAL_KINDS)
        return " and ".join(parts), values


def period_of(parameters: Mapping[str, Any], today: date) -> Period:
    """Raises PeriodUnusable."""
    if parameters.get("from") or parameters.get("to"):
        first, last = _day(parameters.get("from")), _day(parameters.get("to"))
        if not (first and last and FIRST <= first <= last < LAST and (last - first).days < MAX_DAYS):
            raise PeriodUnusable
        return _before("days", first, last)
    if parameters.get("period") == "today":
        return _before("today", today, today)
    if parameters.get("period") == "7":
        return _before("7", today - 6 * DAY, today)
    month = _day(f"{parameters.get('month', '')}-01") or today.replace(day=1)
    return month_of(month if FIRST <= month <= today else today.replace(day=1), today)


def month_of(month: date, today: date) -> Period:
    """Return a month, up to today, beside the same days of the month before."""
    last = min(next_month(month) - DAY, today)
    before = (month - DAY).replace(day=1)
    whole = last == next_month(month) - DAY
    return Period("month", month, last, before, month - DAY if whole else min(before + (last - month), month - DAY))


def _before(key: str, first: date, last: date) -> Period:
    return Period(key, first, last, first - (last - first) - DAY, first - DAY)


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def _key(name: str, value: Any) -> str:
    key = short_text(value, at_most=MAX_CHARS)
    if name == "kind" and key not in KINDS:
        return ""
    if name in IDS and key != NONE:
        try:
            return str(UUID(key))
        except ValueError:
            return ""
    return key
