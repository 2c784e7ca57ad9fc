"""A proof before dangerous acts: asked for inside the page, and by the act itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.accounts.sign_in.second_factor import set_up_app, sign_in
from tests.accounts.sign_in.test_sign_in import BOB
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.fresh_sign_in import age_proof

PROOF = "/o/acme/api/proof/"
TOKENS = "/o/acme/api/tokens/"
TOKEN = {"name": "laptop", "scopes": ["read"]}
ACTS: list[tuple[str, str, dict[str, Any]]] = [
    ("post", TOKENS, TOKEN),
    ("post", f"{TOKENS}00000000-0000-0000-0000-000000000000/rotate/", {}),
    ("post", "/o/acme/api/secrets/", {"name": "a", "tool": "b", "url": "https://x.example", "value": "12345678"}),
    ("put", "/o/acme/api/keys/", {"provider": "google", "key": "k"}),
    ("post", "/o/acme/api/profile/deletion/", {"email": BOB}),
]


def call(client: Client, method: str, path: str, body: dict[str, Any], **headers: str) -> Any:
    return getattr(client, method)(path, body, content_type="application/json", headers=headers)


def aged(client: Client) -> Client:
    age_proof(client)
    return client


@pytest.mark.parametrize(("method", "path", "body"), ACTS)
def test_dangerous_acts_ask_for_a_proof_of_the_last_15_minutes(method: str, path: str, body: dict[str, Any], cast: Cast) -> None:
    client = aged(sign_in(BOB))
    response = call(client, method, path, body)
    assert (response.status_code, response.json()["error"]["code"], response.json()["error"]["action"]) == (403, "proof_needed", "prove")
    call(client, "post", PROOF, {"password": PASSWORD})
    assert "proof_needed" not in call(client, method, path, body).content.decode()


def test_after_the_password_the_same_request_works(cast: Cast) -> None:
    client = aged(sign_in(BOB))
    key = {"Idempotency-Key": "0123456789abcdef"}
    assert call(client, "post", TOKENS, TOKEN, **key).status_code == 403
    assert client.get(PROOF).json() == {"isRecent": False, "password": True, "code": False, "passkey": False}
    wrong = call(client, "post", PROOF, {"password": "wrong"})
    assert (wrong.status_code, wrong.json()["error"]["message"]) == (400, "This is not your password. Check it and try again.")
    assert call(client, "post", TOKENS, TOKEN).status_code == 403
    assert call(client, "post", PROOF, {"password": PASSWORD}).status_code == 204
    assert client.get(PROOF).json()["isRecent"]
    assert call(client, "post", TOKENS, TOKEN, **key).status_code == 201


def test_guesses_are_counted_with_those_of_the_sign_in_page(cast: Cast) -> None:
    client = aged(sign_in(BOB))
    for _ in range(10):
        call(client, "post", PROOF, {"password": "wrong"})
    response = call(client, "post", PROOF, {"password": PASSWORD})
    assert (response.status_code, "Too many attempts" in response.json()["error"]["message"]) == (400, True)


def test_a_code_is_a_proof_too(cast: Cast) -> None:
    client = sign_in(BOB)
    _, codes = set_up_app(client)
    age_proof(client)
    assert client.get(PROOF).json()["code"]
    assert call(client, "post", PROOF, {"code": "000000"}).status_code == 400
    assert call(client, "post", PROOF, {"code": codes[0]}).status_code == 204
    assert call(client, "post", TOKENS, TOKEN).status_code == 201


def test_what_takes_a_right_away_asks_for_nothing(cast: Cast) -> None:
    client = sign_in(BOB)
    token = call(client, "post", TOKENS, TOKEN).json()
    age_proof(client)
    assert client.delete(f"{TOKENS}{token['id']}/").status_code == 204


def test_strangers_and_programs_give_no_proof(cast: Cast) -> None:
    client = sign_in(BOB)
    token = call(client, "post", TOKENS, {**TOKEN, "scopes": ["read", "write"]}).json()["token"]
    assert call(Client(), "post", PROOF, {"password": PASSWORD}).status_code == 401
    assert call(client, "post", "/o/other/api/proof/", {"password": PASSWORD}).status_code == 404
    assert call(Client(), "post", PROOF, {"password": PASSWORD}, Authorization=f"Bearer {token}").status_code == 403
