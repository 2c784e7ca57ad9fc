"""Personal API tokens: what opens an organization without a session, and what does not any more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import path
from django.utils import timezone
from pytest_django import Settings

from security.api_tokens import api_token_create
from security.models import AuditEvent
from security.redaction import redact
from tenants.authentication.tokens import SCOPES, token_actor, token_digest, token_text_new
from tenants.context import tenant_tx
from tenants.errors import NotSignedIn, OrganizationSuspended
from tenants.models import ApiToken, User
from tenants.rest.http import OrganizationRequest, organization_view
from tests.support.accounts.cast import Cast


@organization_view()
def read(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse(f"{request.actor.organization_slug} {request.actor.user_id}")


@organization_view(scope="chat")
async def chat(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse(f"{request.actor.organization_slug} {request.actor.user_id}")


@organization_view(scope="session")
def browser_only(request: OrganizationRequest) -> HttpResponse:
    return HttpResponse("for people")


VIEWS: list[Callable[..., Any]] = [read, chat, browser_only]
urlpatterns = [path(f"{mount}{view.__name__}/", view) for view in VIEWS for mount in ("o/<slug:slug>/", "")]
urlpatterns.append(path("login/", read, name="login"))


@pytest.fixture
def urls(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__


def make_token(cast: Cast, user: User, *scopes: str, days: int | None = None) -> tuple[ApiToken, str]:
    actor = cast.actor(user)
    with tenant_tx(actor.organization_id):
        return api_token_create(actor=actor, name="laptop", scopes=scopes or SCOPES, days=days)


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


@pytest.mark.parametrize("address", ["/o/acme/read/", "/read/", "/o/acme/chat/", "/chat/"])
def test_a_token_opens_its_organization_with_and_without_its_name(address: str, urls: None, client: Client, cast: Cast) -> None:
    _, text = make_token(cast, cast.bob)
    assert client.get(address, headers=bearer(text)).content.decode() == f"acme {cast.bob.pk}"
    assert client.get(address).status_code == 401


@pytest.mark.parametrize("address", ["read", "chat"])
def test_a_token_opens_no_other_organization(address: str, urls: None, client: Client, cast: Cast) -> None:
    _, text = make_token(cast, cast.bob)
    foreign, missing = (client.get(f"/o/{slug}/{address}/", headers=bearer(text)) for slug in ("other", "missing"))
    assert foreign.status_code == missing.status_code == 404
    assert foreign.content == missing.content


def test_a_request_with_both_acts_by_its_token(urls: None, client: Client, cast: Cast) -> None:
    client.force_login(cast.alice)
    _, text = make_token(cast, cast.bob)
    assert client.get("/o/acme/read/", headers=bearer(text)).content.decode() == f"acme {cast.bob.pk}"
    assert client.get("/o/acme/read/", headers=bearer("parley_broken")).status_code == 401
    assert client.get("/o/acme/read/", headers=bearer("of-somebody-else")).content.decode() == f"acme {cast.alice.pk}"


def test_only_a_token_makes_up_for_the_csrf_token(urls: None, cast: Cast) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.bob)
    _, text = make_token(cast, cast.bob)
    assert client.post("/o/acme/read/").status_code == 403
    assert client.post("/o/acme/read/", headers=bearer("else")).status_code == 403
    assert client.post("/o/acme/read/", headers=bearer("parley_broken")).status_code == 401
    assert client.post("/o/acme/read/", headers=bearer(text)).status_code == 200


def test_scopes_limit_rights(urls: None, client: Client, cast: Cast) -> None:
    outcomes = {}
    for scope in SCOPES:
        headers = bearer(make_token(cast, cast.bob, scope)[1])
        calls = (client.get("/read/", headers=headers), client.post("/read/", headers=headers), client.post("/chat/", headers=headers))
        outcomes[scope] = [answer.status_code for answer in calls]
    assert outcomes == {"read": [200, 403, 403], "write": [403, 200, 403], "chat": [403, 403, 200]}


def test_what_is_for_the_browser_takes_no_token(urls: None, client: Client, cast: Cast) -> None:
    _, text = make_token(cast, cast.alice)
    assert client.get("/o/acme/browser_only/", headers=bearer(text)).status_code == 403


ENDS: dict[str, Callable[[Cast, ApiToken], Any]] = {
    "expired": lambda cast, token: _change(token, expires_at=timezone.now()),
    "revoked": lambda cast, token: _change(token, revoked_at=timezone.now()),
    "user": lambda cast, token: User.objects.filter(pk=cast.bob.pk).update(is_active=False),
    "organization": lambda cast, token: type(cast.acme).objects.filter(pk=cast.acme.pk).update(is_active=False),
    "another secret": lambda cast, token: _change(token, digest=token_digest("else")),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS.keys())
def test_a_token_expires_and_can_be_revoked(end: Callable[[Cast, ApiToken], Any], cast: Cast) -> None:
    token, text = make_token(cast, cast.bob, days=30)
    assert token_actor(f"Bearer {text}").actor == cast.actor(cast.bob)
    end(cast, token)
    with pytest.raises((NotSignedIn, OrganizationSuspended)):
        token_actor(f"Bearer {text}")


def _change(token: ApiToken, **values: object) -> None:
    with tenant_tx(token.organization_id):
        ApiToken.objects.filter(pk=token.pk).update(**values)


@pytest.mark.parametrize("text", ["", "parley_", "parley_" + "z" * 65, "parley_" + "0" * 65, "parley_" + "ä" * 65, "parley_0\x00"])
def test_what_is_no_token_opens_nothing(text: str, cast: Cast) -> None:
    with pytest.raises(NotSignedIn):
        token_actor(f"Bearer {text}")


def test_the_rights_are_those_of_now(cast: Cast) -> None:
    _, text = make_token(cast, cast.bob)
    cast.bob.memberships.update(role="viewer")
    assert not token_actor(f"Bearer {text}").actor.can_write


def test_the_last_use_is_noted_once_a_minute(cast: Cast) -> None:
    token, text = make_token(cast, cast.bob)
    uses = []
    for ago in (None, timedelta(seconds=10), timedelta(seconds=61)):
        before = ago and timezone.now() - ago
        _change(token, last_used_at=before)
        token_actor(f"Bearer {text}")
        with tenant_tx(cast.acme.pk):
            token.refresh_from_db()
        uses.append(token.last_used_at != before)
    assert uses == [True, False, True]


def test_texts_are_random_and_no_log_shows_them(cast: Cast) -> None:
    first, second = token_text_new(cast.acme.pk), token_text_new(cast.acme.pk)
    assert first != second
    assert first not in redact(f"sent {first} to us")


API = "/o/acme/api/tokens/"


def test_a_member_makes_lists_and_revokes_tokens(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    response = client.post(API, {"name": " CI ", "scopes": ["chat", "read"], "days": 30}, content_type="application/json")
    [token] = client.get(API).json()["tokens"]
    assert response.status_code == 201
    text = response.json().pop("token")
    assert token == {key: value for key, value in response.json().items() if key != "token"}
    assert (token["name"], token["scopes"], token["lastFour"], token["lastUsedAt"]) == ("CI", ["read", "chat"], text[-4:], None)
    with tenant_tx(cast.acme.pk):
        assert text not in str(ApiToken.objects.values().get())

    assert client.delete(f"{API}{token['id']}/").status_code == 204
    assert client.get(API).json()["tokens"] == []
    assert client.delete(f"{API}{token['id']}/").status_code == 404
    with tenant_tx(cast.acme.pk):
        events = list(AuditEvent.objects.filter(object_kind="api_token").order_by("created_at"))
    assert [event.action for event in events] == ["api_token.create", "api_token.revoke"]
    assert {event.object_id for event in events} == {token["id"]}
    assert text[-60:] not in str([event.detail for event in events])


@pytest.mark.parametrize(
    "body",
    [{"name": ""}, {"name": "x" * 61}, {"scopes": []}, {"scopes": ["admin"]}, {"days": 0}, {"days": 99999}, {"scopes": "read"}, {"x": 1}],
)
def test_a_token_that_makes_no_sense_is_refused(body: dict[str, Any], client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    response = client.post(API, {"name": "CI", "scopes": ["read"]} | body, content_type="application/json")
    assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")


def test_tokens_are_their_members_own(client: Client, cast: Cast) -> None:
    token, text = make_token(cast, cast.bob)
    client.force_login(cast.alice)
    assert client.get(API).json()["tokens"] == []
    assert client.delete(f"{API}{token.pk}/").status_code == 404
    client.force_login(cast.charlie)
    assert client.get(API).status_code == 404
    assert client.delete(f"/o/other/api/tokens/{token.pk}/").status_code == 404
    assert token_actor(f"Bearer {text}").actor.user_id == cast.bob.pk


def test_a_token_makes_no_tokens(client: Client, cast: Cast) -> None:
    _, text = make_token(cast, cast.alice)
    response = client.post(API, {"name": "more", "scopes": ["read"]}, content_type="application/json", headers=bearer(text))
    assert (response.status_code, response.json()["error"]["code"]) == (403, "not_allowed")
    keys = client.put("/o/acme/api/keys/", {}, content_type="application/json", headers=bearer(text))
    assert keys.status_code == 403


def test_a_token_is_replaced_by_a_new_one_and_works_a_while_longer(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    token, old = make_token(cast, cast.bob, "read", days=30)
    response = client.post(f"{API}{token.pk}/rotate/", {"overlapHours": 1}, content_type="application/json")
    new = response.json()["token"]
    assert (response.status_code, response.json()["name"], response.json()["scopes"]) == (201, "laptop", ["read"])
    assert [token_actor(f"Bearer {text}").actor for text in (old, new)] == [cast.actor(cast.bob)] * 2
    with tenant_tx(cast.acme.pk):
        token.refresh_from_db()
    assert token.expires_at is not None
    assert token.expires_at <= timezone.now() + timedelta(hours=1)
    assert client.post(f"{API}{response.json()['id']}/rotate/", {"overlapHours": 0}, content_type="application/json").status_code == 201
    with pytest.raises(NotSignedIn):
        token_actor(f"Bearer {new}")


@pytest.mark.parametrize("whose", ["alice", "charlie"])
def test_nobody_rotates_somebody_elses_token(whose: str, client: Client, cast: Cast) -> None:
    token, _ = make_token(cast, getattr(cast, whose))
    client.force_login(cast.bob)
    assert client.post(f"{API}{token.pk}/rotate/", {}, content_type="application/json").status_code == 404


@pytest.mark.parametrize(
    ("network", "works"),
    [("127.0.0.0/8", True), ("127.0.0.1", True), ("10.0.0.0/8", False), ("::ffff:127.0.0.1/128", False), ("2001:db8::/32", False)],
)
def test_a_token_works_from_its_networks_only(network: str, works: bool, urls: None, client: Client, cast: Cast) -> None:
    actor = cast.actor(cast.bob)
    with tenant_tx(actor.organization_id):
        _, text = api_token_create(actor=actor, name="x", scopes=["read", "chat"], days=1, networks=[network])
    for address in ("/read/", "/chat/"):
        assert client.get(address, headers=bearer(text)).status_code == (200 if works else 403)


def test_a_network_that_is_none_is_refused(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    response = client.post(API, {"name": "x", "scopes": ["read"], "networks": ["here"]}, content_type="application/json")
    assert (response.status_code, "here is not a network" in response.json()["error"]["message"]) == (400, True)
