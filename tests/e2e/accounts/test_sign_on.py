"""Single sign-on in a browser, with a real OpenID provider: an owner sets it up, people come in, and it ends."""

from __future__ import annotations

import json
import re
import secrets
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import psycopg
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.accounts.test_accounts import add_authenticator_device, confirm
from tests.e2e.browser import PageProblems
from tests.e2e.pages import sign_in
from tests.e2e.pictures import picture
from tests.support.accounts.cast import PASSWORD
from tests.support.accounts.openid_provider import CLIENT_ID, CLIENT_SECRET, PASSWORD as PROVIDER_PASSWORD, OpenIdProvider, openid_provider
from tests.support.system.product import Product

ADMIN = "/o/kestrel/admin/accounts/signon/"
PEOPLE = {"dana@kestrel.example": "Dana", "erik@kestrel.example": "Erik"}
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


@pytest.fixture
def organization_id(product: Product) -> str:
    with psycopg.connect(product.env["DATABASE_SYSTEM_URL"]) as connection:
        row = connection.execute("select id from tenants_organization where slug = 'kestrel'").fetchone()
    assert row
    return str(row[0])


@pytest.fixture
def provider(product: Product, openid_port: int, organization_id: str, tmp_path: Path) -> Iterator[OpenIdProvider]:
    back = f"{product.url}/sso/{organization_id}/callback/"
    with openid_provider(
        tmp_path / "openid", openid_port, redirect_uri=back, after_logout=f"{product.url}/login/", people=PEOPLE
    ) as running:
        yield running


@contextmanager
def window(browser: Browser, place: str, provider: OpenIdProvider) -> Iterator[Page]:
    """A fresh window; it must stay free of problems. The provider's pages are the only foreign ones."""
    with browser.new_context(base_url=place, reduced_motion="reduce", viewport={"width": 1440, "height": 1240}) as context:
        watch = PageProblems(context, place)
        yield context.new_page()
        assert [problem for problem in watch.problems if provider.url not in problem] == []


def enter_at_provider(page: Page, email: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password").fill(PROVIDER_PASSWORD)
    page.get_by_role("button", name="Sign In").click()


def come_in(page: Page, email: str) -> None:
    """From the ordinary sign-in page: the address leads to the organization's provider."""
    page.goto("/login/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Continue with Kestrel").click()


def home(page: Page) -> None:
    expect(page).to_have_url(re.compile("/o/kestrel/"))
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_be_visible()


def set_up(page: Page, provider: OpenIdProvider) -> None:
    """As an owner: provider, domain, rules and a test."""
    page.goto(ADMIN)
    page.get_by_label("Discovery address").fill(f"{provider.url}/.well-known/openid-configuration")
    page.get_by_label("Client ID").fill(CLIENT_ID)
    page.get_by_label("Client secret").fill(CLIENT_SECRET)
    page.get_by_label("Secret expires on").fill(f"{datetime.now(UTC) + timedelta(days=5):%Y-%m-%d}")
    page.get_by_label("Signing out of Parley also signs out at the provider").check()
    page.get_by_role("form", name="1. Identity provider").get_by_role("button", name="Save").click()
    expect(page.get_by_text("issuer, 1 signing key, sign-out")).to_be_visible()
    expect(page.get_by_text("The client secret expires in 5 days.")).to_be_visible()

    expect(page.get_by_text("by the platform's operator. 2 members")).to_be_visible()  # kestrel.example, of seed_cast
    page.get_by_label("Domain", exact=True).fill("kestrel.test")
    page.get_by_role("button", name="Add domain").click()
    expect(page.get_by_label("TXT record for kestrel.test")).to_have_value(re.compile('^_parley.kestrel.test TXT "parley-domain='))

    rules = page.get_by_role("form", name="3. Roles and groups")
    for value, role in {"it-*": "Admin", "ops": "Member"}.items():
        rules.get_by_label("If the claim has").last.fill(value)
        rules.get_by_label("Role", exact=True).last.select_option(role)
        rules.get_by_role("button", name="Add a rule").click()
    rules.get_by_role("button", name="Move up").nth(1).click()
    rules.get_by_label("Role of anybody else").select_option("Viewer")
    with page.expect_navigation():  # "Saved." is there already, for the domain
        rules.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    expect(rules.get_by_label("If the claim has").first).to_have_value("ops")
    assert violations(page) == []
    picture(page, "sign-on-light")


def try_it(page: Page, provider: OpenIdProvider) -> None:
    provider.put_into("erik@kestrel.example", "ops")
    page.get_by_role("button", name="Test sign-in").click()
    enter_at_provider(page, "erik@kestrel.example")
    expect(page.get_by_role("img", name="Passed")).to_have_count(5)
    page.get_by_text("Claims received").click()
    expect(page.get_by_text("erik@kestrel.example").first).to_be_visible()
    assert violations(page) == []


def add_passkey(page: Page) -> None:
    page.goto("/accounts/")
    page.get_by_role("link", name="Add a passkey").click()
    confirm(page)
    page.get_by_label("Name").fill("Erik's key")
    page.get_by_role("button", name="Add").click()
    page.get_by_role("link", name="I have saved them").click()
    expect(page.get_by_text("Erik's key")).to_be_visible()


def logout_by_provider(product: Product, provider: OpenIdProvider, organization_id: str, subject: str) -> None:
    """What a provider sends when somebody signs out there. The library's provider knows the other direction only."""
    with urllib.request.urlopen(f"{provider.url}/.well-known/jwks.json") as answer:
        key_id = json.load(answer)["keys"][-1]["kid"]
    now = int(time.time())
    claims = {"iss": provider.url, "aud": CLIENT_ID, "iat": now, "exp": now + 120, "sub": subject, "jti": secrets.token_hex(8)}
    token = jwt.encode({**claims, "events": {LOGOUT_EVENT: {}}}, provider.keys[-1], algorithm="RS256", headers={"kid": key_id})
    body = urllib.parse.urlencode({"logout_token": token}).encode()
    with urllib.request.urlopen(f"{product.url}/sso/{organization_id}/logout/", body) as answer:
        assert answer.status == 200


def subject_of(context: BrowserContext, product: Product) -> str:
    with psycopg.connect(product.env["DATABASE_SYSTEM_URL"]) as connection:
        query = "select subject from accounts_signonidentity i join tenants_membership m on m.id = i.membership_id "
        query += "join tenants_user u on u.id = m.user_id where u.email = 'dana@kestrel.example'"
        row = connection.execute(query).fetchone()
    assert row
    return str(row[0])


def test_a_company_signs_in_by_its_own_provider(browser: Browser, product: Product, provider: OpenIdProvider, organization_id: str) -> None:
    place = product.url
    with window(browser, place, provider) as erik, window(browser, place, provider) as dana, window(browser, place, provider) as phone:
        erik.goto("/login/")
        sign_in(erik, "erik@kestrel.example")
        expect(erik).to_have_url(re.compile("/o/kestrel/"))
        set_up(erik, provider)
        try_it(erik, provider)

        come_in(dana, "dana@kestrel.example")
        enter_at_provider(dana, "dana@kestrel.example")
        home(dana)
        dana.goto(ADMIN)
        expect(dana.get_by_role("heading", name="Page not found")).to_be_visible()  # a viewer

        provider.put_into("dana@kestrel.example", "it-platform")
        provider.rotate_key()
        come_in(phone, "dana@kestrel.example")
        enter_at_provider(phone, "dana@kestrel.example")
        home(phone)
        phone.goto("/accounts/")
        expect(phone.get_by_text("This is the only way into your account.")).to_be_visible()
        expect(phone.get_by_role("button", name="Disconnect Kestrel")).to_be_disabled()
        assert violations(phone) == []
        phone.goto("/o/kestrel/admin/")  # an admin now
        expect(phone.get_by_role("link", name="Members").first).to_be_visible()

        logout_by_provider(product, provider, organization_id, subject_of(dana.context, product))
        for page in (dana, phone):
            page.goto("/o/kestrel/")
            expect(page).to_have_url(re.compile("/login/"))

        # Still signed in at the provider: it lets her in at once, until she signs out of both.
        come_in(dana, "dana@kestrel.example")
        home(dana)
        dana.get_by_role("button", name="settings and sign out").click()
        dana.get_by_role("menuitem", name="Sign out").click()
        expect(dana).to_have_url(re.compile("/login/"))
        come_in(dana, "dana@kestrel.example")
        expect(dana.get_by_role("button", name="Sign In")).to_be_visible()

    parley = place.replace("127.0.0.1", "parley.localhost")  # passkeys need a name
    with window(browser, parley, provider) as owner, window(browser, place, provider) as petra:
        petra.goto("/login/")
        petra.get_by_label("E-mail").fill("petra@kestrel.example")
        petra.get_by_role("button", name="Continue").click()
        petra.get_by_label("Password").fill(PASSWORD)
        petra.get_by_role("button", name="Sign in with a password").click()
        home(petra)
        add_authenticator_device(owner)
        owner.goto("/login/")
        owner.get_by_label("E-mail").fill("erik@kestrel.example")
        owner.get_by_role("button", name="Continue").click()
        owner.get_by_label("Password").fill(PASSWORD)
        owner.get_by_role("button", name="Sign in with a password").click()
        home(owner)
        add_passkey(owner)
        owner.goto(ADMIN)
        requirement = owner.get_by_role("form", name="5. Require it")
        requirement.get_by_text("Required for members of proven domains").click()
        requirement.get_by_label("Way in when sign-on is down").select_option("Erik (owner, passkey)")
        requirement.get_by_role("button", name="Save").click()
        expect(owner.locator(".sso-badge").first).to_have_text("Required")
        # Her password no longer opens it: the socket of her open page is closed, and the page loads itself again.
        expect(petra.get_by_text("Kestrel asks everybody to sign in with its own sign-on.")).to_be_visible()
        assert violations(petra) == []
        owner.context.clear_cookies()
        owner.goto("/login/?next=/o/kestrel/")  # the browser offers the passkey, and the device takes it
        home(owner)
