"""Members enter, check and remove provider keys of their own at /o/<slug>/api/keys/."""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.test import Client
from pytest_django import Settings

from agents.runtime.member_keys import MAX_CHECKS_PER_MINUTE
from security.models import AuditEvent
from security.secrets.services import secret_open
from tenants.context import tenant_tx
from tests.agents.own_keys import KEY, URL, bob, google, google_at_the_double, move, put, rows
from tests.rest.conftest import signed_in
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.agents.gemini import ServedGemini, gemini
from tests.support.chat.workspace import allow_egress

__all__ = ["bob", "gemini", "google_at_the_double"]


def test_a_key_is_saved_listed_and_removed_and_never_comes_back(cast: Cast, bob: Client, gemini: ServedGemini) -> None:
    origin = gemini.base_url
    assert google(bob) == {"provider": "google", "label": "Google Gemini", "origin": origin, "source": None, "key": None}
    response = put(bob)
    item = {
        "provider": "google",
        "label": "Google Gemini",
        "origin": origin,
        "source": "saved",
        "key": {"lastFour": "wxyz", "sessionOnly": False, "stale": False},
    }
    assert (response.status_code, response.json()) == (200, item)
    assert google(bob) == item
    [[row], _] = rows(cast)
    with tenant_tx(cast.acme.pk):
        assert secret_open(row.secret).reveal() == KEY
        assert KEY not in row.secret.ciphertext
    assert bob.delete(f"{URL}google/").status_code == 204
    assert google(bob)["key"] is None
    assert rows(cast) == ([], 0)
    assert bob.delete(f"{URL}google/").status_code == 404


def test_entering_removing_and_checking_is_in_the_audit_log_without_the_key(cast: Cast, bob: Client) -> None:
    put(bob)
    bob.post(f"{URL}google/check/", content_type="application/json")
    bob.delete(f"{URL}google/")
    with tenant_tx(cast.acme.pk):
        events = AuditEvent.objects.filter(object_kind="member_key").order_by("created_at")
        assert [(event.action, event.actor_user_id) for event in events] == [
            ("member_key.save", cast.bob.pk),
            ("member_key.check", cast.bob.pk),
            ("member_key.remove", cast.bob.pk),
        ]
        assert not any(KEY in str(event.detail) for event in AuditEvent.objects.all())


def test_a_new_key_takes_the_place_of_the_old_one(cast: Cast, bob: Client) -> None:
    put(bob)
    assert put(bob, "AIzaSyTheSecondKey-abcd").json()["key"]["lastFour"] == "abcd"
    keys, secrets = rows(cast)
    assert (len(keys), secrets) == (1, 1)


class TestForThisSessionOnly:
    def test_a_key_is_used_before_the_saved_one_in_this_session_alone(self, cast: Cast, bob: Client) -> None:
        put(bob)
        assert put(bob, "session-key-abcd", sessionOnly=True).json()["source"] == "session"
        assert google(bob)["key"] == {"lastFour": "abcd", "sessionOnly": True, "stale": False}
        assert google(signed_in(cast.bob))["key"] == {"lastFour": "wxyz", "sessionOnly": False, "stale": False}

    def test_what_was_entered_last_is_used(self, bob: Client) -> None:
        put(bob, "session-key-abcd", sessionOnly=True)
        assert put(bob).json()["source"] == "saved"
        assert google(bob)["source"] == "saved"

    def test_signing_out_removes_it_with_its_value(self, cast: Cast, bob: Client) -> None:
        put(bob, "session-key-abcd", sessionOnly=True)
        other = signed_in(cast.bob)
        put(other, "other-session-key-efgh", sessionOnly=True)
        bob.post("/logout/")
        [[left], secrets] = rows(cast)
        assert (left.secret.last_four, secrets) == ("efgh", 1)
        assert google(other)["source"] == "session"

    def test_a_saved_key_stays_when_signing_out(self, cast: Cast, bob: Client) -> None:
        put(bob)
        bob.post("/logout/")
        bob.post("/login/", {"username": "bob@example.org", "password": PASSWORD})
        assert google(bob)["source"] == "saved"

    def test_the_row_names_the_session_but_is_no_way_into_it(self, cast: Cast, bob: Client) -> None:
        put(bob, "session-key-abcd", sessionOnly=True)
        [[row], _] = rows(cast)
        session = bob.cookies[django_settings.SESSION_COOKIE_NAME].value
        assert session not in f"{row.session_hash}{row.auth_hash}{row.secret.ciphertext}"
        assert row.expires_at == bob.session.model.objects.get(pk=row.session_hash).expire_date  # type: ignore[attr-defined]

    def test_removing_takes_this_sessions_and_the_saved_one(self, cast: Cast, bob: Client) -> None:
        put(bob)
        put(bob, "session-key-abcd", sessionOnly=True)
        assert bob.delete(f"{URL}google/").status_code == 204
        assert rows(cast) == ([], 0)


class TestCheck:
    def check(self, client: Client) -> Any:
        return client.post(f"{URL}google/check/", content_type="application/json")

    def test_a_check_says_that_the_provider_takes_the_key(self, bob: Client, gemini: ServedGemini) -> None:
        put(bob, gemini.key)
        assert self.check(bob).json() == {"result": "ok", "message": "Google Gemini accepts this key."}

    def test_a_check_answers_in_the_members_language(self, bob: Client, gemini: ServedGemini) -> None:
        put(bob, gemini.key)
        answer = bob.post(f"{URL}google/check/", content_type="application/json", headers={"accept-language": "de"})
        assert answer.json()["message"] == "Google Gemini nimmt diesen Schlüssel an."

    def test_a_check_says_that_the_provider_refuses_the_key(self, bob: Client) -> None:
        put(bob)
        answer = self.check(bob)
        assert (answer.status_code, answer.json()["result"]) == (200, "refused")
        assert KEY not in answer.content.decode()

    def test_a_check_needs_a_key_of_ones_own(self, bob: Client) -> None:
        assert self.check(bob).status_code == 404

    def test_a_check_goes_only_to_the_address_that_the_key_was_entered_for(self, cast: Cast, bob: Client) -> None:
        put(bob)
        move(cast, "https://gateway.example")
        assert self.check(bob).status_code == 409
        assert google(bob)["key"] == {"lastFour": "wxyz", "sessionOnly": False, "stale": True}
        assert google(bob)["source"] is None

    def test_checks_are_limited_for_each_member(self, cast: Cast, bob: Client, gemini: ServedGemini) -> None:
        alice = signed_in(cast.alice)
        for client in (bob, alice):
            put(client, gemini.key)
        assert [self.check(bob).status_code for _ in range(MAX_CHECKS_PER_MINUTE + 1)] == [200] * MAX_CHECKS_PER_MINUTE + [429]
        assert self.check(alice).status_code == 200


def test_the_list_and_the_check_take_the_key_that_a_run_takes(cast: Cast, bob: Client, gemini: ServedGemini) -> None:
    """A session's key comes first, but not where it was entered for another address and the saved one fits."""
    put(bob, gemini.key)
    with allow_egress("https://models.example.com:443"):
        move(cast, "https://models.example.com")
        assert put(bob, "AIzaForAnotherAddress-0002", sessionOnly=True).status_code == 200
        assert (google(bob)["source"], google(bob)["key"]["lastFour"]) == ("session", "0002")
    move(cast, "")
    google_key = google(bob)
    assert (google_key["source"], google_key["key"]["stale"], google_key["key"]["lastFour"]) == ("saved", False, gemini.key[-4:])
    assert bob.post(f"{URL}google/check/", content_type="application/json").json()["result"] == "ok"


def test_nobody_sees_or_removes_the_key_of_another(cast: Cast, bob: Client) -> None:
    put(bob)
    alice, charlie = signed_in(cast.alice), signed_in(cast.charlie)
    assert google(alice)["key"] is None
    assert google(charlie, "/o/other/api/keys/")["key"] is None
    assert [client.delete(f"{url}google/").status_code for client, url in ((alice, URL), (charlie, "/o/other/api/keys/"))] == [404, 404]
    assert google(bob)["source"] == "saved"


def test_the_list_says_whose_key_is_used_without_one_of_ones_own(bob: Client, settings: Settings) -> None:
    settings.PROVIDER_KEYS = {"google": "platform-key"}
    response = bob.get(URL)
    assert google(bob)["source"] == "platform"
    assert "platform-key" not in response.content.decode()
