"""HTTP tools are made of an OpenAPI document, and one gets a header; single tools of a source are made stricter."""

from __future__ import annotations

import json

from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.pages import Visit

CONFIG = "/o/acme/admin/admin_config"
NUMBER = {"name": "number", "in": "path", "required": True, "schema": {"type": "string"}}
SHOP = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://shop.example"}],
    "paths": {
        "/orders/{number}": {
            "parameters": [NUMBER],
            "get": {"operationId": "findOrder", "summary": "Looks up an order."},
            "delete": {"operationId": "cancelOrder", "summary": "Cancels an order."},
        },
        "/labels": {"post": {"operationId": "printLabel", "requestBody": {"required": True, "content": {"application/pdf": {}}}}},
    },
}


def test_tools_are_imported_and_one_gets_a_header(visit: Visit) -> None:
    page: Page = visit("alice").page
    page.goto(f"{CONFIG}/toolsource/add/")
    page.get_by_role("link", name="HTTP endpoints of an OpenAPI document").click()
    page.get_by_label("Or paste it here").fill('{"openapi": "3.1.0"')
    page.get_by_role("button", name="Show its operations").click()
    expect(page.get_by_role("alert")).to_contain_text("Not valid JSON: line 1")
    page.get_by_label("Or paste it here").fill(json.dumps(SHOP))
    page.get_by_role("button", name="Show its operations").click()
    expect(page.get_by_role("row", name="print_label")).to_contain_text("no JSON object with named fields")
    expect(page.get_by_role("checkbox", name="Ask before each call of cancel_order")).to_be_checked()
    assert violations_in_both_colours(page) == []
    page.get_by_role("checkbox", name="find_order", exact=True).check()
    page.get_by_role("checkbox", name="cancel_order", exact=True).check()
    page.get_by_role("button", name="Import selected").click()
    expect(page.get_by_text("2 tools imported.")).to_be_visible()

    page.get_by_role("link", name="find_order").click()
    rows = page.locator("[data-pairs]").filter(has=page.locator("[name=headers-name]"))
    rows.get_by_role("button", name="Add a row").click()
    rows.get_by_label("Header").last.fill("X-Shop")
    rows.get_by_label("Value").last.fill("one")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(rows.get_by_label("Header").first).to_have_value("X-Shop")
    assert violations(page) == []


def test_single_tools_of_a_source_are_ruled(visit: Visit) -> None:
    page: Page = visit("alice").page
    page.goto(f"{CONFIG}/toolsource/add/?kind=files")
    page.locator("[name=name]").fill("team_notes")
    page.get_by_role("button", name="Save and continue editing").click()
    page.get_by_role("heading", name="Single tools").click()
    danger, asks = page.get_by_label("Danger level of read_file"), page.get_by_label("Ask before each call of search_files")
    danger.select_option("dangerous")
    asks.check()
    assert violations_in_both_colours(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "the table does not widen a phone's page"
    page.get_by_role("button", name="Save and continue editing").click()
    expect(danger).to_have_value("dangerous")
    expect(asks).to_be_checked()
    expect(page.get_by_label("Danger level of search_files")).to_have_value("")
