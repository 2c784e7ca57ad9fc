"""The table of the usage page: a line for each key of the chosen dimension, with its share, its trend and where it leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from chat.overview.page import Change, change
from tenants.localization.figures import figure
from usage.pages.figure_texts import cost, share, short, sparkline
from usage.reading.labels import labels_of
from usage.reading.percentiles import Times
from usage.reading.query import DAY, NONE, TIMES, UsageQuery
from usage.reading.sums import Scope, Sums, keys_by_cost, sums_by_key, total_of
from usage.rollup import next_month

MAX_LINES: Final = 50
WEEK: Final = timedelta(days=7)
WEEKS: Final = 8
# What a line leads to: the same calls by another dimension.
NEXT: Final[Mapping[str, str]] = {"agent": "model", "provider": "model", "week": "day", "month": "week"}
# The filters of the list of runs (chat.explorer.filters) that mean the same.
_IN_RUNS: Final = ("agent", "assistant", "model", "member", "project", "token")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table."""

    key: str
    label: str
    href: str  # the same page, with these calls alone; "": it leads nowhere
    sums: Sums
    cost: str
    share: str
    bar: float  # of the longest, in per cent
    change: Change | None
    is_new: bool
    spark: str
    times: Times
    runs: str  # the address of the list of runs; "": it can't show them
    opens: str = ""  # the address that shows what it consists of, or hides that
    parts: Sequence[Line] = ()

    @property
    def input(self) -> str:
        return short(self.sums.input_tokens)

    @property
    def output(self) -> str:
        """Without thinking."""
        return short(self.sums.output_tokens)

    @property
    def thinking(self) -> str:
        return short(self.sums.thinking_tokens)


@dataclass(frozen=True, slots=True)
class Table:
    lines: Sequence[Line]
    others: Line | None
    total: Line


def by_cost(now: Mapping[str, Sums]) -> bool:
    """Return whether calls have a price, so that shares and trends are those of cost; else of tokens."""
    return any(sums.cost_usd for sums in now.values())


def weight(sums: Sums, is_cost: bool) -> float:
    return float(sums.cost_usd) if is_cost else float(sums.tokens)


def table_of(
    scope: Scope,
    now: Mapping[str, Sums],
    before: Mapping[str, Sums],
    *,
    days: Mapping[str, Mapping[date, Sums]],
    times: Mapping[str, Times] | None,
    open_key: str,
) -> Table:
    """Return the table. One statement for names, and three when a line is open."""
    keys = sorted(now) if scope.query.by in TIMES else keys_by_cost(now)
    lines = _Lines(scope, now, before, days, times or {}, labels_of(scope.query.by, keys[:MAX_LINES]))
    table_lines = [lines.line(key, open_key) for key in keys[:MAX_LINES]]
    rest, rest_before = total_of(now[key] for key in keys[MAX_LINES:]), total_of(before.get(key, Sums()) for key in keys[MAX_LINES:])
    others = (
        lines.plain(gettext("%(count)s others") % {"count": figure(len(keys) - MAX_LINES)}, rest, rest_before, Times())
        if len(keys) > MAX_LINES
        else None
    )
    return Table(table_lines, others, lines.plain(gettext("Total"), lines.total, total_of(before.values()), lines.times.get("", Times())))


def runs_address(query: UsageQuery) -> str:
    """Return the address of the list of runs for the same calls; empty where it has no filter for one of them."""
    period = {"period": "days", "first": str(query.period.first), "last": str(query.period.last)}
    if any(name not in _IN_RUNS for name in query.filters):
        return ""
    filters = {"called" if name == "model" else "member_id" if name == "member" else name: key for name, key in query.filters.items()}
    return f"{reverse('admin:chat_run_changelist')}?{urlencode({**period, **filters})}"


class _Lines:
    """Makes the lines of one table."""

    def __init__(
        self,
        scope: Scope,
        now: Mapping[str, Sums],
        before: Mapping[str, Sums],
        days: Mapping[str, Mapping[date, Sums]],
        times: Mapping[str, Times],
        labels: Mapping[str, str],
    ) -> None:
        self.query, self.scope = scope.query, scope
        self.now, self.before, self.days, self.times, self.labels = now, before, days, times, labels
        self.total = total_of(now.values())
        self.is_cost = by_cost(now)
        self.longest = max((weight(sums, self.is_cost) for sums in now.values()), default=0) or 1

    def line(self, key: str, open_key: str) -> Line:
        is_time = self.query.by in TIMES
        is_open = key == open_key and not is_time
        inner_query = self._narrow(key)
        return Line(
            key=key,
            label=self.labels[key],
            href=f"?{inner_query.address(by=NEXT.get(self.query.by, 'agent'))}",
            runs=runs_address(inner_query),
            spark=sparkline(_weeks(self.days.get(key, {}), self.query.period.last, self.is_cost)),
            times=self.times.get(key, Times()),
            opens="" if is_time else f"?{self.query.address(**({} if is_open else {'open': key}))}",
            parts=self._parts(inner_query) if is_open else (),
            is_new=key not in self.before and not is_time,
            **self._figures(self.now[key], self.before.get(key)),
        )

    def plain(self, label: str, sums: Sums, before: Sums | None, times: Times) -> Line:
        """Return a line that leads nowhere."""
        return Line(key="", label=label, href="", runs="", spark="", times=times, is_new=False, **self._figures(sums, before))

    def _narrow(self, key: str) -> UsageQuery:
        if self.query.by in TIMES:
            first, last = _days_of(self.query.by, date.fromisoformat(key))
            period = self.query.period
            days = {"from": str(max(first, period.first)), "to": str(min(last, period.last))}
            return UsageQuery.of({**days, "by": self.query.by, **self.query.filters}, period.last)
        return self.query.filtered(self.query.by, key)

    def _figures(self, sums: Sums, before: Sums | None) -> dict[str, Any]:
        part = weight(sums, self.is_cost)
        return {
            "sums": sums,
            "cost": cost(sums),
            "share": share(part, weight(self.total, self.is_cost)),
            "bar": round(min(100.0, 100 * part / self.longest), 1),
            "change": change(part, weight(before, self.is_cost), more_is="bad") if before and self.query.by not in TIMES else None,
        }

    def _parts(self, inner_query: UsageQuery) -> list[Line]:
        """Return what a line consists of. Two statements."""
        inner = Scope(UsageQuery(inner_query.period, NEXT.get(self.query.by, "agent"), inner_query.filters), self.scope.summed_until)
        now, before = sums_by_key(inner)
        lines = _Lines(inner, now, before, {}, {}, labels_of(inner.query.by, list(now)))
        return [lines.line(key, NONE + NONE) for key in keys_by_cost(now)[:MAX_LINES]]


def _days_of(dimension: str, first: date) -> tuple[date, date]:
    """Return the first and the last day of a day, week or month that begins on a day."""
    return first, {"day": first, "week": first + WEEK - DAY, "month": next_month(first) - DAY}[dimension]


def _weeks(days: Mapping[date, Sums], last: date, is_cost: bool) -> list[float]:
    weeks = [0.0] * WEEKS
    for day, sums in days.items():
        place = WEEKS - 1 - (last - day).days // 7
        if 0 <= place < WEEKS:
            weeks[place] += weight(sums, is_cost)
    return weeks
