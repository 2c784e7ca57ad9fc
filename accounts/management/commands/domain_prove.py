"""`manage.py domain_prove kestrel example.org`: the operator vouches for a domain where no DNS record can be written."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.sso.domains import domain_prove_by_operator
from tenants.errors import ParleyError
from tenants.models import Organization


class Command(BaseCommand):
    """Its people can then sign in by the organization's provider."""

    help = "Prove an organization's domain for single sign-on, by the operator's word."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("organization", help="its address, such as kestrel in /o/kestrel/")
        parser.add_argument("domain")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = Organization.objects.using("auth").filter(slug=options["organization"]).first()
        if organization is None:
            raise CommandError("There is no organization with this address.")
        try:
            row = domain_prove_by_operator(organization_id=organization.pk, domain=options["domain"], by_user_id=None)
        except ParleyError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{row.domain} belongs to {organization.name} now.")
