"""`manage.py usage_rebuild`: make the sums of usage anew from the call log (docs/operations.md)."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from datetime import date
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from django.db.models import Sum

from admin_config.management.organizations import select_organizations
from tenants.context import tenant_tx
from usage.models import ToolSum, UsageSum
from usage.platform.storage import storage_count
from usage.rollup import DAY, calls_by_day, day_start, tools_rebuild, usage_fill, usage_rebuild

MAX_REBUILD_S = 24 * 3600.0


class Command(BaseCommand):
    help = "Make the sums of usage anew from the call log, and count files. Days of which calls were purged keep their sums."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--organization", metavar="SLUG", help="only this organization; all without it")
        parser.add_argument("--from", dest="first", type=date.fromisoformat, metavar="DAY", help="only from this day on")
        parser.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DAY", help="only up to this day")

    def handle(self, *args: Any, **options: Any) -> None:
        for organization in select_organizations(options["organization"]):
            usage_fill(organization_id=organization.pk, until=time.monotonic() + MAX_REBUILD_S)
            day_count, purged_days = _rebuild(organization.pk, options["first"] or date.min, options["last"] or date.max)
            size_bytes = storage_count(organization_id=organization.pk)
            self.stdout.write(f"{organization.slug}: {day_count} days made anew. Its files take {size_bytes:,} bytes.")
            if purged_days:
                self.stdout.write(f"  Kept, because calls were purged: {', '.join(map(str, purged_days))}.")


def _rebuild(organization_id: UUID, first: date, last: date) -> tuple[int, list[date]]:
    """Return how many days were made anew, and those that keep their sums."""
    with tenant_tx(organization_id):
        days = UsageSum.objects.filter(day__gte=first, day__lte=last).order_by("day").values_list("day")
        call_counts = dict(days.annotate(calls=Sum("calls")))
    purged_days = []
    for day, calls in call_counts.items():
        with tenant_tx(organization_id):
            if calls_by_day(day_start(day), day_start(day + DAY)).get(day, 0) < calls:
                purged_days.append(day)
    rebuilt_days = call_counts.keys() - set(purged_days)
    usage_rebuild(organization_id=organization_id, days=rebuilt_days)
    with tenant_tx(organization_id):
        tool_days = set(ToolSum.objects.filter(day__gte=first, day__lte=last).values_list("day", flat=True))
    tools_rebuild(organization_id=organization_id, days=tool_days)
    return len(rebuilt_days), purged_days
