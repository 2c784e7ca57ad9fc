"""Adds results of tools up by day, in the rounds of usage.rollup and under its lock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from django.db import connections
from django.db.models import QuerySet, Sum

from chat.models import Part
from tenants.context import current_alias, current_organization_id
from usage.models import ToolAgentSum, ToolSum
from usage.tools.ledger import AGENT_KEYS, COUNT, FIGURES, GRAINS, PART_KINDS, SUMS

_ADDED: Final = ", ".join(f"{name} = t.{name} + excluded.{name}" for name in FIGURES)


def _upsert_statement(table: str, keys: Sequence[str]) -> str:
    """Return the statement that adds up `results` in a table of sums."""
    columns = ", ".join(("day", *keys))
    return (
        f"insert into {table} as t (id, organization_id, {columns}, {', '.join(FIGURES)}) "  # noqa: S608 - constants
        f"select gen_random_uuid(), %(organization)s, {columns}, {', '.join(f'sum({name})' for name in FIGURES)} from results group by {columns} "
        f"on conflict (organization_id, {columns}) do update set {_ADDED}"
    )


# One pass over the results for both tables.
ADD: Final = "with results as materialized ({}), {} select".format(
    SUMS, ", ".join(f"into_{table} as ({_upsert_statement(table, keys)})" for table, keys in GRAINS.items())
)
# Days of which the two tables differ: a process of an older version, which knows one alone, added results up beside this one.
_UNEQUAL_DAYS: Final = """\
select day from (
    select day, calls from usage_toolsum where organization_id = %(organization)s and day >= %(first)s
    union all select day, -calls from usage_toolagentsum where organization_id = %(organization)s and day >= %(first)s
) s group by day having sum(calls) <> 0"""
_OF_DAY: Final = _upsert_statement("usage_toolagentsum", AGENT_KEYS).replace(
    "from results", "from usage_toolsum where organization_id = %(organization)s and day = %(day)s"
)


def agent_sums_mend(first: date) -> None:
    """Make the sums without members of days since `first` anew where they differ from those with them. In a round's lock."""
    values = {"organization": current_organization_id(), "first": first}
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_UNEQUAL_DAYS, values)
        for (day,) in cursor.fetchall():
            ToolAgentSum.objects.filter(day=day).delete()
            cursor.execute(_OF_DAY, {**values, "day": day})


def sums_delete(day: date) -> None:
    for table in (ToolSum, ToolAgentSum):
        table.objects.filter(day=day).delete()


def parts_with_results() -> QuerySet[Part]:
    """Return the parts that can hold a tool's result."""
    return Part.objects.filter(kind__in=PART_KINDS)


def results_count(first: datetime, end: datetime) -> int:
    """Return how many results are stored of this time. One statement, which reads them all."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(COUNT, {"organization": current_organization_id(), "first": first, "end": end})
        return int(cursor.fetchall()[0][0])


def results_summed(day: date) -> int:
    """Return how many results of the day are added up."""
    return ToolSum.objects.filter(day=day).aggregate(calls=Sum("calls", default=0))["calls"] or 0
