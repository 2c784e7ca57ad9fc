"""Keys of one's own that are refused: what is no key, where none is allowed, and who may not."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from tests.agents.own_keys import KEY, URL, allow, bob, google, google_at_the_double, move, put, rows
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import Cast
from tests.support.agents.gemini import ServedGemini, gemini

__all__ = ["bob", "gemini", "google_at_the_double"]


class TestRefused:
    @pytest.mark.parametrize(
        "fields",
        [
            {"key": ""},
            {"key": "  "},
            {"key": "two\nlines"},
            {"key": "k\u00e9y-with-an-accent"},
            {"key": KEY * 200},
            {"key": 12345678901},
            {"key": None},
            {"sessionOnly": "yes"},
            {"membership": "1"},
            {"base_url": "https://evil.example"},
        ],
    )
    def test_what_is_no_key_is_refused_without_quoting_it(self, cast: Cast, bob: Client, fields: dict[str, Any]) -> None:
        response = put(bob, **{"key": KEY, **fields})
        assert (response.status_code, response.json()["error"]["code"]) == (400, "bad_request")
        assert KEY not in response.content.decode()
        assert rows(cast) == ([], 0)

    @pytest.mark.parametrize("provider", ["demo", "nonsense", ""])
    def test_a_provider_that_takes_none(self, cast: Cast, bob: Client, provider: str) -> None:
        assert put(bob, provider=provider).status_code == 404
        assert rows(cast) == ([], 0)

    def test_an_address_that_changed_since_it_was_shown(self, cast: Cast, bob: Client, gemini: ServedGemini) -> None:
        assert put(bob, origin=gemini.base_url).status_code == 200
        response = put(bob, "AIzaSyAnother-abcd", origin="https://generativelanguage.googleapis.com:443")
        assert response.status_code == 409
        assert gemini.base_url in response.json()["error"]["message"]
        assert google(bob)["key"]["lastFour"] == "wxyz"

    def test_an_address_without_encryption(self, cast: Cast, bob: Client) -> None:
        move(cast, "http://gateway.example")
        assert put(bob).status_code == 400
        assert rows(cast) == ([], 0)

    def test_a_key_is_refused_where_the_organization_allows_none(self, cast: Cast, bob: Client) -> None:
        put(bob)
        allow(cast, False)
        response = put(bob)
        assert (response.status_code, response.json()["error"]["code"]) == (403, "own_keys_not_allowed")
        assert bob.post(f"{URL}google/check/", content_type="application/json").status_code == 403
        assert bob.get(URL).json()["allowed"] is False
        assert google(bob)["source"] is None, "it rests"
        assert bob.delete(f"{URL}google/").status_code == 204, "but it can be removed"

    def test_viewers_strangers_and_other_organizations(self, cast: Cast, bob: Client) -> None:
        put(bob)
        vera, charlie = signed_in(cast.vera), signed_in(cast.charlie)
        for client, status in ((vera, 403), (charlie, 404), (Client(), 401)):
            answers = [
                client.get(URL),
                put(client),
                client.delete(f"{URL}google/"),
                client.post(f"{URL}google/check/", content_type="application/json"),
            ]
            assert [answer.status_code for answer in answers] == [status] * 4
        assert rows(cast)[1] == 1

    def test_the_forgery_of_another_page(self, cast: Cast) -> None:
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(cast.bob)
        for answer in (put(strict), strict.delete(f"{URL}google/"), strict.post(f"{URL}google/check/", content_type="application/json")):
            assert answer.status_code == 403
        assert rows(cast) == ([], 0)
