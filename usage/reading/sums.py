"""Sums over a period: what is stored by day, and the newest calls straight from the log, in one statement each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from django.db import connections

from tenants.context import current_alias, current_organization_id
from usage.call_sums import FIGURES, GRAINS, NEW_SUMS, NEW_TIMES, TIME_KEYS
from usage.models import UsageProgress
from usage.reading.query import COLUMNS, DAY, NONE, UsageQuery
from usage.rollup import day_start

Rows = list[tuple[Any, ...]]
NEVER: Final = datetime(2000, 1, 1, tzinfo=UTC)
ADDED: Final = ", ".join(f"sum({name}) as {name}" for name in FIGURES)


@dataclass(slots=True)
class Sums:
    """What is added up of model calls, with the names of usage.models.sums.Figures."""

    calls: int = 0
    answers: int = 0
    failed_calls: int = 0
    estimated_calls: int = 0
    unpriced_calls: int = 0
    unpriced_tokens: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    tool_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    cost_usd: Decimal = Decimal(0)

    @classmethod
    def of(cls, values: Sequence[Any]) -> Sums:
        """Return what a statement gave for FIGURES, in their order."""
        *counts, cost = values
        figures: list[Any] = [*map(int, counts), Decimal(cost)]
        return cls(*figures)

    def add(self, other: Sums) -> None:
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    @property
    def known_cost_usd(self) -> float | None:
        """What the calls with a price cost; None when there are only others."""
        return None if self.calls and self.unpriced_calls == self.calls else float(self.cost_usd)

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens + self.thinking_tokens

    @property
    def cached_share(self) -> float | None:
        return 100 * self.cached_tokens / self.input_tokens if self.input_tokens else None


@dataclass(frozen=True, slots=True)
class Scope:
    """What the statements of one page have in common."""

    query: UsageQuery
    summed_until: datetime  # at least; each statement reads itself which calls are not added up
    hints: Sequence[Mapping[str, Any]] = ()  # how to save, as they are stored

    @classmethod
    def of(cls, query: UsageQuery) -> Scope:
        """Read up to when calls are added up. One statement."""
        progress = UsageProgress.objects.first()
        return cls(query, progress.summed_until, progress.hints) if progress else cls(query, NEVER)

    def rows(
        self, by: Sequence[str], sums: str, of: Collection[str], *, first: date, last: date, where: str = "true", **values: Any
    ) -> Rows:
        """Return the sums of the calls of these days, grouped by expressions, in their order. One statement.

        `of`: the columns in them, which choose the smallest table that has them and those of the filters.
        """
        condition, filters = self.query.conditions()
        groups = ", ".join(str(number) for number in range(1, len(by) + 1))
        statement = (
            f"with facts as ({self._facts({*of, *self.query.columns}, last)}) "  # noqa: S608 - no value is in it
            f"select {', '.join(by)}, {sums} from facts where {condition} and {where} group by {groups} order by {groups}"
        )
        return self.run(statement, first, last, **filters, **values)

    def run(self, statement: str, first: date, last: date, **values: Any) -> Rows:
        """Return the rows of a statement over these days, which may have the names of `usage.call_sums` in it."""
        parameters = {
            **values,
            "organization": current_organization_id(),
            "first_day": first,
            "last_day": last,
            "first": day_start(first),
            "end": day_start(last + DAY),
            "summed_until": self.summed_until,
        }
        with connections[current_alias()].cursor() as cursor:
            cursor.execute(statement, parameters)
            return list(cursor.fetchall())

    def is_summed(self, last: date) -> bool:
        """Return whether all calls up to the end of this day are added up."""
        return day_start(last + DAY) <= self.summed_until

    def _facts(self, column_names: Collection[str], last: date) -> str:
        """Return the SQL of what is added up, and of the calls since."""
        columns: tuple[str, ...]
        if "measure" in column_names:
            table, columns, source = "usage_usagetime", (*TIME_KEYS, "measure", "place", "calls"), NEW_TIMES
        else:
            table, keys = next((table, keys) for table, keys in GRAINS.items() if {*keys, "day"} >= {*column_names})
            columns, source = (*keys, *FIGURES), NEW_SUMS
        select_sql = (
            f"select day, {', '.join(columns)} from {table} "  # noqa: S608 - constants
            "where organization_id = %(organization)s and day >= %(first_day)s and day <= %(last_day)s"
        )
        return select_sql if self.is_summed(last) else f"{select_sql} union all select day, {', '.join(columns)} from ({source}) s"  # noqa: S608 - constants


def key_column(dimension: str) -> str:
    """Return the SQL expression of a row's key as text, NONE where there is none."""
    return f"coalesce(nullif({COLUMNS[dimension]}::text, ''), '{NONE}')"


def sums_by_key(scope: Scope) -> tuple[dict[str, Sums], dict[str, Sums]]:
    """Return the sums of each key of the query's dimension, in the period and in the one before. One statement."""
    period = scope.query.period
    boundaries: dict[str, Any] = {"now": period.first, "before_last": period.before_last}
    where = "(day >= %(now)s or day <= %(before_last)s)"
    by = (key_column(scope.query.by), "day >= %(now)s")
    by_period: tuple[dict[str, Sums], dict[str, Sums]] = ({}, {})
    for key, is_now, *sums in scope.rows(by, ADDED, {scope.query.column}, first=period.before, last=period.last, where=where, **boundaries):
        by_period[0 if is_now else 1][key] = Sums.of(sums)
    return by_period


def sums_by_day(scope: Scope, keys: Sequence[str], first: date) -> dict[str, dict[date, Sums]]:
    """Return the sums of each day for these keys of the query's dimension, and under "" for all others. One statement."""
    key = key_column(scope.query.by)
    by = (f"case when {key} = any(%(keys)s) then {key} else '' end", "day")
    by_key: defaultdict[str, dict[date, Sums]] = defaultdict(dict)
    for name, day, *sums in scope.rows(by, ADDED, {scope.query.column}, first=first, last=scope.query.period.last, keys=list(keys)):
        by_key[name][day] = Sums.of(sums)
    return by_key


def sums_by_columns(
    scope: Scope, columns: Sequence[str], first: date, last: date, where: str = "true", **values: Any
) -> list[tuple[tuple[Any, ...], Sums]]:
    """Return the sums of each combination of these columns, in their order. One statement."""
    rows = scope.rows(columns, ADDED, columns, first=first, last=last, where=where, **values)
    return [(row[: len(columns)], Sums.of(row[len(columns) :])) for row in rows]


def total_of(parts: Iterable[Sums]) -> Sums:
    total = Sums()
    for part in parts:
        total.add(part)
    return total


def keys_by_cost(sums: Mapping[str, Sums]) -> list[str]:
    """Return the keys, those that cost most first, then those that used most."""
    return sorted(sums, key=lambda key: (-sums[key].cost_usd, -sums[key].tokens, key))
