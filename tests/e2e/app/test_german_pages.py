"""The way in and the account's pages in another language than English, on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.layout import small_targets
from tests.e2e.pages import Visit
from tests.support.accounts.cast import PASSWORD

FITS = "document.documentElement.scrollWidth <= innerWidth"
ALICE = "alice@example.org"
ADMIN = {
    "": "Wartet auf Sie",
    "admin_config/agentconfig/": "Agenten",
    "admin_config/assistant/add/": "Anweisungen",
    "admin_config/toolsource/add/": "Webseiten lesen",
    "admin_config/release/": "Versionen",
    "chat/run/": "Daumen runter",
    "chat/messagefeedback/": "Mit Kommentar",
    "limits/budget/add/": "Betrag in US-Dollar",
    "usage/usagesum/": "Verbrauch",
    "tenants/membership/": "Einladen",
    "security/auditevent/": "hat sich angemeldet",
}


def look(page: Page, name: str) -> None:
    assert page.evaluate(FITS), name
    assert violations(page) == [], name


def test_signing_in_and_the_account_are_read_in_german(visit: Visit) -> None:
    page = visit(None, phone=True).page
    page.context.set_extra_http_headers({"Accept-Language": "de-DE,de;q=0.9"})
    page.goto("/o/acme/admin/")
    page.get_by_label("E-Mail").fill(ALICE)
    page.get_by_role("button", name="Weiter", exact=True).click()
    page.get_by_label("Passwort").fill("wrong")
    page.get_by_role("button", name="Anmelden", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("passen nicht zusammen")
    look(page, "sign-in")
    assert small_targets(page) == []
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden", exact=True).click()
    expect(page).to_have_url("/o/acme/admin/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    for path, words in ADMIN.items():
        page.goto(f"/o/acme/admin/{path}")
        expect(page.get_by_text(words).locator("visible=true").first).to_be_visible()
        assert page.evaluate(FITS), path
    page.goto("/accounts/")
    expect(
        page.get_by_role("heading", name="Wiederherstellungscodes").or_(page.get_by_role("heading", name="Passkeys")).first
    ).to_be_visible()
    look(page, "security")
    assert small_targets(page) == []
