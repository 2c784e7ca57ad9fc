"""An endpoint's connection is tested by a click, and the models that it lists are added."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.pages import Visit

CONFIG = "/o/acme/admin/admin_config"


def test_a_connection_is_tested_and_a_listed_model_added(visit: Visit) -> None:
    page: Page = visit("alice").page
    page.goto(f"{CONFIG}/providerendpoint/")
    expect(page.get_by_text("no key").first).to_be_visible()
    page.get_by_role("link", name="Demo (no key, scripted)", exact=True).first.click()
    expect(page.get_by_text("was not tested with this address and key")).to_be_visible()
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_text("The connection works")).to_be_visible()
    expect(page.get_by_text("Last test (")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Fetch models").click()
    model = page.get_by_role("checkbox", name="gemini-3.5-flash")
    model.check()
    page.get_by_role("checkbox", name="Switch them on").uncheck()
    assert violations_in_both_colours(page) == []
    page.get_by_role("button", name="Add selected").click()
    expect(page.get_by_text("1 model added.")).to_be_visible()
    expect(page.get_by_text("usable").first).to_be_visible()
    expect(page.get_by_role("row", name="gemini-3.5-flash")).to_contain_text("disabled")
    expect(page.get_by_role("row", name="demo-standard")).to_contain_text("usable")
