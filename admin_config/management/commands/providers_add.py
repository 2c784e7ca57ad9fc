"""`manage.py providers_add`: give organizations the providers, models and agents of a newer version (docs/operations.md)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandParser

from admin_config.errors import ReleaseInvalid
from admin_config.management.organizations import select_organizations
from admin_config.models import AppSettings
from admin_config.services.configuration import release_publish
from admin_config.services.seeding import providers_add
from tenants.context import tenant_tx


class Command(BaseCommand):
    help = "Add the rows of providers, models and agents that organizations don't have yet. Changes no row; publishes when asked."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organization", metavar="SLUG", help="only this organization; all without it")
        parser.add_argument("--publish", action="store_true", help="make it live where every save goes live")

    def handle(self, *args: Any, **options: Any) -> None:
        for organization in select_organizations(options["organization"]):
            self.stdout.write(f"{organization.slug}:")
            with tenant_tx(organization.pk):
                goes_live = options["publish"] and AppSettings.objects.filter(publish_on_save=True).exists()
                additions = providers_add()
                release_number = _publish(organization.pk) if additions and goes_live else None
            self.stdout.write("\n".join(f"  {line}" for line in additions) or "  Nothing to add.")
            if release_number:
                self.stdout.write(f"  Published as release {release_number}.")
            elif additions:
                self.stdout.write("  All of this waits in the draft.")


def _publish(organization_id: UUID) -> int | None:
    """Publish the draft; return the new release's number, or None when the draft can't be published."""
    try:
        return release_publish(organization_id=organization_id, note="What this version of Parley brings").number
    except ReleaseInvalid:
        return None
