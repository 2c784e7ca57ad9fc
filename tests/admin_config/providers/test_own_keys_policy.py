"""Admins decide whether members may use keys of their own; it holds at once, without a release."""

from __future__ import annotations

from admin_config.models import AppSettings, Release
from admin_config.services.own_keys import own_keys_allowed
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Organization
from tests.admin_config.conftest import SignedIn
from tests.admin_config.pages import ACME, save
from tests.support.accounts.cast import Cast


def page_of(organization: Organization) -> str:
    with tenant_tx(organization.pk):
        return f"{ACME}admin_config/appsettings/{AppSettings.objects.get().pk}/change/"


def allowed(organization: Organization) -> bool:
    with tenant_tx(organization.pk):
        return own_keys_allowed()


def test_nobody_brings_keys_before_an_admin_allows_it(seeded_cast: Cast) -> None:
    assert not allowed(seeded_cast.acme)


def test_a_change_of_the_key_policy_holds_at_once_and_for_its_organization_alone(seeded_cast: Cast, signed_in: SignedIn) -> None:
    with tenant_tx(seeded_cast.acme.pk):
        releases = Release.objects.count()
    assert save(signed_in(seeded_cast.alice), page_of(seeded_cast.acme), own_keys_allowed="on").status_code == 302
    assert allowed(seeded_cast.acme)
    assert not allowed(seeded_cast.other)
    with tenant_tx(seeded_cast.acme.pk):
        assert Release.objects.count() == releases, "no release keeps it"
        assert AuditEvent.objects.filter(action="appsettings.change", actor_user_id=seeded_cast.alice.pk).exists()


def test_a_member_does_not_reach_the_switch(seeded_cast: Cast, signed_in: SignedIn) -> None:
    response = signed_in(seeded_cast.bob).post(page_of(seeded_cast.acme), {"own_keys_allowed": "on"})
    assert response.status_code in {302, 403, 404}
    assert not allowed(seeded_cast.acme)
