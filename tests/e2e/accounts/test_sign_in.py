"""The way in and out."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from accounts.sign_in.demo_logins import DEMO_LOGIN
from tests.e2e.pages import Visit, sign_in
from tests.support.accounts.cast import PASSWORD

ALICE = "alice@example.org"


def test_a_wrong_password_is_told_and_the_right_one_leads_to_the_organization(visit: Visit) -> None:
    page = visit(None).page
    page.goto("/")
    sign_in(page, ALICE, "wrong")
    expect(page.get_by_role("alert")).to_contain_text("do not match")
    expect(page.get_by_label("E-mail")).to_have_value(ALICE)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url("/o/acme/")
    expect(page.get_by_role("navigation", name="Conversations")).to_contain_text("Acme")
    expect(page).to_have_title(re.compile(r"^(\(\d+\) )?Acme$"))  # how many answers are unread may stand before it


def test_signing_in_returns_to_the_page_that_was_asked_for(visit: Visit) -> None:
    page = visit(None).page
    path = "/o/acme/c/6f9619ff-8b86-4d01-b42d-00cf4fc964ff/"
    page.goto(path)
    sign_in(page, ALICE)
    expect(page).to_have_url(path)


def test_signing_out_ends_the_session(visit: Visit) -> None:
    chat = visit(None)
    chat.open()
    sign_in(chat.page, "charlie@example.org")
    expect(chat.page.get_by_role("heading", name="Page not found")).to_be_visible()
    chat.page.goto("/o/other/")
    chat.page.get_by_role("button", name="settings and sign out").click()
    chat.page.get_by_role("menuitem", name="Sign out").click()
    expect(chat.page).to_have_url("/login/")
    chat.page.goto("/o/other/")
    expect(chat.page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_demo_fills_in_its_logins(visit: Visit) -> None:
    page = visit(None).page
    page.goto("/login/")
    page.get_by_role("button", name=DEMO_LOGIN.email).click()
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url("/o/demo/")


def test_all_pages_have_the_mark_and_one_typeface(visit: Visit) -> None:
    chat = visit().open()
    expect(chat.composer).to_be_visible()
    expect(chat.sidebar.get_by_text("Parley", exact=True)).to_be_visible()
    expect(chat.page.get_by_role("complementary").or_(chat.sidebar).locator("svg").first).to_be_visible()
    faces = [face(chat.page)]
    nobody = visit(None).page
    for path in ("/login/", "/nothing-here/"):
        nobody.goto(path)
        expect(nobody.get_by_text("Parley", exact=True).first).to_be_visible()
        faces.append(face(nobody))
    assert faces == ["Inter Variable"] * 3


def face(page: Page) -> str:
    """The typeface that the page asks for first, and has."""
    typeface: str = page.evaluate("""async () => {
        const name = getComputedStyle(document.body).fontFamily.split(',')[0].replaceAll('"', '')
        return (await document.fonts.load(`16px "${name}"`)).length ? name : 'not there: ' + name
    }""")
    return typeface
