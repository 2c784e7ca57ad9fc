"""Signing in by password: two steps, the same for everybody, and a trace (SECURITY 19)."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from structlog.testing import capture_logs

from accounts.sign_in.demo_logins import DEMO_LOGIN
from security.models import AuditEvent
from tenants.context import tenant_tx
from tenants.models import Membership, Session
from tests.support.accounts.cast import PASSWORD, Cast

BOB = "bob@example.org"
NOBODY = "nobody@example.org"


def answer(name: str, password: str, browser: Client | None = None) -> str:
    """What the page says, empty after signing in."""
    response = (browser or Client()).post("/login/", {"username": name, "password": password})
    return "" if response.status_code == 302 else response.content.decode()


def text_of(page: str, name: str) -> str:
    """The page without what differs by itself: the address that was typed, and the token against forged requests."""
    return re.sub(r'(?<=name="csrfmiddlewaretoken" value=")\w+', "", page).replace(name, "ADDRESS")


def test_the_first_step_asks_for_the_address_only(client: Client, db: None) -> None:
    page = client.get("/login/").content.decode()
    assert 'name="username"' in page
    assert 'name="password"' not in page
    assert "Parley is the AI workspace of your company" in page


def test_people_behind_one_address_are_all_offered_their_passkeys(db: None) -> None:
    """Each visit of the page asks what a passkey shall sign, of which no two browsers get the same."""
    answers = [Client().get("/accounts/passkey/", headers={"Accept": "application/json"}) for _ in range(30)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["request_options"]["publicKey"]["challenge"] for answer in answers}) == 30


def test_the_second_step_is_the_same_for_an_account_that_does_not_exist(client: Client, cast: Cast) -> None:
    pages = {name: client.post("/login/", {"username": name}).content.decode() for name in (BOB, NOBODY)}
    assert 'name="password"' in pages[BOB]
    assert text_of(pages[BOB], BOB) == text_of(pages[NOBODY], NOBODY)


def test_a_wrong_password_says_the_same_as_no_account(cast: Cast) -> None:
    assert "do not match" in answer(BOB, "wrong")
    assert text_of(answer(BOB, "wrong"), BOB) == text_of(answer(NOBODY, "wrong"), NOBODY)


@pytest.mark.parametrize(("name", "says"), [("", "Enter your e-mail address."), ("bob", "Enter a whole e-mail address")])
def test_an_address_that_is_none_is_told(name: str, says: str, client: Client, db: None) -> None:
    assert says in client.post("/login/", {"username": name}).content.decode()
    assert says in client.post("/login/", {"username": name, "password": "x"}).content.decode()


def test_an_empty_password_is_asked_for(cast: Cast) -> None:
    assert "Enter your password." in answer(BOB, "")


@pytest.mark.parametrize("name", [BOB, "BOB@Example.org", f" {BOB} "])
def test_the_address_counts_in_any_spelling(name: str, cast: Cast) -> None:
    assert answer(name, PASSWORD) == ""


@pytest.mark.parametrize(("remember", "ends_with_browser"), [({"remember": "on"}, False), ({}, True)])
def test_whether_the_device_stays_signed_in_is_chosen(
    remember: dict[str, str], ends_with_browser: bool, client: Client, cast: Cast
) -> None:
    client.post("/login/", {"username": BOB, "password": PASSWORD, **remember})
    assert (client.cookies["parley_session"]["max-age"] == "") == ends_with_browser


def test_a_session_from_before_the_sign_in_is_not_taken_over(client: Client, cast: Cast) -> None:
    client.force_login(cast.vera)
    before = client.cookies["parley_session"].value
    client.post("/logout/")
    client.cookies["parley_session"] = before
    assert answer(BOB, PASSWORD, client) == ""
    assert client.cookies["parley_session"].value != before
    assert Session.objects.get().user == cast.bob


def test_signing_in_leads_to_the_page_that_was_asked_for_but_to_no_other_site(cast: Cast) -> None:
    form = {"username": BOB, "password": PASSWORD}
    assert Client().post("/login/", {**form, "next": "/o/acme/c/1/"}).headers["Location"] == "/o/acme/c/1/"
    assert Client().post("/login/", {**form, "next": "https://evil.example/"}).headers["Location"] == "/"
    assert 'value="/o/acme/c/1/"' in Client().post("/login/", {"username": BOB, "next": "/o/acme/c/1/"}).content.decode()


def test_a_deactivated_account_is_told_after_its_password_only(client: Client, cast: Cast) -> None:
    cast.bob.is_active = False
    cast.bob.save()
    assert "do not match" in answer(BOB, "wrong")
    response = client.post("/login/", {"username": BOB, "password": PASSWORD}, follow=True)
    assert "This account is deactivated" in response.content.decode()
    assert not Session.objects.filter(user=cast.bob).exists()


def test_the_demo_shows_its_logins_and_fills_them_in(client: Client, settings: object, db: None) -> None:
    assert DEMO_LOGIN.email not in client.get("/login/").content.decode()
    settings.DEMO_PROVIDER_URL = "http://127.0.0.1:1"  # type: ignore[attr-defined]
    assert DEMO_LOGIN.email in client.get("/login/").content.decode()
    assert f'value="{DEMO_LOGIN.password}"' in client.post("/login/", {"username": DEMO_LOGIN.email}).content.decode()


def test_a_sign_in_is_in_the_audit_log_of_each_organization(cast: Cast) -> None:
    Membership.objects.create(user=cast.bob, organization=cast.other)
    assert answer(BOB, PASSWORD) == ""
    for organization in (cast.acme, cast.other):
        with tenant_tx(organization.id):
            event = AuditEvent.objects.get(action="user.sign_in")
            assert (event.actor_user_id, event.object_id) == (cast.bob.pk, str(cast.bob.pk))


def test_the_log_names_neither_the_person_nor_the_password(cast: Cast) -> None:
    with capture_logs() as logs:
        for _ in range(7):
            answer(BOB, "wrong")
        answer("vera@example.org", PASSWORD)
    assert {line["event"] for line in logs} >= {"sign_in_failed", "sign_in_refused", "signed_in"}
    assert "bob" not in str(logs).lower()
    assert "wrong" not in str(logs)
    assert PASSWORD not in str(logs)
