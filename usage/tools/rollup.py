"""Adds results of tools up by day, in the rounds of usage.rollup and under its lock."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

from django.db import connections
from django.db.models import QuerySet, Sum

from chat.models import Part
from tenants.context import current_alias, current_organization_id
from usage.models import ToolSum
from usage.tools.ledger import COUNT, FIGURES, KEYS, PART_KINDS, SUMS

_COLUMNS: Final = ", ".join(("day", *KEYS, *FIGURES))
ADD: Final = (
    f"insert into usage_toolsum as t (id, organization_id, {_COLUMNS}) "  # noqa: S608 - constants
    f"select gen_random_uuid(), %(organization)s, {_COLUMNS} from ({SUMS}) s "
    f"on conflict (organization_id, day, {', '.join(KEYS)}) do update set {', '.join(f'{name} = t.{name} + excluded.{name}' for name in FIGURES)}"
)


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
