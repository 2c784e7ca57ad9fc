"""Checks that recorded runs, done again without a change, make the same requests byte for byte (docs/decisions/0064)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.models import Run
from evaluations.replays.check import RunCheck, run_check
from evaluations.replays.starting import ENDED_STATUSES
from tenants.context import tenant_tx
from tenants.models import Organization


class Command(BaseCommand):
    """Prints how many of an organization's newest runs and of their requests are equal, and names those that are not."""

    help = "Check that the newest runs of an organization make the same requests again. Asks no provider and stores nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organization", help="its short name, as in addresses")
        parser.add_argument("--runs", type=int, default=500, help="how many of its newest runs (default: 500)")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = Organization.objects.using("system").filter(slug=options["organization"]).first()
        if organization is None:
            raise CommandError("There is no organization of this name.")
        with tenant_tx(organization.pk):
            newest = Run.objects.filter(status__in=ENDED_STATUSES, replay_of=None).order_by("-created_at")
            run_ids = list(newest.values_list("pk", flat=True)[: options["runs"]])
        checks = async_to_sync(_checks)(run_ids, organization.pk)
        for run_id, check in checks.items():
            if not check.is_equal:
                self.stdout.write(f"{run_id}: {check.equal} of {check.comparable} requests are equal. {check.problem}".rstrip())
        equal = sum(check.equal for check in checks.values())
        comparable = sum(check.comparable for check in checks.values())
        same = sum(check.is_equal for check in checks.values())
        self.stdout.write(f"{same} of {len(checks)} runs, {equal} of {comparable} requests byte for byte the same.")


async def _checks(run_ids: list[UUID], organization_id: UUID) -> dict[UUID, RunCheck]:
    return {run_id: await run_check(run_id, organization_id=organization_id) for run_id in run_ids}
