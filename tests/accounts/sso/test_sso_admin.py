"""The page on which an owner sets single sign-on up, and the proof of domains."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import ProvenDomain, SignOn, SignOnDomain
from accounts.sso.domains import (
    DomainTaken,
    domain_add,
    domain_check,
    domain_prove_by_operator,
    domain_remove,
    domains_check_again,
    record_value,
)
from doubles.oidc import OidcDouble
from security.models import AuditEvent
from tenants.context import identity_tx, tenant_tx
from tenants.errors import BadRequest, NotAllowed, NotFound
from tenants.models import Organization, User
from tests.accounts.people import make_group, member_of
from tests.accounts.sso.sso import come_back, provider_of, sign_in
from tests.admin_config.pages import ACME
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.accounts.fresh_sign_in import age_proof
from tests.support.stores.locks import in_own_connections, wait_until_blocked
from tests.support.suite.time_limits import scaled_to_load

PAGE = f"{ACME}accounts/signon/"


@pytest.fixture
def owner(seeded_cast: Cast) -> Client:
    return signed_in(seeded_cast.alice)


@pytest.fixture
def provider(seeded_cast: Cast) -> Iterator[OidcDouble]:
    with provider_of(seeded_cast.acme, "acme.example") as double:
        yield double


def sign_on_of(organization: Organization) -> SignOn:
    with tenant_tx(organization.pk):
        return SignOn.objects.get()


def fields(double: OidcDouble, **changed: str) -> dict[str, str]:
    form = {"part": "provider", "provider": "okta", "issuer": double.base_url, "client_id": "parley", "secret": "", "is_enabled": "on"}
    return {**form, **changed}


def test_each_form_of_the_page_asks_for_a_proof(seeded_cast: Cast, provider: OidcDouble) -> None:
    client = Client()
    client.force_login(seeded_cast.alice)
    age_proof(client)
    for part in ("provider", "people", "require", "domain-add", "domain-check", "domain-remove", "link-forget", "remove"):
        answer = client.post(PAGE, {"part": part})
        assert answer.status_code == 403
        assert "Nothing was saved" in answer.content.decode()
    assert client.post(f"/sso/{seeded_cast.acme.pk}/test/").status_code == 403
    page = client.get(PAGE).content.decode()
    page = page[page.index('class="sso"') :]
    assert page.count('method="post"') == page.count('data-proof method="post"') == 8


@pytest.mark.parametrize("part", ["provider", "people", "require", "domain-add", "domain-check", "domain-remove", "link-forget", "remove"])
@pytest.mark.parametrize("role", ["auditor", "member", "viewer"])
def test_only_owners_and_admins_reach_the_page(part: str, role: str, seeded_cast: Cast, provider: OidcDouble) -> None:
    seeded_cast.bob.memberships.update(role=role)
    for user in (seeded_cast.bob, seeded_cast.charlie):
        assert signed_in(user).post(PAGE, {**fields(provider), "part": part}).status_code == 404


@pytest.mark.parametrize("part", ["provider", "require", "domain-add", "domain-remove", "remove"])
def test_an_admin_can_not_change_how_owners_sign_in(part: str, seeded_cast: Cast, provider: OidcDouble) -> None:
    dora = member_of(seeded_cast.acme, "Dora", "admin")
    with tenant_tx(seeded_cast.acme.pk):
        domain = SignOnDomain.objects.get()
    form = {**fields(provider, client_id="evil"), "part": part, "domain": "evil.example", "id": str(domain.pk)}
    page = signed_in(dora.user).post(PAGE, form)
    assert "Only an owner" in page.content.decode()
    assert sign_on_of(seeded_cast.acme).client_id == "parley"
    assert signed_in(dora.user).post(f"/sso/{seeded_cast.acme.pk}/test/").status_code == 403


def test_an_owner_sets_it_up_and_nothing_shows_the_secret(seeded_cast: Cast, provider: OidcDouble, owner: Client) -> None:
    page = owner.post(PAGE, fields(provider, client_id="parley-2", secret="a-new-client-secret"), follow=True).content.decode()
    assert "The provider answers" in page
    assert f"/sso/{seeded_cast.acme.pk}/callback/" in page
    assert "a-new-client-secret" not in page
    row = sign_on_of(seeded_cast.acme)
    assert (row.provider, row.client_id, row.needs_verified_email) == ("okta", "parley-2", False)
    with tenant_tx(seeded_cast.acme.pk):
        event = AuditEvent.objects.get(action="sso.change")
    assert event.after["client_id"] == "parley-2"
    assert "a-new-client-secret" not in str(event.after)


def test_another_address_needs_the_secret_again(seeded_cast: Cast, provider: OidcDouble, owner: Client) -> None:
    page = owner.post(PAGE, fields(provider, issuer="https://evil.example")).content.decode()
    assert "Enter the client secret again" in page
    assert sign_on_of(seeded_cast.acme).issuer == provider.base_url


def rules_typed(*rows: tuple[str, str, str]) -> dict[str, object]:
    """What the form of the rules sends: a row of three inputs for each, the last one empty."""
    columns = [*zip(*rows, ("", "member", ""), strict=True)]
    form = {"part": "people", "creates_members": "on", "default_role": "viewer", "groups_claim": "groups"}
    return {**form, "rule_value": columns[0], "rule_role": columns[1], "rule_group": columns[2]}


def test_rules_are_kept_in_their_order_and_wrong_ones_are_shown_again(seeded_cast: Cast, provider: OidcDouble, owner: Client) -> None:
    group, theirs = make_group(seeded_cast.acme, "IT"), make_group(seeded_cast.other, "Theirs")
    for wrong in (("it-*", "owner", ""), ("it-*", "admin", str(theirs.pk)), ("x" * 201, "admin", "")):
        page = owner.post(PAGE, rules_typed(wrong)).content.decode()
        assert "ule 1" in page
        assert wrong[0] in page
        assert sign_on_of(seeded_cast.acme).rules == []
    owner.post(PAGE, rules_typed(("it-*", "admin", str(group.pk)), ("ops", "member", "")))
    assert sign_on_of(seeded_cast.acme).rules == [
        {"value": "it-*", "role": "admin", "group_id": str(group.pk)},
        {"value": "ops", "role": "member", "group_id": None},
    ]
    page = owner.get(PAGE).content.decode()
    assert page.index('value="it-*"') < page.index('value="ops"')


def test_a_test_signs_nobody_in_and_shows_the_claims_once(seeded_cast: Cast, provider: OidcDouble, owner: Client) -> None:
    before = User.objects.count()
    page = owner.post(f"/sso/{seeded_cast.acme.pk}/test/").content.decode()
    match = re.search(r'href="([^"]+)" data-leave', page)
    assert match
    assert come_back(owner, provider, html.unescape(match[1])).headers["Location"] == PAGE
    page_text = owner.get(PAGE).content.decode()
    assert "dana@acme.example" in page_text
    assert "Claims received" in page_text
    assert "Claims received" not in owner.get(PAGE).content.decode()
    assert (User.objects.count(), owner.session["_auth_user_id"]) == (before, str(seeded_cast.alice.pk))
    assert all(step["is_ok"] for step in sign_on_of(seeded_cast.acme).test_report["steps"])


def test_it_is_required_only_after_a_test_and_with_a_way_in(seeded_cast: Cast, provider: OidcDouble, owner: Client) -> None:
    way_in = str(seeded_cast.alice.memberships.get().pk)
    form = {"part": "require", "is_required": "on", "way_in": ""}
    assert "Test the sign-in first" in owner.post(PAGE, form).content.decode()
    with tenant_tx(seeded_cast.acme.pk):
        SignOn.objects.update(test_report={"steps": [{"is_ok": True}]})
    assert "Name an owner with a passkey" in owner.post(PAGE, form).content.decode()
    Authenticator.objects.create(user=seeded_cast.alice, type=Authenticator.Type.WEBAUTHN, data={})
    owner.post(PAGE, {**form, "way_in": way_in})
    seeded_cast.acme.refresh_from_db()
    assert seeded_cast.acme.policy["sign_on"] == {"domains": ["acme.example"], "way_in": [seeded_cast.alice.pk]}


def test_removing_it_ends_the_rule_and_the_links(seeded_cast: Cast, provider: OidcDouble, owner: Client) -> None:
    sign_in(Client(), seeded_cast.acme, provider)
    owner.post(PAGE, {"part": "remove"})
    with tenant_tx(seeded_cast.acme.pk):
        assert not SignOn.objects.exists()
    assert Client().get(f"/sso/{seeded_cast.acme.pk}/").status_code == 404


# Domains


def test_a_domain_is_proven_by_its_record_and_belongs_to_one_organization(cast: Cast) -> None:
    alice, charlie = cast.actor(cast.alice), cast.actor(cast.charlie)
    with tenant_tx(cast.acme.pk):
        own = domain_add(actor=alice, domain="@Acme.example")
    with tenant_tx(cast.other.pk):
        theirs = domain_add(actor=charlie, domain="acme.example")
    records: dict[str, list[str]] = {"_parley.acme.example": ["v=spf1", record_value(own), record_value(theirs)]}

    def resolve(name: str) -> list[str]:
        return records.get(name, [])

    assert domain_check(organization_id=cast.acme.pk, domain_id=own.pk, by_user_id=None, resolve=lambda name: []).proven_at is None
    assert domain_check(organization_id=cast.acme.pk, domain_id=own.pk, by_user_id=None, resolve=resolve).proven_at
    with pytest.raises(DomainTaken):
        domain_check(organization_id=cast.other.pk, domain_id=theirs.pk, by_user_id=None, resolve=resolve)
    with pytest.raises(NotFound):
        domain_check(organization_id=cast.other.pk, domain_id=own.pk, by_user_id=None, resolve=resolve)
    with pytest.raises(DomainTaken):
        domain_prove_by_operator(organization_id=cast.other.pk, domain="acme.example", by_user_id=cast.alice.pk)
    assert ProvenDomain.objects.get().organization_id == cast.acme.pk


def test_a_record_that_is_gone_for_a_week_ends_the_proof(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        row = domain_add(actor=cast.actor(cast.alice), domain="acme.example")
    domain_check(organization_id=cast.acme.pk, domain_id=row.pk, by_user_id=None, resolve=lambda name: [record_value(row)])
    assert domains_check_again(lambda name: []) == 0
    assert ProvenDomain.objects.exists()
    with tenant_tx(cast.acme.pk):
        SignOnDomain.objects.update(missing_since=timezone.now() - timedelta(days=8))
    domains_check_again(lambda name: [])
    assert not ProvenDomain.objects.exists()


@pytest.mark.django_db(transaction=True, databases=["default", "auth", "system"])
def test_a_domain_that_is_removed_while_its_record_is_looked_for_stays_removed(cast: Cast) -> None:
    owner = cast.actor(cast.alice)
    with tenant_tx(cast.acme.pk):
        row = domain_add(actor=owner, domain="acme.example")
    domain_check(organization_id=cast.acme.pk, domain_id=row.pk, by_user_id=None, resolve=lambda name: [record_value(row)])
    with ThreadPoolExecutor(1) as threads:
        with identity_tx(cast.acme.pk, acting_user_id=cast.alice.pk):
            domain_remove(actor=owner, domain_id=row.pk)
            look = threads.submit(in_own_connections, domains_check_again, lambda name: [record_value(row)])
            wait_until_blocked(look)
        assert look.result(timeout=scaled_to_load(10)) == 0
    assert not ProvenDomain.objects.exists()
    with tenant_tx(cast.acme.pk):
        assert not SignOnDomain.objects.exists()


@pytest.mark.parametrize("domain", ["gmail.com", "localhost", "acme example", "", "*.example.org", "münchen.example"])
def test_domains_of_mail_services_and_other_texts_are_refused(domain: str, cast: Cast) -> None:
    with tenant_tx(cast.acme.pk), pytest.raises(BadRequest):
        domain_add(actor=cast.actor(cast.alice), domain=domain)


def test_members_add_no_domains(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk), pytest.raises(NotAllowed):
        domain_add(actor=cast.actor(cast.bob), domain="acme.example")


def test_the_operator_vouches_for_a_domain_that_was_added_or_not(cast: Cast) -> None:
    with tenant_tx(cast.acme.pk):
        added = domain_add(actor=cast.actor(cast.alice), domain="acme.example")
    for domain in ("acme.example", "acme.test"):
        output = StringIO()
        call_command("domain_prove", cast.acme.slug, domain, stdout=output)
        assert output.getvalue() == f"{domain} belongs to Acme now.\n"
    with tenant_tx(cast.acme.pk):
        rows = {row.domain: row for row in SignOnDomain.objects.all()}
    assert rows["acme.example"].token == added.token
    assert all(row.proven_at and row.is_proven_by_operator for row in rows.values())
    for organization, domain, problem in (
        ("nobody", "acme.example", "no organization with this address"),
        (cast.other.slug, "acme.example", "Another organization here has proven this domain"),
        (cast.other.slug, "localhost", "such as example.org"),
    ):
        with pytest.raises(CommandError, match=problem):
            call_command("domain_prove", organization, domain)
