"""What a provider's answer must be: attacks on the way there and back, and the provider's ordinary troubles."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.test import Client

from accounts.sso.handshake import STATES
from doubles.oidc import OidcDouble
from tenants.models import Membership
from tests.accounts.sso.sso import DANA, change, come_back, is_in, provider_of, reason, sign_in, start
from tests.security.secrets.canary import delete_redis_keys
from tests.support.accounts.cast import Cast
from tests.support.stores.audit_log import counted_to_rows, events

LOGGED_OUT = "/o/acme/api/conversations/"


def path_of(address: str) -> str:
    return address.removeprefix(settings.PUBLIC_URL)


def test_the_request_carries_state_nonce_and_pkce_and_nothing_from_the_page(cast: Cast, provider: OidcDouble, client: Client) -> None:
    query = {name: values[0] for name, values in parse_qs(urlsplit(start(client, cast.acme)).query).items()}
    assert query["redirect_uri"] == f"{settings.PUBLIC_URL}/sso/{cast.acme.pk}/callback/"
    assert query["code_challenge_method"] == "S256"
    assert len({query["state"], query["nonce"], query["code_challenge"]}) == 3
    assert query["scope"] == "openid email profile"


@pytest.mark.parametrize(("spoil", "code"), [
    ({"iss": "https://evil.example"}, "wrong_issuer"),
    ({"iss": None}, "invalid_token"),
    ({"aud": "another-client"}, "wrong_audience"),
    ({"aud": ["parley", "another-client"]}, "wrong_audience"),  # without azp
    ({"azp": "another-client"}, "wrong_audience"),
    ({"nonce": "of-another-attempt"}, "wrong_nonce"),
    ({"nonce": None}, "wrong_nonce"),
    ({"exp": None}, "invalid_token"),
    ({"exp": 1_000_000}, "clock"),
    ({"nbf": 4_000_000_000}, "clock"),
    ({"sub": None}, "invalid_token"),
    ({"sub": 7}, "invalid_token"),
])  # fmt: skip
def test_a_token_that_was_not_made_for_this_sign_in_is_refused(
    spoil: dict[str, Any], code: str, cast: Cast, provider: OidcDouble, client: Client
) -> None:
    provider.spoil = spoil
    assert reason(sign_in(client, cast.acme, provider)) == code
    assert not is_in(client)


@pytest.mark.parametrize(("offset_s", "enters"), [(-400, True), (-430, False), (100, True), (150, False)])
def test_clocks_may_differ_by_two_minutes(offset_s: int, enters: bool, cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.clock_offset_s = offset_s  # tokens live for five minutes
    answer = sign_in(client, cast.acme, provider)
    assert is_in(client) == enters
    assert enters or reason(answer) == "clock"


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_a_token_without_the_provider_s_own_signature_is_refused(algorithm: str, cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.algorithm = algorithm
    assert reason(sign_in(client, cast.acme, provider)) == "wrong_algorithm"


def test_a_token_of_a_key_that_is_not_published_is_refused(cast: Cast, provider: OidcDouble, client: Client) -> None:
    old_key_id = provider.key_id
    provider.rotate_key(is_published=False)
    assert reason(sign_in(client, cast.acme, provider)) == "unknown_key"
    provider.key_id = old_key_id  # another key under a known name
    assert reason(sign_in(client, cast.acme, provider)) == "invalid_token"


def test_a_provider_may_change_its_keys(cast: Cast, provider: OidcDouble) -> None:
    for _ in range(2):
        client = Client()
        sign_in(client, cast.acme, provider)
        assert is_in(client)
        provider.rotate_key()
    assert provider.request_paths.count("/keys") == 2


def test_unknown_keys_do_not_make_us_ask_each_time(cast: Cast, provider: OidcDouble) -> None:
    provider.rotate_key(is_published=False)
    for _ in range(4):
        sign_in(Client(), cast.acme, provider)
    assert provider.request_paths.count("/keys") == 2


def test_an_answer_works_once(cast: Cast, provider: OidcDouble, client: Client) -> None:
    answer = path_of(provider.authorize(start(client, cast.acme)))
    client.get(answer)
    assert is_in(client)
    assert reason(client.get(answer)) == "wrong_state"


def test_an_answer_belongs_to_the_browser_that_began(cast: Cast, provider: OidcDouble, client: Client) -> None:
    stolen_path = path_of(provider.authorize(start(client, cast.acme)))
    victim = Client()
    assert reason(victim.get(stolen_path)) == "wrong_state"
    start(victim, cast.acme)
    assert reason(victim.get(stolen_path)) == "wrong_state"
    assert not is_in(victim)


def test_a_code_of_another_sign_in_can_not_be_put_in(cast: Cast, provider: OidcDouble, client: Client) -> None:
    theirs = parse_qs(urlsplit(provider.authorize(start(Client(), cast.acme))).query)["code"][0]
    own = parse_qs(urlsplit(provider.authorize(start(client, cast.acme))).query)
    answer = client.get(f"/sso/{cast.acme.pk}/callback/", {"code": theirs, "state": own["state"][0], "iss": own["iss"][0]})
    assert reason(answer) == "provider_refused"
    assert provider.refusals == ["invalid_grant"]


def test_a_sign_in_takes_ten_minutes_at_most(cast: Cast, provider: OidcDouble, client: Client) -> None:
    address = start(client, cast.acme)
    session = client.session
    session[STATES] = {state: {**entry, "at": entry["at"] - 601} for state, entry in session[STATES].items()}
    session.save()
    assert reason(come_back(client, provider, address)) == "wrong_state"


def test_the_answer_of_one_provider_is_not_taken_for_another_s(cast: Cast, provider: OidcDouble, client: Client) -> None:
    with provider_of(cast.other, "other.example") as evil:
        address = start(client, cast.acme)
        query = parse_qs(urlsplit(provider.authorize(address)).query)
        params = {"code": query["code"][0], "state": query["state"][0]}
        assert reason(client.get(f"/sso/{cast.other.pk}/callback/", params | {"iss": evil.base_url})) == "wrong_state"
        assert "/token" not in evil.request_paths  # the honest provider's code was not handed to the other one
        for issuer in ({"iss": evil.base_url}, {}):
            query = parse_qs(urlsplit(provider.authorize(start(client, cast.acme))).query)
            params = {"code": query["code"][0], "state": query["state"][0]}
            assert reason(client.get(f"/sso/{cast.acme.pk}/callback/", params | issuer)) == "wrong_issuer"
    assert "/token" not in provider.request_paths


def test_a_discovery_document_speaks_for_its_own_issuer(cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.document = {"issuer": "https://login.example"}
    assert reason(client.post(f"/sso/{cast.acme.pk}/")) == "wrong_issuer"


def test_a_discovery_document_can_not_lead_into_the_network(cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.document = {"token_endpoint": "http://127.0.0.1:1/token"}
    answer = sign_in(client, cast.acme, provider)
    assert answer.status_code == 403
    assert not is_in(client)


def test_the_secret_goes_to_the_issuer_that_it_was_entered_for(cast: Cast, provider: OidcDouble, client: Client) -> None:
    with provider_of(cast.other, "other.example") as evil:
        change(cast.acme, issuer=evil.base_url)  # as if the row had been edited
        evil.redirect_uris = provider.redirect_uris
        assert sign_in(client, cast.acme, evil).status_code == 403
        assert "/token" not in evil.request_paths


def test_basic_authentication_is_used_where_the_provider_knows_nothing_else(cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.document = {"token_endpoint_auth_methods_supported": ["client_secret_basic"]}
    sign_in(client, cast.acme, provider)
    assert is_in(client)


def test_what_the_token_leaves_out_is_asked_for_and_is_about_the_same_person(cast: Cast, provider: OidcDouble) -> None:
    """As Okta does it: groups and addresses in the user-info answer only."""
    change(cast.acme, provider="okta", rules=[{"value": "it", "role": "admin", "group_id": None}])
    provider.person = {**DANA, "groups": ["it"]}
    provider.only_in_user_info = ("email", "email_verified", "groups")
    client = Client()
    assert "groups" in parse_qs(urlsplit(start(client, cast.acme)).query)["scope"][0].split()
    sign_in(client, cast.acme, provider)
    assert is_in(client)
    assert Membership.objects.get(user__email=DANA["email"], organization=cast.acme).role == "admin"
    provider.user_info = {"sub": "somebody-else"}
    assert reason(sign_in(Client(), cast.acme, provider)) == "wrong_subject"
    provider.only_in_user_info, provider.user_info = ("groups",), {"email": "charlie@other.example", "groups": ["sales"]}
    sign_in(Client(), cast.acme, provider)  # the signed token wins
    assert Membership.objects.get(user__email=DANA["email"], organization=cast.acme).role == "member"


def test_without_need_only_the_token_is_asked_for(cast: Cast, provider: OidcDouble, client: Client) -> None:
    sign_in(client, cast.acme, provider)
    assert "/me" not in provider.request_paths


def test_a_cancelled_sign_in_says_so_and_shows_nothing_of_the_address(cast: Cast, provider: OidcDouble, client: Client) -> None:
    state = parse_qs(urlsplit(start(client, cast.acme)).query)["state"][0]
    params = {"error": "access_denied", "error_description": "<b>call us</b>", "state": state, "iss": provider.base_url}
    page = client.get(f"/sso/{cast.acme.pk}/callback/", params)
    assert reason(page) == "cancelled"
    assert "call us" not in page.content.decode()


def test_a_provider_that_is_away_is_named(cast: Cast, client: Client) -> None:
    with provider_of(cast.acme, "acme.example"):
        pass
    delete_redis_keys()  # so that the provider is asked
    assert client.post(f"/sso/{cast.acme.pk}/").status_code == 403


@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_refusals_are_counted_for_the_organization(cast: Cast, provider: OidcDouble, client: Client) -> None:
    provider.spoil = {"aud": "another-client"}
    sign_in(client, cast.acme, provider)
    counted_to_rows()
    (event,) = events(cast.acme, "sso.refuse")
    assert (event.object_id, event.outcome, event.category) == ("wrong_audience", "refused", "settings")
    assert not events(cast.other, "sso.refuse")
