"""Single sign-on: when a sign-in at the provider is a fresh proof of who somebody is."""

from __future__ import annotations

import re

from django.test import Client

from doubles.oidc import OidcDouble
from tests.accounts.sso.sso import change, come_back, dana, is_in, reason, sign_in, start
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.fresh_sign_in import age_proof


def test_who_has_no_password_proves_who_they_are_at_the_provider(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    page = client.get("/accounts/reauthenticate/?next=/accounts/")
    assert page.headers["Location"] == f"/sso/{cast.acme.pk}/?next=%2Faccounts%2F"
    assert "prompt=login" in start(client, cast.acme)
    assert "prompt=login" not in start(Client(), cast.acme)
    age_proof(client)
    session = client.session
    sign_in(client, cast.acme, provider, "/accounts/")
    assert client.get("/o/acme/api/proof/").json()["isRecent"] is True
    assert client.session.session_key == session.session_key  # pages that are open go on


def test_an_old_session_at_the_provider_proves_nothing(cast: Cast, provider: OidcDouble, client: Client) -> None:
    def is_recent() -> bool:
        return bool(client.get("/o/acme/api/proof/").json()["isRecent"])

    sign_in(client, cast.acme, provider)
    assert (is_in(client), is_recent()) == (True, False), "nobody asked when they signed in there"
    provider.signed_in_at -= 3600
    address = re.sub(r"&prompt=login", "", start(client, cast.acme))
    assert reason(come_back(client, provider, address)) == "old_auth_time"
    provider.spoil = {"auth_time": None}
    assert reason(sign_in(client, cast.acme, provider)) == "no_auth_time"
    provider.spoil = {"auth_time": True}
    response = sign_in(client, cast.acme, provider)
    assert reason(response) == "no_auth_time"
    assert "It is not confirmed" in response.content.decode()
    assert (is_in(client), is_recent()) == (True, False)
    provider.spoil = {}
    sign_in(client, cast.acme, provider)
    assert is_recent()
    age_proof(client)
    assert not is_recent()


def test_who_is_signed_in_by_password_gets_in_by_a_provider_that_does_not_say_when(
    cast: Cast, provider: OidcDouble, client: Client
) -> None:
    client.post("/login/", {"username": dana(cast).user.email, "password": PASSWORD})
    change(cast.acme, is_required=True)
    assert not is_in(client)
    provider.spoil = {"auth_time": None}
    age_proof(client)
    sign_in(client, cast.acme, provider)
    assert (is_in(client), client.get("/o/acme/api/proof/").json()["isRecent"]) == (True, False)


def test_who_has_just_signed_in_at_the_provider_has_given_a_proof(cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.spoil = {"auth_time": provider.signed_in_at}
    sign_in(client, cast.acme, provider)
    assert client.get("/o/acme/api/proof/").json()["isRecent"] is True
    provider.spoil = {"auth_time": provider.signed_in_at - 16 * 60}
    later = Client()
    sign_in(later, cast.acme, provider)
    assert later.get("/o/acme/api/proof/").json()["isRecent"] is False
