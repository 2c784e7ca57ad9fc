"""The end of a session: here and at the provider, and by the provider."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from doubles.oidc import OidcDouble
from tests.accounts.sso.sso import DANA, change, is_in, provider_of, sign_in
from tests.support.accounts.cast import Cast


def log_out_by_provider(cast: Cast, token: str) -> int:
    answer = Client(enforce_csrf_checks=True).post(f"/sso/{cast.acme.pk}/logout/", {"logout_token": token})
    assert "no-store" in answer.headers["Cache-Control"]
    return int(answer.status_code)


def test_signing_out_ends_the_session_at_the_provider_where_that_is_wanted(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    assert client.post("/logout/").headers["Location"] == "/login/"
    change(cast.acme, signs_out_at_provider=True)
    sign_in(client, cast.acme, provider)
    page = client.post("/logout/").content.decode()
    match = re.search(r'href="([^"]+)" data-leave', page)
    assert match
    address = urlsplit(html.unescape(match[1]))
    query = parse_qs(address.query)
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.base_url}/logout"
    assert query["post_logout_redirect_uri"][0].endswith("/login/")
    assert query["id_token_hint"]
    assert not is_in(client)


def test_the_provider_ends_the_session_that_it_began(cast: Cast, provider: OidcDouble) -> None:
    first, second = Client(), Client()
    sign_in(first, cast.acme, provider)
    provider.person = {**DANA, "sid": "s2"}
    sign_in(second, cast.acme, provider)
    assert log_out_by_provider(cast, provider.logout_token()) == 200
    assert (is_in(first), is_in(second)) == (True, False)


@pytest.mark.parametrize("claims", [{"sid": None}, {"sub": None}])
def test_a_logout_may_name_the_person_or_the_session(claims: dict[str, Any], cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    assert log_out_by_provider(cast, provider.logout_token(**claims)) == 200
    assert not is_in(client)


def test_sessions_that_began_otherwise_go_on(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    other = Client()
    from tenants.models import User

    other.force_login(User.objects.get(email=DANA["email"]))
    log_out_by_provider(cast, provider.logout_token(sid=None))
    assert (is_in(client), is_in(other)) == (False, True)


@pytest.mark.parametrize("spoil", [
    {"iss": "https://evil.example"},
    {"aud": "another-client"},
    {"events": {}},
    {"events": None},
    {"nonce": "n"},
    {"iat": 1_000_000, "exp": None},
    {"jti": None},
    {"sub": None, "sid": None},
])  # fmt: skip
def test_a_logout_token_that_is_not_one_ends_nothing(spoil: dict[str, Any], cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    provider.spoil = spoil
    assert log_out_by_provider(cast, provider.logout_token()) == 400
    assert is_in(client)


def test_an_id_token_is_no_logout_token(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    assert log_out_by_provider(cast, provider.token(**DANA)) == 400
    assert is_in(client)


def test_a_logout_token_works_once(cast: Cast, provider: OidcDouble, client: Client) -> None:
    token = provider.logout_token(**{name: DANA[name] for name in ("sub", "sid")})
    assert log_out_by_provider(cast, token) == 200
    sign_in(client, cast.acme, provider)
    assert log_out_by_provider(cast, token) == 400
    assert is_in(client)


def test_a_provider_ends_no_sessions_of_another_organization(cast: Cast, provider: OidcDouble, client: Client) -> None:
    with provider_of(cast.other, "other.example") as second:
        sign_in(client, cast.acme, provider)
        token = second.logout_token(sub=DANA["sub"], sid=None)
        assert Client().post(f"/sso/{cast.other.pk}/logout/", {"logout_token": token}).status_code == 200
        assert log_out_by_provider(cast, token) == 400
    assert is_in(client)
