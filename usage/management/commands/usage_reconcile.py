"""`manage.py usage_reconcile`: compare a provider's usage export with the call log (docs/admin.md)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from admin_config.management.organizations import select_organizations
from tenants.context import tenant_tx
from usage.reconciliation.comparison import add_sums, compare, days_of, logged_usage, reconciliation_store
from usage.reconciliation.provider_exports import FIELDS, ExportUnreadable, export_read


class Command(BaseCommand):
    help = "Compare a provider's usage export (CSV) with the call log by day and model, and list differences."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the provider's file")
        parser.add_argument("--provider", required=True, metavar="NAME", help="the provider's name in the log, such as openai")
        parser.add_argument("--organization", metavar="SLUG", help="only this organization's calls; those of all together without it")
        parser.add_argument(
            "--column", action="append", default=[], metavar="FIELD=HEADER", help=f"a column: day, model, {', '.join(FIELDS)}"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        own = dict(column.split("=", 1) for column in options["column"] if "=" in column)
        try:
            provider_sums = export_read(path.read_bytes(), provider=options["provider"], own=own)
        except (OSError, ExportUnreadable) as error:
            raise CommandError(str(error)) from error
        organizations = select_organizations(options["organization"])
        first, last = days_of(provider_sums)
        parts = []
        for organization in organizations:
            with tenant_tx(organization.pk):
                parts.append(logged_usage(options["provider"], first, last))
        comparison = compare(provider_sums, add_sums(parts))
        if options["organization"]:
            with tenant_tx(organizations[0].pk):
                reconciliation_store(
                    actor=None,
                    organization_id=organizations[0].pk,
                    provider=options["provider"],
                    file_name=path.name,
                    comparison=comparison,
                )
        for one in comparison.differences:
            self.stdout.write(f"{one.day} {one.model} {one.field}: {options['provider']} {one.provider}, Parley {one.ledger}")
        self.stdout.write(f"{comparison.lines} days and models compared, {len(comparison.differences)} differences.")
        if comparison.differences:
            raise SystemExit(1)
