"""`python -m tests.system.soak_people N`, in the product's environment: N members of two organizations, each with its demo provider."""

from __future__ import annotations

import sys

import django
from django.db import transaction

SLUGS = ("soak-one", "soak-two")


def login(number: int) -> tuple[str, str]:
    """Return the address of a member and the slug of the organization."""
    return f"member{number}@example.org", SLUGS[number % len(SLUGS)]


if __name__ == "__main__":
    django.setup()
    from admin_config.services.configuration import organization_seed
    from tenants.context import database_alias, tenant_tx
    from tenants.models import Membership, Organization, User
    from tests.support.accounts.cast import PASSWORD

    with transaction.atomic(using="owner"), database_alias("owner"):
        organizations = {slug: Organization.objects.create(name=slug, slug=slug) for slug in SLUGS}
        for number in range(int(sys.argv[1])):
            address, slug = login(number)
            user = User.objects.create_user(address, PASSWORD, name=f"Member {number}")
            Membership.objects.create(organization=organizations[slug], user=user, role=Membership.Role.MEMBER)
    for organization in organizations.values():
        with tenant_tx(organization.pk):
            organization_seed(organization_id=organization.pk)
