"""Codes by mail: signing in and a new password, with the same pages for addresses that nobody has."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django import Settings

from tenants.models import Session
from tests.accounts.sign_in.test_sign_in import BOB, NOBODY, text_of
from tests.support.accounts.cast import PASSWORD, Cast
from tests.support.accounts.mailbox import code_in, mails_to, newest_mail

NEW_PASSWORD = "seven green umbrellas"
ASKS = {"sign in": ("/accounts/code/", "username"), "reset": ("/accounts/password/reset/", "email")}
CONFIRMS = {"sign in": "/accounts/code/confirm/", "reset": "/accounts/password/reset/code/"}


def ask(client: Client, name: str, kind: str) -> str:
    """Ask for a code and return the page that follows."""
    path, field = ASKS[kind]
    return client.post(path, {field: name}, follow=True).content.decode()


def send_again(client: Client, kind: str) -> str:
    """Ask for one more mail and return the page that follows."""
    return client.post(CONFIRMS[kind], {"action": "resend"}, follow=True).content.decode()


@pytest.mark.parametrize("kind", ASKS)
def test_the_page_is_the_same_for_an_address_that_nobody_has(kind: str, cast: Cast) -> None:
    pages = {name: ask(Client(), name, kind) for name in (BOB, NOBODY)}
    assert "a code" in pages[BOB]
    assert text_of(pages[BOB], BOB) == text_of(pages[NOBODY], NOBODY)
    assert newest_mail(NOBODY).subject == "No account with this address"


@pytest.mark.parametrize("kind", ASKS)
def test_a_wrong_code_says_the_same_for_an_address_that_nobody_has(kind: str, cast: Cast) -> None:
    def wrong(name: str) -> list[str]:
        client = Client()
        ask(client, name, kind)
        return [text_of(client.post(CONFIRMS[kind], {"code": "WRONG"}, follow=True).content.decode(), name) for _ in range(3)]

    assert wrong(BOB) == wrong(NOBODY)


def test_a_code_signs_in_and_leads_on(client: Client, cast: Cast) -> None:
    client.post("/accounts/code/", {"username": BOB, "next": "/o/acme/c/1/"})
    mail = newest_mail(BOB)
    assert f"/accounts/code/confirm/?code={code_in(mail)}" in mail.text
    assert code_in(mail) in mail.html
    response = client.post("/accounts/code/confirm/", {"code": code_in(mail).lower(), "next": "/o/acme/c/1/"})
    assert response.headers["Location"] == "/o/acme/c/1/"
    assert Session.objects.get().user == cast.bob


def test_the_link_of_the_mail_fills_in_the_code(client: Client, cast: Cast) -> None:
    ask(client, BOB, "sign in")
    code = code_in(newest_mail(BOB))
    link = re.search(r"http://\S+", newest_mail(BOB).text)
    assert link
    assert f'value="{code}"' in client.get(link[0]).content.decode()


def test_a_code_works_only_where_it_was_asked_for(client: Client, cast: Cast) -> None:
    ask(client, BOB, "sign in")
    thief = Client()
    assert thief.post("/accounts/code/confirm/", {"code": code_in(newest_mail(BOB))}).status_code == 302
    assert not Session.objects.filter(user=cast.bob).exists()


def test_a_code_ends_after_three_wrong_tries(client: Client, cast: Cast) -> None:
    ask(client, BOB, "sign in")
    code = code_in(newest_mail(BOB))
    for _ in range(3):
        client.post("/accounts/code/confirm/", {"code": "WRONG"})
    client.post("/accounts/code/confirm/", {"code": code})
    assert not Session.objects.filter(user=cast.bob).exists()


def test_guessed_codes_count_with_guessed_passwords(client: Client, cast: Cast) -> None:
    for _ in range(3):
        client.post("/login/", {"username": BOB, "password": "wrong"})
    ask(client, BOB, "sign in")
    for _ in range(2):
        client.post("/accounts/code/confirm/", {"code": "WRONG"})
    assert "Too many attempts" in client.post("/accounts/code/confirm/", {"code": "WRONG"}, follow=True).content.decode()
    assert "Too many attempts" in Client().post("/login/", {"username": BOB, "password": PASSWORD}).content.decode()


def test_a_forgotten_password_is_replaced_and_its_sessions_end(client: Client, cast: Cast) -> None:
    elsewhere = Client()
    elsewhere.force_login(cast.bob)
    ask(client, BOB, "reset")
    client.post("/accounts/password/reset/code/", {"code": code_in(newest_mail(BOB))})
    assert "too common" in client.post("/accounts/password/reset/new/", {"password1": "password123"}).content.decode()
    response = client.post("/accounts/password/reset/new/", {"password1": NEW_PASSWORD})
    assert response.status_code == 302
    assert client.get("/o/acme/").status_code == 200
    assert elsewhere.get("/o/acme/api/conversations/").status_code == 401
    assert "Your password was reset" in [mail.subject for mail in mails_to(BOB)]
    cast.bob.refresh_from_db()
    assert cast.bob.check_password(NEW_PASSWORD)


@pytest.mark.parametrize("kind", ASKS)
def test_a_code_is_sent_again_twice_to_the_same_address(kind: str, cast: Cast) -> None:
    pages = {}
    for name in (BOB, NOBODY):
        client = Client()
        pages[name] = [ask(client, name, kind), *(send_again(client, kind) for _ in range(2))]
        assert ["Send a new code" in page for page in pages[name]] == [True, True, False]
    assert [text_of(page, BOB) for page in pages[BOB]] == [text_of(page, NOBODY) for page in pages[NOBODY]]
    assert len(mails_to(BOB)) == 3


def test_the_newest_code_for_a_new_password_is_the_one_that_works(client: Client, cast: Cast) -> None:
    ask(client, BOB, "reset")
    older = code_in(newest_mail(BOB))
    send_again(client, "reset")
    assert "not right" in client.post(CONFIRMS["reset"], {"code": older}).content.decode()
    response = client.post(CONFIRMS["reset"], {"code": code_in(newest_mail(BOB))})
    assert response.headers["Location"] == "/accounts/password/reset/new/"


def test_mails_for_a_new_password_are_limited_however_they_are_asked_for(cast: Cast) -> None:
    pages = []
    for _ in range(3):
        client = Client()
        ask(client, BOB, "reset")
        pages.append(send_again(client, "reset"))
    assert ["Too many attempts. Wait a minute" in page for page in pages] == [False, False, True]
    assert len(mails_to(BOB)) == 5


@pytest.mark.parametrize("kind", ASKS)
def test_a_try_that_asks_for_a_mail_counts_when_none_is_sent(kind: str, cast: Cast) -> None:
    client = Client()
    ask(client, BOB, kind)
    for _ in range(2):
        send_again(client, kind)
    for _ in range(4):
        Client().post("/login/", {"username": BOB, "password": "wrong"})
    answers = [client.post(CONFIRMS[kind], {"action": "resend", "code": "WRONG"}, follow=True).content.decode() for _ in range(2)]
    assert ["Too many attempts" in answer for answer in answers] == [False, True]


def test_mails_to_one_address_are_limited(cast: Cast) -> None:
    for _ in range(5):
        ask(Client(), BOB, "sign in")
    assert len(mails_to(BOB)) == 3


def test_without_redis_no_code_is_sent_and_the_page_says_so(client: Client, cast: Cast, settings: Settings) -> None:
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere/redis.sock"}}
    response = client.post("/accounts/code/", {"username": BOB}, headers={"Accept": "text/html"})
    assert response.status_code == 503
    assert "sign in with your password" in response.content.decode()
    assert mails_to(BOB) == []
