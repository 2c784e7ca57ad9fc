"""`manage.py demo_seed`: what a newcomer signs in with. Run by `make run`; running it again changes nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from admin_config.services import organization_seed
from tenants.context import tenant_tx
from tenants.models import Membership, Organization, User

DEMO_LOGIN = ("demo@parley.local", "parley-demo", "Dana Demo")
OPERATOR_LOGIN = ("operator@parley.local", "parley-operator", "Parley Operator")


class Command(BaseCommand):
    help = "Create the demo organization, its owner and the platform operator, with known passwords. For a machine of your own only."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO_PROVIDER_URL:
            raise CommandError("demo_seed makes accounts with known passwords and belongs to the demo; DEMO_PROVIDER_URL is not set.")
        with transaction.atomic():
            organization, made = Organization.objects.get_or_create(slug="demo", defaults={"name": "Demo Organization"})
            owner = _user(*DEMO_LOGIN)
            Membership.objects.get_or_create(organization=organization, user=owner, defaults={"role": Membership.Role.OWNER})
            _user(*OPERATOR_LOGIN, is_staff=True, is_superuser=True)
        with tenant_tx(organization.pk):
            organization_seed(organization_id=organization.pk)
        self.stdout.write("The demo organization is " + ("ready." if made else "there already."))


def _user(email: str, password: str, name: str, **rights: bool) -> User:
    user = User.objects.filter(email=email).first()
    return user or User.objects.create_user(email, password, name=name, **rights)
