"""The front door in a browser: passkeys, an authenticator app, a new account and a forgotten password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from accounts.sign_in.demo import OPERATOR_LOGIN
from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.browser import PageProblems
from tests.e2e.pages import ChatPage, sign_in
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.cast import PASSWORD
from tests.support.product import Product

VERA = "vera@example.org"
BOB = "bob@example.org"


@pytest.fixture
def place(product: Product) -> str:
    """Passkeys need a name, which an address in numbers is not."""
    return product.url.replace("127.0.0.1", "parley.localhost")


@contextmanager
def window(browser: Browser, place: str) -> Iterator[Page]:
    """A fresh window; it must stay free of problems."""
    with browser.new_context(base_url=place, reduced_motion="reduce") as context:
        watch = PageProblems(context, place)
        yield context.new_page()
        assert watch.problems == []


def add_authenticator_device(page: Page) -> None:
    """A device with passkeys in this window, which always recognizes its owner."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def newest_code(browser: Browser, place: str, address: str) -> str:
    """From the operator's mail box."""
    with window(browser, place) as page:
        page.goto("/login/")
        sign_in(page, *OPERATOR_LOGIN[:2])
        page.goto("/operator/accounts/outgoingmail/")
        page.get_by_role("row").filter(has_text=address).get_by_role("link").first.click()
        code = re.search(r"^    (\S+)$", page.locator("pre.parley-mail").inner_text(), re.MULTILINE)
        assert code
        return code[1]


def test_a_passkey_is_added_signs_in_and_is_removed(browser: Browser, place: str) -> None:
    with window(browser, place) as page:
        add_authenticator_device(page)
        page.goto("/login/")
        sign_in(page, VERA)
        expect(page).to_have_url(re.compile("/o/acme/"))
        page.goto("/accounts/")
        page.get_by_role("link", name="Add a passkey").click()
        confirm(page)
        page.get_by_label("Name").fill("Vera's laptop")
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("list", name="Recovery codes").get_by_role("listitem")).to_have_count(10)
        assert violations(page) == []
        page.get_by_role("link", name="I have saved them").click()
        expect(page.get_by_text("Vera's laptop")).to_be_visible()
        assert violations(page) == []
        page.context.clear_cookies()

        page.goto("/login/?next=/accounts/sessions/")
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_role("heading", name="Devices")).to_be_visible()
        page.context.clear_cookies()

        page.goto("/login/")
        sign_in(page, VERA)
        expect(page.get_by_role("heading", name="One more step")).to_be_visible()
        assert violations(page) == []
        page.get_by_role("button", name="Use a passkey").click()
        expect(page).to_have_url(re.compile("/o/acme/"))

        page.goto("/accounts/")
        page.get_by_role("link", name="Remove").click()
        page.get_by_role("button", name="Use a passkey").or_(page.get_by_label("Password")).first.wait_for()
        confirm(page)
        page.get_by_role("button", name="Remove").click()
        expect(page.get_by_text("Vera's laptop")).to_have_count(0)


def test_the_chat_answers_at_the_name_that_passkeys_need(browser: Browser, place: str, model: ScriptedProvider) -> None:
    model.answer_chat(Text("The assistant."))
    with window(browser, place) as page:
        page.goto("/login/")
        sign_in(page, BOB)
        expect(page).to_have_url(re.compile("/o/acme/"))
        chat = ChatPage(page)
        chat.ask("Who are you?")
        expect(chat.answer).to_contain_text("The assistant.")


def test_a_forgotten_password_is_replaced_by_a_code_from_the_mail(browser: Browser, place: str) -> None:
    with window(browser, place) as page:
        page.goto("/login/")
        page.get_by_label("E-mail").fill("charlie@example.org")
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("link", name="Forgot it?").click()
        page.get_by_label("E-mail").fill("charlie@example.org")
        page.get_by_role("button", name="Send the code").click()
        expect(page.get_by_role("heading", name="Look into your mail")).to_be_visible()
        page.get_by_label("Code").fill(newest_code(browser, place, "charlie@example.org"))
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("New password").fill(PASSWORD)  # the same again, for the tests that follow
        page.get_by_role("button", name="Save and sign in").click()
        expect(page).to_have_url(re.compile("/o/other/"))
