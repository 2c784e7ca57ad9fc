"""`manage.py demo_seed`: creates the demo organization and the accounts that a newcomer signs in with.

`make run` calls it; a start without the demo calls it with `--close`, which disables the published passwords. Running it again
changes nothing.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts.sign_in.demo_logins import DEMO_LOGIN, OPERATOR_LOGIN
from admin_config.errors import ReleaseInvalid
from admin_config.services.configuration import organization_seed
from config.demo_assistants import assistants_seed
from tenants.context import database_alias, identity_tx, tenant_tx
from tenants.models import Membership, Organization, User


class Command(BaseCommand):
    """Opens the demo accounts, or closes them with `--close`."""

    help = "Create the demo organization, its owner and the platform operator, with known passwords. For a machine of your own only."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--close", action="store_true", help="take the known passwords away again; their own ones stay")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["close"]:
            self.close()
        elif settings.DEMO_PROVIDER_URL:
            self.open()
        else:
            raise CommandError("demo_seed makes accounts with known passwords and belongs to the demo; DEMO_PROVIDER_URL is not set.")

    def open(self) -> None:
        """Create what is missing of the organization, its owner and the operator, then complete its configuration."""
        with transaction.atomic(using="auth"), database_alias("auth"):
            organization, is_new = Organization.objects.get_or_create(slug="demo", defaults={"name": "Demo Organization"})
            owner = _user(*DEMO_LOGIN)
            with identity_tx(organization.pk, acting_user_id=None):
                Membership.objects.get_or_create(organization=organization, user=owner, defaults={"role": Membership.Role.OWNER})
            _user(*OPERATOR_LOGIN, is_staff=True, is_superuser=True)
        self.seed(organization, is_new=is_new)
        self.stdout.write("The demo organization is " + ("ready." if is_new else "there already."))

    def seed(self, organization: Organization, *, is_new: bool) -> None:
        """Complete the demo's configuration; a new one gets its assistants. A draft that can't be published must not keep Parley from starting: the last release
        stays live.
        """
        try:
            with tenant_tx(organization.pk):
                organization_seed(organization_id=organization.pk, demo_wires=True)
                if is_new:
                    assistants_seed()
        except ReleaseInvalid as error:
            self.stderr.write(f"The demo organization's draft can't be published: {error}")

    def close(self) -> None:
        """Disable the published passwords where they are still in use. This also ends the sessions opened with them."""
        for email, password, _ in (DEMO_LOGIN, OPERATOR_LOGIN):
            user = User.objects.filter(email=email).first()
            if user and user.check_password(password):
                user.set_unusable_password()
                user.save(update_fields=["password"])
                self.stdout.write(f"The published password of {email} is closed.")


def _user(email: str, password: str, name: str, **rights: bool) -> User:
    """Return the account, created if missing. A closed account gets the published password again; a changed password is kept."""
    user = User.objects.filter(email=email).first()
    if user is None:
        return User.objects.create_user(email, password, name=name, **rights)
    if not user.has_usable_password():
        user.set_password(password)
        user.save(update_fields=["password"])
    return user
