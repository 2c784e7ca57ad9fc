"""Sums of tools over a period: what is stored by day, and the newest results straight from the answers, in one statement each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db import connections

from agents.context.tokens import PROSE_CHARS_PER_TOKEN
from tenants.context import current_alias, current_organization_id
from usage.reading.query import DAY
from usage.reading.sums import Scope
from usage.rollup import day_start
from usage.tools.result_sums import FIGURES, GRAINS, KEYS, NEW_SUMS

Key = tuple[Any, ...]
_ADDED: Final = ", ".join(f"sum({name})::bigint" for name in FIGURES)


@dataclass(slots=True)
class ToolFigures:
    """What is added up of calls of tools, with the names of usage.models.ToolSum."""

    calls: int = 0
    failed_calls: int = 0
    denied_calls: int = 0
    timed_calls: int = 0
    duration_ms: int = 0
    result_chars: int = 0

    def add(self, other: ToolFigures) -> None:
        for name in FIGURES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def average_ms(self) -> float | None:
        """The average time of the calls whose time is known; None without one."""
        return self.duration_ms / self.timed_calls if self.timed_calls else None

    @property
    def failed_percent(self) -> float:
        return 100 * self.failed_calls / self.calls if self.calls else 0.0

    @property
    def result_tokens(self) -> int:
        """About how many tokens the results put into the context: a token is about four characters."""
        return self.result_chars // PROSE_CHARS_PER_TOKEN


def tool_rows(
    scope: Scope, by: Sequence[str], *, first: date, last: date, where: str = "true", **values: Any
) -> list[tuple[Key, ToolFigures]]:
    """Return the figures of each combination of these SQL expressions, in their order. One statement. `last` is included."""
    condition, filters = scope.query.conditions()
    table, keys = _smallest_table({*by, *scope.query.columns})
    columns = ", ".join(("day", *keys, *FIGURES))
    groups = ", ".join(str(number) for number in range(1, len(by) + 1))
    statement = (
        f"with facts as (select {columns} from {table} "  # noqa: S608 - no value is in it
        "where organization_id = %(organization)s and day >= %(first_day)s and day <= %(last_day)s "
        f"union all select {columns} from ({NEW_SUMS}) s) "
        f"select {', '.join(by)}, {_ADDED} from facts where {condition} and {where} group by {groups} order by {groups}"
    )
    parameters = {
        **filters,
        **values,
        "organization": current_organization_id(),
        "first_day": first,
        "last_day": last,
        "first": day_start(first),
        "end": day_start(last + DAY),
        "summed_until": scope.summed_until,
    }
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, parameters)
        return [(row[: len(by)], ToolFigures(*map(int, row[len(by) :]))) for row in cursor.fetchall()]


def _smallest_table(columns: set[str]) -> tuple[str, tuple[str, ...]]:
    """Return the smallest table that has all of these that are columns of one, with its columns."""
    return next((table, keys) for table, keys in GRAINS.items() if {*keys} >= {*KEYS} & columns)


def tools_now_and_before(
    scope: Scope, by: Sequence[str], *, where: str = "true", **values: Any
) -> tuple[dict[Key, ToolFigures], dict[Key, ToolFigures]]:
    """Return the figures of the period, and of the one before, by the values of these columns. One statement.

    `where`: a further condition in SQL, for the `values`.
    """
    period = scope.query.period
    boundaries: dict[str, Any] = {"now": period.first, "before_last": period.before_last}
    by_period: tuple[dict[Key, ToolFigures], dict[Key, ToolFigures]] = ({}, {})
    where = f"{where} and (day >= %(now)s or day <= %(before_last)s)"
    days = {"first": period.before, "last": period.last}
    for (*key, is_now), figures in tool_rows(scope, (*by, "day >= %(now)s"), where=where, **days, **boundaries, **values):
        by_period[0 if is_now else 1][tuple(key)] = figures
    return by_period
