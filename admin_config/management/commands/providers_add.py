"""`manage.py providers_add`: give organizations the providers, models and agents of a later version (docs/operations.md)."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from admin_config.management.organizations import organizations_named
from admin_config.seeding import providers_add
from tenants.context import tenant_tx


class Command(BaseCommand):
    help = "Add the rows of providers, models and agents that organizations don't have yet. Changes no row, publishes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organization", metavar="SLUG", help="only this organization; all without it")

    def handle(self, *args: Any, **options: Any) -> None:
        for organization in organizations_named(options["organization"]):
            self.stdout.write(f"{organization.slug}:")
            with tenant_tx(organization.pk):
                added = providers_add()
            self.stdout.write("\n".join(f"  {line}" for line in added) or "  Nothing to add.")
            if added:
                self.stdout.write("  All of this waits in the draft.")
