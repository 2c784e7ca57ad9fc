"""`manage.py organization_export SLUG FILE`: what people made in an organization, or one of its members, as a ZIP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from admin_config.management.organizations import select_organizations
from config.organization_export import organization_export
from tenants.context import tenant_tx
from tenants.models import Membership, Organization


class Command(BaseCommand):
    help = "Write a ZIP of what people made in an organization, or one of its members (--member). No keys and no passwords are in it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument("file", type=Path, help="the ZIP; it must not exist")
        parser.add_argument("--member", metavar="ADDRESS", help="only what this member has, also when they were removed")

    def handle(self, *args: Any, **options: Any) -> None:
        [organization] = select_organizations(options["organization"])
        member = _member(organization, options["member"]) if options["member"] else None
        try:
            manifest = organization_export(organization, options["file"], member=member)
        except OSError as error:
            raise CommandError(f"{error.filename or options['file']}: {error.strerror}" if error.strerror else str(error)) from error
        size_mb = options["file"].stat().st_size / 1e6
        self.stdout.write(f"{options['file']} has {len(manifest['files']):,} files, {size_mb:,.1f} MB. Its manifest.json names them all.")


def _member(organization: Organization, address: str) -> Membership:
    with tenant_tx(organization.pk):
        members = Membership.objects.filter(organization_id=organization.pk).select_related("user")
        member = members.filter(user__email=address.strip().lower()).first()
    if member is None:
        raise CommandError(f"{organization.name} has no member {address}.")
    return member
