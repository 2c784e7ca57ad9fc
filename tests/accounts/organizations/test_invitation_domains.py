"""Invitations and the domains that an organization allows."""

from __future__ import annotations

import pytest
from django.test import Client

from tenants.models import Membership, Organization
from tests.accounts.organizations.test_invitations import ADD, LINK, LIST, TERMS, invited, link, person, rows
from tests.admin_config.conftest import SignedIn
from tests.support.accounts.cast import Cast


def allow(organization: Organization, *domains: str) -> None:
    Organization.objects.filter(pk=organization.pk).update(policy={"email_domains": domains})


def test_no_link_goes_around_the_allowed_domains(alice: Client, seeded_cast: Cast, signed_in: SignedIn) -> None:
    """The other organization allows another domain: neither counts for the other."""
    allow(seeded_cast.acme, "acme.example")
    allow(seeded_cast.other, "evil.example")
    form = {"way": "link", "max_uses": "2", **TERMS}
    assert "Blank: all that your organization allows, which are acme.example." in alice.get(f"{ADD}?way=link").content.decode()
    refused = alice.post(ADD, {**form, "email_domain": "evil.example"}).content.decode()
    assert "evil.example isn&#x27;t an allowed domain. Allowed: acme.example." in refused
    assert rows(seeded_cast.acme) == []

    path = link(alice)
    charlies = signed_in(seeded_cast.charlie).post(ADD.replace("acme", "other"), form)
    others_path, *_ = LINK.findall(charlies.content.decode())
    assert "This invitation is for addresses of acme.example." in Client().get(path).content.decode()
    eve, nina = signed_in(person("eve@evil.example")), signed_in(person("nina@acme.example"))
    for browser, open_path, closed_path, domain in ((eve, others_path, path, "acme"), (nina, path, others_path, "evil")):
        says = f"This invitation is for addresses of {domain}.example."
        assert says in browser.get(closed_path).content.decode()
        answer = browser.post(closed_path)
        assert (answer.status_code, says in answer.content.decode()) == (403, True)
        assert browser.post(open_path).status_code == 302
    assert [membership.organization.slug for membership in Membership.objects.filter(user__email="eve@evil.example")] == ["other"]


@pytest.mark.parametrize("is_link", [True, False])
def test_domains_that_are_no_longer_allowed_end_older_invitations(
    is_link: bool, alice: Client, seeded_cast: Cast, signed_in: SignedIn
) -> None:
    path = link(alice, email_domain="evil.example") if is_link else invited(alice, "eve@evil.example")[0]
    allow(seeded_cast.acme, "acme.example")
    allow(seeded_cast.other, "evil.example")
    eve = signed_in(person("eve@evil.example"))
    says = "Acme no longer allows addresses of evil.example."
    page, answer = eve.get(path), eve.post(path)
    assert (page.status_code, says in page.content.decode()) == (410, True)
    assert (answer.status_code, says in answer.content.decode()) == (403, True)
    assert "Domain not allowed" in alice.get(LIST).content.decode()
    assert (
        "evil.example isn&#x27;t an allowed domain. Allowed: acme.example."
        in alice.post(LIST, {"action": "resend", "_selected_action": [str(rows(seeded_cast.acme)[0].pk)]}, follow=True).content.decode()
    )
    allow(seeded_cast.acme)
    assert eve.post(path).status_code == 302
