"""HTTP tools are made of an OpenAPI document, and one gets a header; single tools of a source are made stricter."""

from __future__ import annotations

import json
from collections.abc import Sequence

from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.looks import Look
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


def test_the_body_of_a_tool_is_entered_in_rows_or_as_json(visit: Visit, other_looks: Sequence[Look]) -> None:
    page: Page = visit("alice").page
    page.goto(f"{CONFIG}/toolsource/add/?kind=http")
    for name, text in (("name", "release_order"), ("description", "Releases an order."), ("url", "https://shop.example/release")):
        page.locator(f"[name={name}]").fill(text)
    page.locator("[name=method]").select_option("POST")
    arguments = page.locator("[data-pairs]").filter(has=page.locator("[name=input_schema-name]"))
    for name in ("warehouse", "number"):
        arguments.get_by_label("Argument", exact=True).last.fill(name)
        arguments.get_by_role("button", name="Add an argument").click()
    body = page.locator("[data-pairs]").filter(has=page.locator("[name=body-name]"))
    for name, kind, value in (("order_number", "Argument", "number"), ("dry_run", "No", ""), ("pallets", "Number", "many")):
        body.get_by_label("Field of the body").last.fill(name)
        body.get_by_label("Kind of value").last.select_option(label=kind)
        if value:
            body.get_by_label("Value", exact=True).last.fill(value)
        else:
            expect(body.get_by_label("Value", exact=True).last).to_be_hidden()
        body.get_by_role("button", name="Add a field").click()
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_role("alert").get_by_text("“pallets” is no number.")).to_be_visible()
    body.get_by_label("Value", exact=True).nth(2).fill("3")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(body.get_by_label("Value", exact=True).first).to_have_value("{number}")
    assert [row.input_value() for row in body.get_by_label("Field of the body").all()] == ["order_number", "dry_run", "pallets"]
    assert [row.input_value() for row in arguments.get_by_label("Argument", exact=True).all()] == ["warehouse", "number"]
    assert violations_in_both_colours(page) == []

    body.get_by_text("Show as JSON").click()
    json_view = body.get_by_label("Body as JSON")
    assert json.loads(json_view.input_value()) == {"order_number": "{number}", "dry_run": False, "pallets": 3}
    json_view.fill('{"where": {"hall": "{warehouse}"}, "order_number": "{number}"}')
    page.get_by_role("button", name="Save and continue editing").click()
    expect(body.get_by_label("Field of the body").first).to_have_value("where")
    expect(body.get_by_label("Kind of value").first).to_have_value("json")
    for dark, phone in other_looks:
        looked_at = visit("alice", dark=dark, phone=phone).page
        looked_at.goto(page.url)
        assert violations(looked_at) == []
        assert looked_at.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"


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
