"""Test data of a benchmark: one organization whose Google endpoint is the double, with members who can sign in.

python -m bench.stack.seed DOUBLE_URL MEMBERS
"""

from __future__ import annotations

import os
import sys

import django

SLUG, PASSWORD = "bench", "only-for-benchmarks"


def email_of(number: int) -> str:
    return f"member{number}@example.org"


def seed(double_url: str, members: int) -> None:
    from django.contrib.auth.hashers import make_password

    from admin_config.models import AppSettings, ProviderEndpoint
    from admin_config.services.configuration import credential_set, organization_seed, release_publish
    from tenants.context import tenant_tx
    from tenants.models import Membership, Organization, User

    organization = Organization.objects.using("owner").create(slug=SLUG, name="Benchmark")
    password = make_password(PASSWORD)  # only once, because hashing is slow on purpose
    for number in range(members):
        user = User.objects.create(email=email_of(number), password=password, name=f"Member {number}")
        Membership.objects.using("owner").create(organization=organization, user=user, role=Membership.Role.MEMBER)
    with tenant_tx(organization.pk):
        organization_seed(organization_id=organization.pk)
        AppSettings.objects.update(active_provider="google")
        endpoint = ProviderEndpoint.objects.get(provider="google")
        endpoint.base_url = double_url
        endpoint.save(update_fields=["base_url"])
        credential_set(endpoint=endpoint, value="only-for-benchmarks")
        release_publish(organization_id=organization.pk)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    seed(sys.argv[1], int(sys.argv[2]))
