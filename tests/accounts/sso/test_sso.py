"""Single sign-on: who comes in by an organization's provider, and as what."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from accounts.models import SignOnIdentity
from doubles.oidc import OidcDouble
from tenants.context import tenant_tx
from tenants.models import Membership, User
from tests.accounts.people import groups_of, make_group, member_of, membership_of
from tests.accounts.sso.sso import DANA, change, dana, is_in, provider_of, reason, sign_in, start
from tests.support.accounts.cast import PASSWORD, Cast


def test_the_first_sign_in_makes_account_and_membership(cast: Cast, provider: OidcDouble, client: Client) -> None:
    answer = sign_in(client, cast.acme, provider, "/o/acme/api/conversations/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/o/acme/api/conversations/")
    assert is_in(client)
    user = User.objects.get(email="dana@acme.example")
    assert (user.name, user.has_usable_password(), user.memberships.get().role) == ("Dana Lee", False, "member")
    assert EmailAddress.objects.get(user=user).verified


def test_the_second_sign_in_finds_the_same_account(cast: Cast, provider: OidcDouble) -> None:
    for _ in range(2):
        client = Client()
        sign_in(client, cast.acme, provider)
        assert is_in(client)
    assert User.objects.filter(email="dana@acme.example").count() == 1


def test_a_member_with_a_password_is_linked(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast, "viewer")
    sign_in(client, cast.acme, provider)
    assert is_in(client)
    member.refresh_from_db()
    assert (member.role, member.user.check_password(PASSWORD)) == ("viewer", True)


def test_the_page_of_the_address_leads_to_the_sign_on(cast: Cast, provider: OidcDouble, client: Client) -> None:
    for address in ("dana@acme.example", "nobody@acme.example"):
        page = client.post("/login/", {"username": address}).content.decode()
        assert f'action="/sso/{cast.acme.pk}/"' in page
    assert "/sso/" not in client.post("/login/", {"username": "bob@example.org"}).content.decode()


def test_without_first_sign_ins_strangers_stay_out(cast: Cast, provider: OidcDouble, client: Client) -> None:
    change(cast.acme, creates_members=False)
    assert reason(sign_in(client, cast.acme, provider)) == "not_a_member"
    assert not User.objects.filter(email="dana@acme.example").exists()


def test_roles_and_groups_are_read_at_each_sign_in(cast: Cast, provider: OidcDouble, client: Client) -> None:
    it, berlin, sales = (make_group(cast.acme, name) for name in ("IT", "Berlin", "Sales"))
    rules = [
        {"value": "it-*", "role": "admin", "group_id": str(it.pk)},
        {"value": "berlin", "role": "member", "group_id": str(berlin.pk)},
    ]
    change(cast.acme, rules=rules, default_role="viewer")
    provider.person = {**DANA, "groups": ["berlin", "it-platform"]}
    sign_in(client, cast.acme, provider)
    member = membership_of(User.objects.get(email="dana@acme.example"), cast.acme)
    assert (member.role, groups_of(member)) == ("admin", ["Berlin", "IT"])
    with tenant_tx(cast.acme.pk):
        sales.places.create(membership=member)
    provider.person = {**DANA, "groups": ["ops"]}
    sign_in(Client(), cast.acme, provider)
    member.refresh_from_db()
    assert (member.role, groups_of(member)) == ("viewer", ["Sales"])


def test_a_claim_neither_makes_nor_unmakes_owners(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast, "owner")
    change(cast.acme, rules=[{"value": "*", "role": "viewer", "group_id": None}])
    provider.person = {**DANA, "groups": ["x"]}
    sign_in(client, cast.acme, provider)
    member.refresh_from_db()
    assert member.role == "owner"


# Take-over


@pytest.mark.parametrize(("claims", "code"), [
    ({"email": "charlie@other.example"}, "foreign_domain"),  # another organization's address
    ({"email": "ceo@bigbank.example"}, "foreign_domain"),  # nobody's
    ({"email": "dana@acme.example.evil.example"}, "foreign_domain"),
    ({"email": "dana@sub.acme.example"}, "foreign_domain"),
    ({"email_verified": False}, "unverified_address"),
    ({"email_verified": None}, "unverified_address"),
    ({"email": None}, "no_address"),
    ({"email": "no address"}, "no_address"),
])  # fmt: skip
def test_a_provider_speaks_for_its_own_proven_domains(
    claims: dict[str, object], code: str, cast: Cast, provider: OidcDouble, client: Client
) -> None:
    before = User.objects.count()
    provider.person = {name: value for name, value in {**DANA, **claims}.items() if value is not None}
    assert reason(sign_in(client, cast.acme, provider)) == code
    assert not is_in(client)
    assert User.objects.count() == before


def test_a_foreign_account_with_the_claimed_address_is_not_touched(cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.person = {**DANA, "email": "charlie@example.org"}
    assert reason(sign_in(client, cast.acme, provider)) == "foreign_domain"
    assert not is_in(client, "other")
    assert not is_in(client)


def test_a_linked_account_that_moved_away_is_not_entered(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    User.objects.filter(email="dana@acme.example").update(email="dana@home.example")
    assert reason(sign_in(Client(), cast.acme, provider)) == "foreign_domain"


def test_a_further_address_of_another_account_is_no_way_in(cast: Cast, provider: OidcDouble, client: Client) -> None:
    EmailAddress.objects.create(user=cast.bob, email="dana@acme.example", verified=True, primary=False)
    assert reason(sign_in(client, cast.acme, provider)) == "address_taken"
    assert not is_in(client)


def test_an_address_that_went_to_somebody_else_does_not_open_the_old_account(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    provider.person = {**DANA, "sub": "dana-2"}
    assert reason(sign_in(Client(), cast.acme, provider)) == "other_identity"


def test_who_waits_with_an_unverified_account_loses_it(cast: Cast, provider: OidcDouble, client: Client) -> None:
    user = User.objects.create_user("dana@acme.example", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=False, primary=True)
    sign_in(client, cast.acme, provider)
    assert is_in(client)
    user.refresh_from_db()
    assert not user.has_usable_password()


@pytest.mark.parametrize("fields", [{"is_superuser": True}, {"is_active": False}, {"is_service_account": True}])
def test_operators_deactivated_people_and_programs_do_not_come_in(
    fields: dict[str, bool], cast: Cast, provider: OidcDouble, client: Client
) -> None:
    dana(cast)
    User.objects.filter(email="dana@acme.example").update(**fields)
    assert reason(sign_in(client, cast.acme, provider)) in {"inactive", "not_by_sign_on"}
    assert not is_in(client)


def test_a_removed_member_stays_out(cast: Cast, provider: OidcDouble, client: Client) -> None:
    dana(cast)
    Membership.objects.filter(user__email="dana@acme.example").update(is_active=False)
    assert reason(sign_in(client, cast.acme, provider)) == "inactive"


def test_the_same_subject_of_two_providers_is_two_people(cast: Cast, provider: OidcDouble) -> None:
    with provider_of(cast.other, "other.example") as second:
        sign_in(Client(), cast.acme, provider)
        second.person = {**DANA, "email": "dana@other.example"}
        client = Client()
        sign_in(client, cast.other, second)
        assert is_in(client, "other")
        assert not is_in(client, "acme")
    for organization, email in ((cast.acme, "dana@acme.example"), (cast.other, "dana@other.example")):
        with tenant_tx(organization.pk):
            assert SignOnIdentity.objects.get().membership.user.email == email


def test_an_unknown_or_disabled_sign_on_does_not_exist(cast: Cast, provider: OidcDouble, client: Client) -> None:
    assert client.get(f"/sso/{cast.other.pk}/").status_code == 404
    assert client.get(f"/sso/{cast.acme.pk}/").status_code == 200
    change(cast.acme, is_enabled=False)
    assert client.get(f"/sso/{cast.acme.pk}/").status_code == 404
    cast.acme.is_active = False
    cast.acme.save()
    assert client.get(f"/sso/{cast.acme.pk}/").status_code == 404


def test_the_person_who_was_signed_in_before_is_signed_out(cast: Cast, provider: OidcDouble, client: Client) -> None:
    client.force_login(cast.bob)
    sign_in(client, cast.acme, provider)
    assert client.session["_auth_user_id"] == str(User.objects.get(email="dana@acme.example").pk)


def test_a_get_starts_nothing_and_the_page_leads_nowhere_else(cast: Cast, provider: OidcDouble, client: Client) -> None:
    assert "Continue with Acme" in client.get(f"/sso/{cast.acme.pk}/?next=https://evil.example/").content.decode()
    assert provider.request_paths == []
    answer = sign_in(client, cast.acme, provider, "https://evil.example/")
    assert answer.headers["Location"] == "/o/acme/"


def test_the_account_s_own_second_factor_is_asked(cast: Cast, provider: OidcDouble, client: Client) -> None:
    from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret

    TOTP.activate(dana(cast).user, generate_totp_secret())
    assert sign_in(client, cast.acme, provider).headers["Location"] == "/accounts/2fa/authenticate/"
    assert not is_in(client)


# Only sign-on


def test_only_sign_on_lets_passwords_in_no_longer_and_guests_still(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast)
    client.post("/login/", {"username": member.user.email, "password": PASSWORD})
    assert is_in(client)
    change(cast.acme, is_required=True)
    answer = client.get("/o/acme/api/conversations/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "sign_on_needed")
    page = client.get("/o/acme/", headers={"Accept": "text/html"})
    assert page.headers["Location"] == f"/sso/{cast.acme.pk}/?next=/o/acme/"
    sign_in(client, cast.acme, provider)
    assert is_in(client)
    guest = Client()
    guest.post("/login/", {"username": cast.bob.email, "password": PASSWORD})
    assert is_in(guest)


def test_the_sign_on_of_another_organization_does_not_count(cast: Cast, provider: OidcDouble, client: Client) -> None:
    with provider_of(cast.other, "other.example", is_required=True):
        sign_in(client, cast.acme, provider)
        user = User.objects.get(email="dana@acme.example")
        Membership.objects.create(organization=cast.other, user=user, role="member")
        assert is_in(client, "other")  # a guest there
        change(cast.other, is_required=True)
        cast.other.refresh_from_db()
        cast.other.policy["sign_on"]["domains"].append("acme.example")
        cast.other.save()
        assert not is_in(client, "other")


def test_a_rule_that_can_not_be_read_holds_for_everybody(cast: Cast, client: Client) -> None:
    client.post("/login/", {"username": cast.bob.email, "password": PASSWORD})
    cast.acme.policy = {"sign_on": {"domains": "acme.example"}}
    cast.acme.save()
    assert client.get("/o/acme/api/conversations/").json()["error"]["code"] == "sign_on_needed"


def test_the_way_in_needs_a_second_factor(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast, "owner")
    client.post("/login/", {"username": member.user.email, "password": PASSWORD})
    change(cast.acme, is_required=True, way_in=member)
    assert client.get("/o/acme/api/conversations/").json()["error"]["code"] == "second_factor_needed"
    session = client.session
    session["account_authentication_methods"] += [{"method": "mfa", "at": 1.0, "type": "webauthn"}]
    session.save()
    assert is_in(client)


def test_the_admin_site_follows_the_same_rule(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = dana(cast, "admin")
    client.post("/login/", {"username": member.user.email, "password": PASSWORD})
    change(cast.acme, is_required=True)
    page = client.get("/o/acme/admin/tenants/membership/")
    assert page.headers["Location"].startswith(f"/sso/{cast.acme.pk}/?next=")
    assert client.post("/o/acme/admin/tenants/membership/").status_code == 403


def test_a_member_of_none_gets_no_more_than_before(cast: Cast, provider: OidcDouble, client: Client) -> None:
    member = member_of(cast.other, "Olaf", "member")
    client.force_login(member.user)
    assert not is_in(client, "acme")
    assert "/authorize?" in start(client, cast.acme)
