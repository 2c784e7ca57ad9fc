"""Sign-in, the start page, errors: what a person meets before an organization."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from tenants.models import Membership
from tests.support.accounts.cast import PASSWORD, Cast

BROWSER = {"Accept": "text/html"}


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True, headers=BROWSER)


def sign_in(browser: Client, email: str, password: str, path: str = "/login/") -> int:
    browser.get("/login/")
    token = browser.cookies["parley_csrf"].value
    form = {"username": email, "password": password, "csrfmiddlewaretoken": token}
    return browser.post(path, form).status_code


def test_the_login_page_has_no_inline_code(browser: Client, db: None) -> None:
    page = browser.get("/login/").content.decode()
    assert 'autocomplete="username"' in page
    assert "accounts/accounts.css" in page
    assert not re.search(r"<script(?![^>]* src=)", page)
    assert "style=" not in page


@pytest.mark.parametrize(("email", "password", "status"), [
    ("Bob@Example.org", PASSWORD, 302),
    ("bob@example.org", "wrong", 200),
    ("nobody@example.org", PASSWORD, 200),
])  # fmt: skip
def test_sign_in_by_address(email: str, password: str, status: int, browser: Client, cast: Cast) -> None:
    assert sign_in(browser, email, password) == status
    assert ("parley_session" in browser.cookies) == (status == 302)


def test_a_wrong_password_says_so_and_keeps_the_address(browser: Client, cast: Cast) -> None:
    browser.get("/login/")
    form = {"username": "bob@example.org", "password": "x", "csrfmiddlewaretoken": browser.cookies["parley_csrf"].value}
    page = browser.post("/login/", form).content.decode()
    assert "do not match" in page
    assert "bob@example.org" in page


def test_a_form_without_token_is_refused_with_our_page(browser: Client, cast: Cast) -> None:
    response = browser.post("/login/", {"username": "bob@example.org", "password": PASSWORD})
    assert response.status_code == 403
    assert "open for too long" in response.content.decode()


@pytest.mark.parametrize("user", ["bob", "charlie"])
def test_the_start_page_leads_to_the_own_organization(user: str, client: Client, cast: Cast) -> None:
    client.force_login(getattr(cast, user))
    assert client.get("/").headers["Location"] == {"bob": "/o/acme/", "charlie": "/o/other/"}[user]


def test_without_an_organization_the_start_page_says_so(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    Membership.objects.filter(user=cast.bob).update(organization=cast.other, user=cast.vera)
    page = client.get("/")
    assert page.status_code == 200
    assert "No organization yet" in page.content.decode()


def test_the_start_page_asks_strangers_to_sign_in(client: Client, db: None) -> None:
    assert client.get("/").headers["Location"] == "/login/?next=/"


def test_signing_out_is_a_post(client: Client, cast: Cast) -> None:
    client.force_login(cast.bob)
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").headers["Location"] == "/login/"
    assert client.get("/").headers["Location"] == "/login/?next=/"


def test_a_missing_page_is_ours_and_carries_the_headers(client: Client, db: None) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
