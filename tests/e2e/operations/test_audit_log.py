"""An owner finds in the audit log what happened, in the browser."""

from __future__ import annotations

import os
import re

from playwright.sync_api import Page, expect

from tests.e2e.pages import Visit

LOG = "/o/acme/admin/security/auditevent/"


def shot(page: Page, name: str) -> None:
    if place := os.environ.get("SHOTS"):
        page.screenshot(path=f"{place}/{name}.png", full_page=True)


def test_a_changed_role_is_found_in_the_log(visit: Visit) -> None:
    page = visit("alice").page
    page.goto("/o/acme/admin/tenants/membership/")
    page.get_by_role("link", name="Bob", exact=True).click()
    page.get_by_role("combobox", name="Role").select_option("admin")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("successfully").first).to_be_visible()
    page.goto("/o/acme/admin/")
    page.get_by_role("link", name="Audit log").click()
    expect(page.get_by_role("link", name="made Bob an admin").first).to_be_visible()
    shot(page, "list")
    page.get_by_role("combobox", name="What", exact=True).select_option("members")
    expect(page).to_have_url(re.compile("what=members"))
    page.get_by_role("link", name="made Bob an admin").first.click()
    event = page.get_by_role("region", name="Alice made Bob an admin")
    expect(event.get_by_role("row", name="Role member admin")).to_be_visible()
    expect(event.get_by_text("127.0.0.0/24")).to_be_visible()
    shot(page, "event")
    page.wait_for_load_state()  # with the script of the keys
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    address = page.url
    phone = visit("alice", dark=True, phone=True).page
    phone.goto(address)
    expect(phone.get_by_role("region", name="Alice made Bob an admin")).to_be_visible()
    width = phone.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    shot(phone, "event_phone")
    phone.goto(LOG)
    shot(phone, "list_phone")
    page.get_by_role("link", name="Settings and webhooks").click()
    page.get_by_role("textbox", name="Address").fill("https://siem.example.org/parley")
    page.get_by_role("button", name="Add webhook").click()
    expect(page.get_by_text("whsec_")).to_be_visible()
    shot(page, "settings")
    phone.goto(f"{LOG}settings/")
    expect(phone.get_by_role("article", name="Webhook https://siem.example.org/parley")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    shot(phone, "settings_phone")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("article")).to_have_count(0)
    page.goto("/o/acme/admin/tenants/membership/")
    page.get_by_role("link", name="Bob", exact=True).click()
    page.get_by_role("combobox", name="Role").select_option("member")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("successfully").first).to_be_visible()
