"""Dangerous acts on an organization's admin site want a proof of the last 15 minutes."""

from __future__ import annotations

import pytest
from django.test import Client

from security.models import RegisteredSecret
from tenants.context import tenant_tx
from tests.admin_config.pages import ACME, save
from tests.admin_config.providers.test_secrets import ADD, ENTRIES, VALUE
from tests.support.accounts.cast import Cast
from tests.support.accounts.fresh_sign_in import age_proof

ORGANIZATION = f"{ACME}tenants/organization/"
ACTS = [
    (ADD, {"value": VALUE}),
    (ORGANIZATION, {"part": "transfer"}),
    (ORGANIZATION, {"part": "delete", "typed_name": "Acme"}),
    (f"{ACME}tenants/membership/service-account/", {}),
    (f"{ACME}security/auditevent/settings/webhooks/", {"url": "https://x.example"}),
    (f"{ACME}admin_config/providerendpoint/add/", {"new_key": "k"}),
    (f"{ACME}admin_config/agentconfig/add/", {"plugins-0-new_secret": "s"}),
]


@pytest.mark.parametrize(("path", "form"), ACTS)
def test_the_act_is_refused_without_a_recent_proof(path: str, form: dict[str, str], alice: Client) -> None:
    age_proof(alice)
    page = alice.post(path, form)
    assert (page.status_code, "Nothing was saved" in page.content.decode()) == (403, True)
    assert VALUE not in page.content.decode()


def test_after_the_proof_it_is_done(alice: Client, seeded_cast: Cast) -> None:
    age_proof(alice)
    assert save(alice, ADD, **ENTRIES).status_code == 403
    with tenant_tx(seeded_cast.acme.pk):
        assert not RegisteredSecret.objects.exists()
    alice.post("/o/acme/api/proof/", {"password": "correct horse battery"}, content_type="application/json")
    assert save(alice, ADD, **ENTRIES).status_code == 302


def test_other_changes_ask_for_nothing(alice: Client) -> None:
    age_proof(alice)
    form = {"part": "looks", "name": "Acme", "slug": "acme", "accent_color": ""}
    assert alice.post(ORGANIZATION, form).status_code == 302
    assert alice.post(ORGANIZATION, {"part": "keep"}).status_code == 302
