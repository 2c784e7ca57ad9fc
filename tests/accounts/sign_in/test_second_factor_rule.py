"""Where a second factor is required: of whom, from when, and that the last one stays."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.utils import timezone
from pytest_django import Settings

from tenants.context import tenant_tx
from tenants.models import MemberGroup, User
from tests.accounts.sign_in.second_factor import asks, code_for, is_in, set_up_app, sign_in
from tests.accounts.sign_in.test_sign_in import BOB
from tests.support.accounts.cast import PASSWORD, Cast

OPERATOR = "rita@example.org"


@pytest.mark.parametrize(("rule", "who", "enters"), [
    ({}, "bob", False),
    ({"roles": ["owner", "admin"]}, "alice", False),
    ({"roles": ["owner", "admin"]}, "bob", True),
    ({"grace_days": 7}, "bob", True),
    ({"since": "no date"}, "bob", False),
])  # fmt: skip
def test_an_organization_asks_for_it_by_role_and_after_days_of_grace(rule: dict[str, Any], who: str, enters: bool, cast: Cast) -> None:
    client = sign_in(f"{who}@example.org")
    assert is_in(client)
    asks(cast.acme, **rule)
    assert is_in(client) == enters
    page = client.get("/o/acme/", headers={"Accept": "text/html"})
    assert (page.status_code == 200) == enters
    if not enters:
        assert page.headers["Location"] == "/accounts/?next=/o/acme/"
        assert client.get("/o/acme/api/conversations/").json()["error"]["code"] == "second_factor_needed"


def test_the_organizations_admin_site_asks_for_it_too(cast: Cast) -> None:
    client = sign_in("alice@example.org")
    page = "/o/acme/admin/tenants/membergroup/"
    assert is_in(client, page)
    asks(cast.acme, roles=["owner", "admin"])
    assert client.get(page).headers["Location"] == f"/accounts/?next={page}"
    assert client.post(f"{page}add/", {"name": "Sales"}).status_code == 403
    with tenant_tx(cast.acme.pk):
        assert not MemberGroup.objects.exists()


def test_days_of_grace_begin_when_somebody_joins(cast: Cast) -> None:
    client = sign_in(BOB)
    asks(cast.acme, since=(timezone.now() - timedelta(days=30)).isoformat(), grace_days=7)
    cast.bob.memberships.update(created_at=timezone.now() - timedelta(days=8))
    assert not is_in(client)
    cast.bob.memberships.update(created_at=timezone.now() - timedelta(days=6))
    assert is_in(client)


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
def test_who_has_set_it_up_enters_and_another_organization_does_not_ask(cast: Cast) -> None:
    client = sign_in(BOB)
    earlier = sign_in(BOB)
    asks(cast.acme)
    assert not is_in(client)
    assert "asks for a second factor" in client.get("/accounts/?next=/o/acme/").content.decode()
    secret, _ = set_up_app(client)
    assert is_in(client)
    assert '<a href="/o/acme/">Continue</a>' in client.get("/accounts/").content.decode()

    assert not is_in(earlier)
    assert "/accounts/2fa/confirm/?next=%2Fo%2Facme%2F" in earlier.get("/accounts/?next=/o/acme/").content.decode()
    response = earlier.post("/accounts/2fa/confirm/", {"code": code_for(secret), "next": "/o/acme/"})
    assert response.headers["Location"] == "/o/acme/"
    assert is_in(earlier)
    charlie = sign_in("charlie@example.org")
    assert is_in(charlie, "/o/other/api/conversations/")


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
def test_the_factor_of_somebody_who_was_signed_in_before_does_not_count(cast: Cast) -> None:
    client = sign_in(BOB)
    set_up_app(client)
    asks(cast.acme)
    steps = client.session["account_authentication_methods"]
    client.force_login(cast.vera)
    session = client.session
    session["account_authentication_methods"] = steps
    session["account_authentication_methods_user"] = str(cast.bob.pk)
    session.save()
    assert not is_in(client)


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
@pytest.mark.parametrize("page", ["", "accounts/outgoingmail/"])
def test_the_operators_site_asks_for_it(page: str, cast: Cast, settings: Settings) -> None:
    settings.OPERATOR_SECOND_FACTOR = True
    User.objects.create_superuser(OPERATOR, PASSWORD)
    client = sign_in(OPERATOR)
    assert client.get(f"/operator/{page}").headers["Location"] == f"/accounts/?next=/operator/{page}"
    assert sign_in(BOB).get(f"/operator/{page}").status_code == 404
    set_up_app(client)
    assert client.get(f"/operator/{page}").status_code == 200


def passkey_of(user: User) -> Authenticator:
    return Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Laptop", "credential": {}})


def factors_of(user: User) -> list[str]:
    return sorted(Authenticator.objects.filter(user=user).exclude(type="recovery_codes").values_list("type", flat=True))


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
def test_the_last_factor_that_an_organization_asks_for_stays(cast: Cast) -> None:
    client = sign_in(BOB)
    set_up_app(client)
    asks(cast.acme)
    page = client.get("/accounts/").content.decode()
    assert "Acme asks for a second factor, and this is your only one." in page
    assert "/accounts/2fa/app/remove/" not in page
    html = client.post("/accounts/2fa/app/remove/", follow=True).content.decode()
    assert (html.count("this is your only one"), factors_of(cast.bob)) == (2, ["totp"])

    passkey_of(cast.bob)
    assert "/accounts/2fa/app/remove/" in client.get("/accounts/").content.decode()
    client.post("/accounts/2fa/app/remove/")
    assert factors_of(cast.bob) == ["webauthn"]


@pytest.mark.django_db(transaction=True)  # the library notes a new factor in the session after the commit
@pytest.mark.parametrize(("rule", "stays"), [({}, True), ({"roles": ["owner"]}, False), (None, False)])
def test_a_last_passkey_stays_only_where_it_is_asked_for(rule: dict[str, Any] | None, stays: bool, cast: Cast) -> None:
    client = sign_in(BOB)
    passkey = passkey_of(cast.bob)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    if rule is not None:
        asks(cast.acme, **rule)
    asks(cast.other)  # whose member Bob is not
    client.post(f"/accounts/2fa/passkeys/{passkey.pk}/remove/")
    assert factors_of(cast.bob) == (["webauthn"] if stays else [])
