"""Members register secrets of their own at /o/<slug>/api/secrets/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from security.models import AuditEvent, RegisteredSecret, Secret
from security.secrets.registered_secrets import registered_secret_save
from tenants.context import tenant_tx
from tenants.models import User
from tests.support.accounts.cast import Cast

URL = "/o/acme/api/secrets/"
VALUE = "token-NeverShownAgain-wxyz"
BODY = {"name": "api", "tool": "http", "url": "https://api.example/v1", "value": VALUE}

SignedIn = Callable[[User], Client]


@pytest.fixture
def signed_in() -> SignedIn:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in


def post(client: Client, **changes: Any) -> Any:
    return client.post(URL, {**BODY, **changes}, content_type="application/json")


def test_a_secret_is_written_listed_and_deleted_and_its_value_never_comes_back(cast: Cast, signed_in: SignedIn) -> None:
    bob = signed_in(cast.bob)
    response = post(bob)
    item = {
        "id": response.json()["id"],
        "name": "api",
        "placeholder": "{{secret:my.api}}",
        "tool": "http",
        "origin": "https://api.example:443",
        "state": "set, ends in wxyz",
    }
    assert (response.status_code, response.json()) == (201, item)
    assert bob.get(URL).json() == {"secrets": [item]}
    assert bob.delete(f"{URL}{item['id']}/").status_code == 204
    assert bob.get(URL).json() == {"secrets": []}
    with tenant_tx(cast.acme.id):
        assert not Secret.objects.exists()
        events = AuditEvent.objects.filter(action__startswith="secret.").order_by("created_at")
        assert [(event.action, event.actor_user_id) for event in events] == [
            ("secret.create", cast.bob.pk),
            ("secret.delete", cast.bob.pk),
        ]


@pytest.mark.parametrize(
    "changes",
    [
        {"value": "short"},
        {"name": "A b"},
        {"tool": ""},
        {"url": "http://api.example"},
        {"url": "https://169.254.169.254"},
        {"url": "nonsense"},
        {"value": 12345678901},
        {"membership": "1"},
    ],
)
def test_what_cannot_be_a_secret_is_refused_without_quoting_it(cast: Cast, signed_in: SignedIn, changes: dict[str, Any]) -> None:
    response = post(signed_in(cast.bob), **changes)
    assert response.status_code == 400
    assert response.json()["error"]["message"]
    assert VALUE not in response.content.decode()
    with tenant_tx(cast.acme.id):
        assert not RegisteredSecret.objects.exists()


def test_nobody_else_sees_or_deletes_it(cast: Cast, signed_in: SignedIn) -> None:
    own = f"{URL}{post(signed_in(cast.bob)).json()['id']}/"
    with tenant_tx(cast.acme.id):
        shared_secret = RegisteredSecret(name="shared", tool="http")
        registered_secret_save(registered=shared_secret, value=VALUE, url="https://api.example")
    alice, charlie = signed_in(cast.alice), signed_in(cast.charlie)
    assert alice.get(URL).json() == {"secrets": []}
    assert [alice.delete(own).status_code, charlie.delete(own).status_code, charlie.get(URL).status_code] == [404] * 3
    assert charlie.delete(own.replace("acme", "other")).status_code == 404
    assert signed_in(cast.bob).delete(f"{URL}{shared_secret.id}/").status_code == 404
    with tenant_tx(cast.acme.id):
        assert RegisteredSecret.objects.count() == 2


def test_viewers_and_strangers_have_none(cast: Cast, signed_in: SignedIn) -> None:
    assert post(signed_in(cast.vera)).status_code == 403
    assert post(Client()).status_code == 401
