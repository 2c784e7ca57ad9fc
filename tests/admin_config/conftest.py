from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import Settings

from admin_config.models import AppSettings
from tenants.context import tenant_tx
from tenants.models import Membership, User
from tests.admin_config.releases.two_admins import Admins
from tests.support.accounts.cast import Cast
from tests.support.chat.seeding import seed_organization
from tests.support.suite.time_limits import long_breaker_timeout

__all__ = ["long_breaker_timeout"]

SignedIn = Callable[[User], Client]


@pytest.fixture
def seeded_cast(cast: Cast, settings: Settings) -> Cast:
    """Both organizations with the platform's defaults as release 1; Google is active, no demo provider runs."""
    settings.DEMO_PROVIDER_URL = ""
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.id):
            seed_organization(organization)
    return cast


@pytest.fixture
def signed_in() -> SignedIn:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def alice(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(seeded_cast.alice)


@pytest.fixture
def operator(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    return signed_in(User.objects.create_superuser("rita@example.org", "correct horse battery", name="Rita"))


@pytest.fixture
def second_admin(seeded_cast: Cast, signed_in: SignedIn) -> Client:
    """Bob, whom this fixture makes an admin of Acme."""
    Membership.objects.filter(user=seeded_cast.bob).update(role=Membership.Role.ADMIN)
    return signed_in(seeded_cast.bob)


@pytest.fixture
def collecting(seeded_cast: Cast) -> None:
    """Acme collects what is saved in the draft."""
    with tenant_tx(seeded_cast.acme.id):
        AppSettings.objects.update(publish_on_save=False)


@pytest.fixture
def admins(seeded_cast: Cast, collecting: None, alice: Client, second_admin: Client) -> Admins:
    return Admins(seeded_cast, alice, second_admin)
