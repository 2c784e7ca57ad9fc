"""Signing in by a passkey: what a challenge costs, how long it is good, and how often."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tenants.models import Session
from tests.support.accounts.cast import Cast
from tests.support.accounts.passkeys import Passkey

SIGN_IN = "/accounts/passkey/"


def challenge_of(browser: Client) -> str:
    """What the sign-in page asks for at each visit."""
    page = browser.get("/login/", secure=True)
    assert 'autocomplete="username webauthn"' in page.content.decode()
    answer = browser.get(SIGN_IN, headers={"Accept": "application/json"}, secure=True)
    challenge: str = answer.json()["request_options"]["publicKey"]["challenge"]
    return challenge


def answer_to(browser: Client, credential: str) -> str:
    """What the page says to it, empty after signing in."""
    response = browser.post(f"{SIGN_IN}?next=/o/acme/", {"credential": credential}, follow=True, secure=True)
    if response.wsgi_request.user.is_authenticated:
        return ""
    assert response.redirect_chain[0][0] == "/login/?next=%2Fo%2Facme%2F"
    text = response.content.decode()
    return next(reason for reason in ("That took too long.", "The passkey was not used.") if reason in text)


@pytest.fixture
def passkey(cast: Cast) -> Passkey:
    new_passkey = Passkey(cast.bob)
    new_passkey.register()
    return new_passkey


def test_a_visit_leaves_no_session_and_a_sign_in_leaves_one(passkey: Passkey) -> None:
    before = Session.objects.count()
    for _ in range(3):
        challenge_of(Client())
    browser = Client()
    challenge = challenge_of(browser)
    assert Session.objects.count() == before
    assert answer_to(Client(), passkey.answer(challenge)) == "That took too long."
    assert Session.objects.count() == before
    assert answer_to(browser, passkey.answer(challenge)) == ""
    assert Session.objects.count() == before + 1


def test_a_challenge_is_used_once(passkey: Passkey) -> None:
    browser = Client()
    credential = passkey.answer(challenge_of(browser))
    cookies = dict(browser.cookies)
    assert answer_to(browser, credential) == ""
    again = Client()
    again.cookies["parley_passkey"] = cookies["parley_passkey"].value
    assert answer_to(again, credential) == "That took too long."


def test_a_challenge_is_of_one_browser(passkey: Passkey) -> None:
    browser, other = Client(), Client()
    credential = passkey.answer(challenge_of(browser))
    challenge_of(other)
    assert answer_to(other, credential) == "That took too long."
    assert answer_to(browser, credential) == ""


def test_each_tab_has_a_challenge_of_its_own(passkey: Passkey) -> None:
    browser = Client()
    first, second = challenge_of(browser), challenge_of(browser)
    assert first != second
    assert answer_to(browser, passkey.answer(first)) == ""


def test_a_challenge_ends_after_a_quarter_of_an_hour(passkey: Passkey, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Client()
    challenge = challenge_of(browser)
    later = (timezone.now() + timedelta(minutes=16)).timestamp()
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert answer_to(browser, passkey.answer(challenge)) == "That took too long."


def test_a_passkey_that_is_not_known_is_told_so(passkey: Passkey, cast: Cast) -> None:
    """It was removed from the account, and not from the device; or its answer is not signed by it."""
    browser = Client()
    assert answer_to(browser, Passkey(cast.bob).answer(challenge_of(browser))) == "The passkey was not used."
    made_up = Client()
    assert answer_to(made_up, passkey.answer("bWFkZSB1cCBjaGFsbGVuZ2U")) == "That took too long."
