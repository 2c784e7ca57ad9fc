"""Single sign-on on connections like production's: a role waits for no lock of the other, and sees its rows."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.db import ProgrammingError, transaction
from django.test import Client
from django.utils import timezone

from accounts.models import ProvenDomain, SignOn, SignOnDomain, SignOnIdentity
from accounts.organizations.services import organizations_delete_due
from accounts.sso.domains import domain_prove_by_operator, domains_check_again, record_value
from doubles.oidc import OidcDouble
from doubles.social import SocialDouble
from security.models import AuditEvent, Secret
from tenants.context import identity_tx, tenant_tx
from tenants.deletion.services import user_delete
from tenants.models import Membership, Organization, User
from tests.accounts.people import groups_of, make_group, membership_of
from tests.accounts.sign_in.test_social import GOOGLE, double as social_double, enter, github, go
from tests.accounts.sso.sso import DANA, change, come_back, is_in, proven, provider_of, sign_in
from tests.accounts.sso.test_sso_admin import PAGE, fields, rules_typed
from tests.support.accounts.cast import PASSWORD, Cast

__all__ = ["social_double"]

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])


@pytest.fixture
def provider(seeded_cast: Cast) -> Iterator[OidcDouble]:
    with provider_of(seeded_cast.acme, "acme.example") as double:
        yield double


def secrets_of_sign_on(organization: Organization) -> list[Secret]:
    with tenant_tx(organization.pk):
        return [*Secret.objects.filter(purpose="sign-on")]


def test_people_come_in_with_role_and_groups_and_out_by_their_provider(seeded_cast: Cast, provider: OidcDouble, alice: Client) -> None:
    group = make_group(seeded_cast.acme, "IT")
    assert alice.post(PAGE, rules_typed(("it-*", "admin", str(group.pk)))).status_code == 302
    provider.person = {**DANA, "groups": ["it-platform"]}
    client = Client()
    for _ in range(2):
        sign_in(client, seeded_cast.acme, provider)
        assert is_in(client)
    member = membership_of(User.objects.get(email=DANA["email"]), seeded_cast.acme)
    assert (member.role, groups_of(member)) == ("admin", ["IT"])
    token = provider.logout_token(sub=DANA["sub"])
    assert Client().post(f"/sso/{seeded_cast.acme.pk}/logout/", {"logout_token": token}).status_code == 200
    assert not is_in(client)


def test_an_account_that_waits_for_its_verification_is_given_to_the_address(
    seeded_cast: Cast, provider: OidcDouble, client: Client
) -> None:
    user = User.objects.create_user(str(DANA["email"]), PASSWORD, name="Mallory")
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=False)
    Membership.objects.create(organization=seeded_cast.other, user=user)
    mallory = Client()
    mallory.force_login(user)
    assert is_in(mallory, "other")
    sign_in(client, seeded_cast.acme, provider)
    user.refresh_from_db()
    assert (is_in(client), is_in(mallory, "other"), user.has_usable_password()) == (True, False, False)


def test_a_secret_is_stored_replaced_and_deleted_with_the_sign_on(seeded_cast: Cast, provider: OidcDouble, alice: Client) -> None:
    [first] = secrets_of_sign_on(seeded_cast.acme)
    page = alice.post(PAGE, fields(provider, secret="a-new-client-secret"), follow=True).content.decode()
    assert "Saved. The provider answers" in page
    [second] = secrets_of_sign_on(seeded_cast.acme)
    assert second.pk != first.pk
    assert alice.post(PAGE, {"part": "remove"}).status_code == 302
    assert not secrets_of_sign_on(seeded_cast.acme)
    alice.post(PAGE, fields(provider, secret="a-new-client-secret"))
    [third] = secrets_of_sign_on(seeded_cast.acme)
    with tenant_tx(seeded_cast.acme.pk):
        assert SignOn.objects.get().secret_id == third.pk
        actions = AuditEvent.objects.filter(object_kind__in=("sso", "secret")).values_list("action", flat=True)
        assert {"sso.create", "sso.change", "sso.delete", "secret.create", "secret.delete"} <= {*actions}


def test_an_owner_tests_it_proves_domains_and_requires_it(seeded_cast: Cast, provider: OidcDouble, alice: Client) -> None:
    match = re.search(r'href="([^"]+)" data-leave', alice.post(f"/sso/{seeded_cast.acme.pk}/test/").content.decode())
    assert match
    come_back(alice, provider, html.unescape(match[1]))
    assert "Claims received" in alice.get(PAGE).content.decode()
    assert alice.post(PAGE, {"part": "domain-add", "domain": "acme.test"}).status_code == 302
    with tenant_tx(seeded_cast.acme.pk):
        row = SignOnDomain.objects.get(domain="acme.test")
    assert alice.post(PAGE, {"part": "domain-remove", "id": str(row.pk)}).status_code == 302
    domain_prove_by_operator(organization_id=seeded_cast.acme.pk, domain="acme.org", by_user_id=None)
    change(seeded_cast.acme, is_required=True)
    seeded_cast.acme.refresh_from_db()
    assert seeded_cast.acme.policy["sign_on"] == {"domains": ["acme.example", "acme.org"], "way_in": []}


def test_the_nightly_look_keeps_domains_whose_record_is_there(seeded_cast: Cast) -> None:
    proven(seeded_cast.acme, "acme.example")
    with identity_tx(seeded_cast.acme.pk, acting_user_id=None):
        SignOnDomain.objects.update(is_proven_by_operator=False, proven_at=timezone.now())
        row = SignOnDomain.objects.get()
    assert domains_check_again(lambda name: [record_value(row)]) == 1
    assert domains_check_again(lambda name: []) == 0


def test_a_deleted_organization_lets_its_domains_go(seeded_cast: Cast, provider: OidcDouble) -> None:
    sign_in(Client(), seeded_cast.acme, provider)
    Organization.objects.filter(pk=seeded_cast.acme.pk).update(deletion_due_at=timezone.now())
    organizations_delete_due()
    assert not ProvenDomain.objects.exists()
    assert not SignOn.unscoped.using("owner").exists()
    assert not SignOnIdentity.unscoped.using("owner").exists()
    domain_prove_by_operator(organization_id=seeded_cast.other.pk, domain="acme.example", by_user_id=None)


def test_an_organization_proves_and_loses_domains_of_its_own_only(seeded_cast: Cast) -> None:
    proven(seeded_cast.acme, "acme.example")
    domains = ProvenDomain.objects.using("auth")
    with identity_tx(seeded_cast.other.pk, acting_user_id=None):
        assert domains.filter(domain="acme.example").delete()[0] == 0
        with pytest.raises(ProgrammingError, match="row-level security"), transaction.atomic(using="auth"):
            domains.create(domain="acme.org", organization=seeded_cast.acme)
    assert ProvenDomain.objects.get().organization_id == seeded_cast.acme.pk


def test_social_accounts_are_made_connected_and_removed(seeded_cast: Cast, social_double: SocialDouble, client: Client) -> None:
    social_double.person = GOOGLE
    enter(client, social_double, "google")
    dana = User.objects.get(email="dana@gmail.com")
    assert (client.session["_auth_user_id"], EmailAddress.objects.get(user=dana).verified) == (str(dana.pk), True)
    bob = Client()
    bob.post("/login/", {"username": seeded_cast.bob.email, "password": PASSWORD})
    github(social_double)
    assert go(bob, social_double, "/accounts/with/github/connect/").headers["Location"] == "/accounts/"
    assert bob.post("/accounts/with/github/remove/").headers["Location"] == "/accounts/"
    assert [*SocialAccount.objects.values_list("user_id", flat=True)] == [dana.pk]
    user_delete(dana.pk)
    assert not SocialAccount.objects.exists()


def test_a_half_made_social_account_is_not_kept(
    seeded_cast: Cast, social_double: SocialDouble, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: SocialAccount, *args: object, **kwargs: object) -> None:
        raise RuntimeError("the connection is lost")

    monkeypatch.setattr(SocialAccount, "save", fail)
    social_double.person = GOOGLE
    with pytest.raises(RuntimeError):
        enter(client, social_double, "google")
    assert not User.objects.filter(email="dana@gmail.com").exists()
