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
from usage.tools.result_sums import COUNT, FIGURES, GRAINS, PART_KINDS, SUMS

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


def summed_results_count(day: date) -> int:
    """Return how many results of the day are added up."""
    return ToolSum.objects.filter(day=day).aggregate(calls=Sum("calls", default=0))["calls"] or 0
