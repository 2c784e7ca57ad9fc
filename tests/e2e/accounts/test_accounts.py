"""Signing in, in a browser: passkeys, an authenticator app, a new account and a forgotten password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import Browser, Page, expect

from accounts.sign_in.demo_logins import OPERATOR_LOGIN
from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.browser import PageProblems
from tests.e2e.layout import is_too_wide
from tests.e2e.pages import ChatPage, sign_in
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.accounts.cast import PASSWORD
from tests.support.system.product import Product

VERA = "vera@example.org"
FRANK = "frank@example.org"  # of no other test, because a new password ends his sessions
BOB = "bob@example.org"
LINE_PX = 30  # one line of text, and not two


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


def add_authenticator_device(page: Page, *, is_used_at_once: bool = True) -> None:
    """A device with passkeys in this window, which recognizes its owner."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": is_used_at_once,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def confirm(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()


def newest_mail(browser: Browser, place: str, address: str) -> str:
    """Its text, from the operator's mail box."""
    with window(browser, place) as page:
        page.goto("/login/")
        sign_in(page, *OPERATOR_LOGIN[:2])
        page.goto("/operator/accounts/outgoingmail/")
        page.get_by_role("row").filter(has_text=address).get_by_role("link").first.click()
        return page.locator("pre.parley-mail").inner_text()


def newest_code(browser: Browser, place: str, address: str) -> str:
    code = re.search(r"^    (\S+)$", newest_mail(browser, place, address), re.MULTILINE)
    assert code
    return code[1]


def app_code(secret: str) -> str:
    """What an authenticator app shows now."""
    _, now, _ = yield_hotp_counters_from_time()
    return str(format_hotp_value(hotp_value(secret, now)))


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

        page.goto("/login/?next=/accounts/sessions/")  # nothing is clicked: the browser offers the passkey, and this device takes it
        expect(page.get_by_role("heading", name="Devices")).to_be_visible()
        page.context.clear_cookies()
        page.add_init_script("delete window.PublicKeyCredential?.isConditionalMediationAvailable")  # a browser that offers none

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


def test_a_sign_in_page_that_stays_open_offers_passkeys_with_a_new_challenge(browser: Browser, place: str) -> None:
    with window(browser, place) as page:
        add_authenticator_device(page, is_used_at_once=False)
        page.clock.install()
        with page.expect_response("**/accounts/passkey/") as first:
            page.goto("/login/")
        with page.expect_response("**/accounts/passkey/") as second:
            page.clock.fast_forward("11:00")
        challenges = {response.value.json()["request_options"]["publicKey"]["challenge"] for response in (first, second)}
        assert len(challenges) == 2


def test_passkeys_are_offered_again_after_the_server_gave_no_new_challenge(browser: Browser, place: str) -> None:
    with window(browser, place) as page:
        add_authenticator_device(page, is_used_at_once=False)
        page.clock.install()
        with page.expect_response("**/accounts/passkey/"):
            page.goto("/login/")
        page.route("**/accounts/passkey/", lambda route: route.fulfill(status=503), times=1)
        with page.expect_response("**/accounts/passkey/") as error_response:
            page.clock.fast_forward("11:00")
        assert error_response.value.status == 503
        page.get_by_label("E-mail").blur()
        with page.expect_response("**/accounts/passkey/") as new_response:
            page.get_by_label("E-mail").focus()
        assert new_response.value.json()["request_options"]


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
        page.get_by_label("E-mail").fill(FRANK)
        page.get_by_role("button", name="Continue").click()
        page.get_by_role("button", name="Forgot password?").click()
        expect(page.get_by_role("heading", name="Look into your mail")).to_be_visible()
        page.get_by_role("button", name="Send a new code").click()
        expect(page.get_by_text("The mail is on its way again.")).to_be_visible()
        expect(page.get_by_text(FRANK)).to_be_visible()  # as it was typed before
        assert violations(page) == []
        shot(page, "forgotten")
        page.get_by_label("Code").fill(newest_code(browser, place, FRANK))
        page.get_by_role("button", name="Continue").click()
        page.get_by_label("New password").fill(PASSWORD)  # the same again, for the tests that follow
        page.get_by_role("button", name="Save and sign in").click()
        expect(page).to_have_url(re.compile("/o/other/"))


NORA = "nora@northwind.example"


def make_organization(browser: Browser, place: str) -> None:
    """As README's first steps say: the operator makes it, and invites its owner."""
    with window(browser, place) as page:
        page.goto("/login/")
        sign_in(page, *OPERATOR_LOGIN[:2])
        page.goto("/operator/tenants/organization/add/")
        page.get_by_label("Name").fill("Northwind")
        page.get_by_label("Invite an owner").fill(NORA)
        expect(page.get_by_label("Address")).to_have_value("northwind")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("link", name="Northwind").first).to_be_visible()
        page.goto("/operator/accounts/outgoingmail/")
        assert violations(page) == []
        page.get_by_role("button", name="Check the mail server").click()
        expect(page.get_by_text("No mail server is set: EMAIL_URL is empty.")).to_be_visible()


def join(browser: Browser, place: str, page: Page) -> None:
    """By the link of the mail, with a new account whose address is confirmed by a code."""
    link = re.search(r"https?://[^/]+(/invitation/\S+)", newest_mail(browser, place, NORA))
    assert link
    page.goto(link[1])
    expect(page.get_by_role("heading", name="You are invited to Northwind")).to_be_visible()
    page.get_by_role("link", name="Create account").click()
    page.get_by_label("Your name").fill("Nora")
    page.get_by_label("E-mail").fill(NORA)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    assert violations(page) == []
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("heading", name="Confirm your address")).to_be_visible()
    page.get_by_label("Code").fill(newest_code(browser, place, NORA))
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Join Northwind").click()
    expect(page).to_have_url(re.compile("/o/northwind/"))


def add_app(page: Page) -> str:
    """Set an authenticator app up; return a recovery code."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/accounts/")
    page.get_by_role("link", name="Set up").click()
    confirm(page)
    expect(page.get_by_role("heading", name="Set up an authenticator app")).to_be_visible()
    assert violations(page) == []
    secret = page.locator("[data-secret]").inner_text()
    page.set_viewport_size({"width": 320, "height": 640})
    assert not is_too_wide(page)
    assert page.get_by_role("button", name="Copy").evaluate("button => button.getClientRects()[0].height") < LINE_PX
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    page.get_by_label("Code").fill(app_code(secret))
    page.get_by_role("button", name="Turn on").click()
    codes = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    code = codes.first.inner_text()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    lines = "\n".join(codes.all_inner_texts())
    assert page.evaluate("navigator.clipboard.readText()") == lines
    with page.expect_download() as download:
        page.get_by_role("link", name="Save as a file").click()
    assert (download.value.suggested_filename, download.value.path().read_text()) == ("parley-recovery-codes.txt", f"{lines}\n")
    assert violations(page) == []
    page.get_by_role("link", name="I have saved them").click()
    return code


def delete_and_keep(page: Page) -> None:
    page.goto("/o/northwind/admin/tenants/organization/")
    page.get_by_label("Type Northwind to delete it").fill("Northwind")
    page.locator("#delete_form").get_by_role("button").click()
    expect(page.get_by_text("This organization will be deleted on")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Keep the organization").click()
    expect(page.get_by_text("The organization stays.")).to_be_visible()


def test_an_owner_comes_in_by_the_operators_mail_and_ends_a_lost_device(browser: Browser, place: str) -> None:
    make_organization(browser, place)
    with window(browser, place) as page, window(browser, place) as phone:
        join(browser, place, page)
        recovery_code = add_app(page)
        phone.goto("/login/")
        sign_in(phone, NORA)
        phone.get_by_label("Code").fill(recovery_code)
        phone.get_by_role("button", name="Sign in").click()
        expect(phone.get_by_role("textbox", name="Message", exact=True)).to_be_visible()
        page.goto("/accounts/sessions/")
        assert violations(page) == []
        page.get_by_role("button", name="Sign out everywhere else").click()
        expect(phone).to_have_url(re.compile("/login/"))  # nothing was clicked there
        delete_and_keep(page)
