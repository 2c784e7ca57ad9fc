"""A proof before a dangerous act: the page asks inside itself, and nothing that was typed is lost."""

from __future__ import annotations

import re

import psycopg
from playwright.sync_api import expect

from tenants.authentication.session_proof import METHODS
from tenants.authentication.sessions import SessionStore
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit, sign_in
from tests.support.accounts.cast import PASSWORD
from tests.support.system.product import Product

STORE = SessionStore()
ASKING = re.compile("Confirm it.s you")  # the chat has a typographic apostrophe
VERA = "vera@example.org"
CHARLIE = "charlie@example.org"  # no other test needs a proof of these two


def age_proofs(product: Product, email: str) -> None:
    """This user's sessions proved who they are 16 minutes earlier."""
    with psycopg.connect(product.env["DATABASE_AUTH_URL"]) as connection:
        sessions = "select session_key, session_data from tenants_session s join tenants_user u on u.id = s.user_id where email = %s"
        for key, text in connection.execute(sessions, [email]).fetchall():
            data = STORE.decode(text)  # signed with the key of these tests
            data[METHODS] = [{**step, "at": step["at"] - 16 * 60} for step in data.get(METHODS, [])]
            connection.execute("update tenants_session set session_data = %s where session_key = %s", [STORE.encode(data), key])


def test_making_a_token_asks_for_the_password_in_the_page(visit: Visit, product: Product) -> None:
    chat: ChatPage = visit(None)
    page = chat.page
    page.goto("/login/")
    sign_in(page, VERA)
    page.wait_for_url("/o/*/")
    age_proofs(product, VERA)
    tokens = chat.settings("API tokens")
    tokens.get_by_role("button", name="New token").click()
    tokens.get_by_label("Name").fill("Nightly report")
    tokens.get_by_role("button", name="Create token").click()

    asking = page.get_by_role("dialog", name=ASKING)
    asking.get_by_role("button", name="Cancel").click()
    expect(tokens.get_by_text("Confirm that it's you, then try again.")).to_be_visible()
    expect(tokens.get_by_label("Name")).to_have_value("Nightly report")

    tokens.get_by_role("button", name="Create token").click()
    asking.get_by_label("Password").fill("not mine")
    asking.get_by_role("button", name="Continue").click()
    expect(asking.get_by_role("alert")).to_contain_text("This is not your password.")
    assert violations(page) == []
    asking.get_by_label("Password").fill(PASSWORD)
    asking.get_by_role("button", name="Continue").click()
    expect(tokens.get_by_role("region", name="The new token Nightly report")).to_be_visible()


def test_an_admin_page_asks_before_a_secret_is_sent(visit: Visit, product: Product) -> None:
    page = visit(None).page
    page.goto("/login/?next=/o/other/admin/security/registeredsecret/add/")
    sign_in(page, CHARLIE)
    page.get_by_label("Name").fill("api")
    age_proofs(product, CHARLIE)
    page.get_by_label("Tool").fill("http")
    page.get_by_label("Address").fill("https://api.example")
    page.get_by_label("Secret").fill("a-secret-that-nobody-knows")
    page.get_by_role("button", name="Save", exact=True).click()
    asking = page.get_by_role("dialog", name=ASKING)
    asking.get_by_label("Password").fill("not mine")
    asking.get_by_role("button", name="Continue").click()
    expect(asking.get_by_role("alert")).to_contain_text("This is not your password.")
    assert violations(page) == []
    asking.get_by_label("Password").fill(PASSWORD)
    asking.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("row", name=re.compile("api"))).to_contain_text("set, ends in nows")
