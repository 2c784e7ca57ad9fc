"""The platform's operator sees all organizations, gives one a plan, suspends it and opens it again."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from accounts.sign_in.demo_logins import OPERATOR_LOGIN
from tests.e2e.accessibility import violations
from tests.e2e.layout import is_too_wide
from tests.e2e.pages import Visit, sign_in


def test_an_organization_gets_a_plan_and_is_suspended_and_opened_again(visit: Visit) -> None:
    bob = visit("bob").open()
    operator = visit(None).page
    operator.goto("/operator/")
    sign_in(operator, *OPERATOR_LOGIN[:2])
    table = operator.get_by_role("region", name="Table of organizations")
    expect(table.get_by_role("row", name="Kestrel")).to_be_visible()
    assert violations(operator) == []

    operator.set_viewport_size({"width": 390, "height": 844})
    assert not is_too_wide(operator)
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth"), "lines are cards"
    expect(table.get_by_role("link", name="Cost this month")).to_be_visible()
    operator.get_by_text("Show the eight weeks as a table").click()
    weeks = operator.get_by_role("region", name="Table: calls of models in eight weeks")
    expect(weeks.get_by_role("rowheader", name="Kestrel")).to_be_visible()
    assert weeks.evaluate("table => table.scrollWidth <= table.clientWidth"), "its lines, too"
    assert violations(operator) == []
    operator.set_viewport_size({"width": 1280, "height": 800})

    operator.get_by_role("link", name="Plans").click()
    operator.get_by_role("link", name="Add plan").last.click()
    operator.get_by_role("button", name="Save", exact=True).click()
    operator.get_by_role("alert").get_by_role("link", name="Name").click()  # each error leads to its field
    expect(operator.get_by_label("Name")).to_be_focused()
    assert violations(operator) == []
    operator.get_by_label("Name").fill("Team")
    operator.get_by_role("link", name="Add limit").click()
    operator.locator("[name=limits-0-scope]").select_option("each_member")
    operator.locator("[name=limits-0-per_month]").fill("1000")
    assert violations(operator) == []
    operator.get_by_role("button", name="Save", exact=True).click()
    expect(operator.get_by_text("was added successfully")).to_be_visible()

    operator.goto("/operator/?q=acme&sort=cost")
    more = table.get_by_role("button", name="Actions for Acme")
    more.focus()
    operator.keyboard.press("Enter")
    expect(table.get_by_role("link", name="Open", exact=True)).to_be_focused()
    assert violations(operator) == []
    operator.keyboard.press("Escape")
    expect(table.get_by_role("link", name="Open", exact=True)).to_be_hidden()
    expect(more).to_be_focused()
    with operator.expect_navigation():
        operator.get_by_role("button", name="Search").last.click()
    assert "sort=cost" in operator.url
    more.click()
    expect(table.get_by_role("link", name="Open", exact=True)).to_be_focused()
    operator.keyboard.press("ArrowDown")
    expect(table.get_by_role("link", name="Change plan")).to_be_focused()
    operator.keyboard.press("Enter")
    expect(operator).to_have_url(re.compile("/plan/organization/"))
    operator.get_by_label("Plan").select_option(label="Team")
    assert violations(operator) == []
    operator.get_by_role("button", name="Save").click()
    expect(operator.get_by_text("Acme has the plan Team.")).to_be_visible()

    operator.goto("/operator/?q=acme")
    more.click()
    operator.get_by_role("link", name="Suspend…").click()
    operator.get_by_label("Message for its members").fill("Please write to sales.")
    operator.get_by_role("button", name="Preview").click()
    expect(operator.get_by_text("Acme is suspended. Please write to sales.")).to_be_visible()
    operator.get_by_label("Reason").fill("The invoice is unpaid")
    assert violations(operator) == []
    operator.get_by_role("button", name="Suspend").click()
    expect(operator.get_by_text("Acme is suspended.")).to_be_visible()
    operator.goto("/operator/")
    needs = operator.get_by_role("region", name="Needs you")
    expect(needs.get_by_text("Acme: Please write to sales.")).to_be_visible()
    assert violations(operator) == []
    needs.get_by_role("link", name="is suspended").click()
    operator.get_by_role("link", name="Acme").first.click()
    bob.page.reload()
    expect(bob.page.get_by_text("Acme is suspended. Please write to sales.")).to_be_visible()

    operator.get_by_role("link", name="Resume, or change the message").click()
    operator.get_by_label("Reason").fill("Paid")
    operator.get_by_role("button", name="Resume").click()
    expect(operator.get_by_text("Acme is open to its members again.")).to_be_visible()
    bob.open()
    expect(bob.composer).to_be_visible()
    operator.get_by_role("link", name="Plan", exact=True).click()
    operator.get_by_label("Plan").select_option(label="No plan of its own")
    operator.get_by_role("button", name="Save").click()
    expect(operator.get_by_text("Acme has no plan.")).to_be_visible()
