"""Sums of whole hours, kept in a table so that the overview does not read the runs and calls of weeks (docs/decisions/0045).

An hour is summed up when it can't change any more: runs count in the hour in which they ended, calls in that in which they were stored.
What is not summed up yet is read from the rows, so a worker that is late makes the overview slower, never wrong (docs/decisions/0045 says where that ends).
"""

from __future__ import annotations

import time
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Max
from django.utils import timezone

from chat.models import HourFigures
from chat.overview.hour_sums import first_row_at, hours_from_rows
from chat.overview.sums import Sums
from tenants.context import tenant_tx

HOUR: Final = timedelta(hours=1)
SETTLED_AFTER: Final = timedelta(minutes=10)  # longer than any transaction that stores a run's end
AT_ONCE: Final = timedelta(hours=2)  # of one transaction, whose statements may take five seconds: 30,000 calls of a large organization
FIELDS: Final = tuple(field.name for field in fields(Sums))


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def summed_until() -> datetime | None:
    """Return the end of the newest hour that is summed up. One statement."""
    newest = HourFigures.objects.aggregate(hour=Max("hour"))["hour"]
    return newest + HOUR if newest is not None else None


def figures_fill(*, organization_id: UUID, until: float) -> int:
    """Sum up the hours that have ended since the last time, oldest first; return how many were written.

    `until`: when to stop, by time.monotonic().
    """
    end, hour_count = hour_of(timezone.now() - SETTLED_AFTER), 0
    while time.monotonic() < until:
        with tenant_tx(organization_id):
            begins = first_row_at(summed_until())
            if begins is None or begins >= end:
                return hour_count
            first = hour_of(begins)
            hour_count += _store(hours_from_rows(first, min(first + AT_ONCE, end)))
    return hour_count


def figures_rebuild(*, organization_id: UUID, until: float) -> int:
    """Sum everything up anew from the runs and calls that are still there; return how many hours were written."""
    with tenant_tx(organization_id):
        HourFigures.objects.all().delete()
    return figures_fill(organization_id=organization_id, until=until)


def _store(hours: dict[datetime, Sums]) -> int:
    rows = [HourFigures(hour=hour, **_values(sums)) for hour, sums in sorted(hours.items())]
    HourFigures.objects.bulk_create(rows, update_conflicts=True, unique_fields=["organization", "hour"], update_fields=FIELDS)
    return len(rows)


def _values(sums: Sums) -> dict[str, Any]:
    return {**{name: getattr(sums, name) for name in FIELDS}, "members": sorted(sums.members)}
