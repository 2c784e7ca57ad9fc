"""An admin sets a budget; the member sees what is left, and a refusal loses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Text, Usage
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.admin_pages import delete_row, row_addresses, set_values
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider

OVERVIEW = "/o/acme/admin/"
BUDGETS = "/o/acme/admin/limits/budget/"
MODELS = "/o/acme/admin/admin_config/modelconfig/"
OF_ALL = "All members together"
OURS = "Your organization\N{RIGHT SINGLE QUOTATION MARK}s budget"


@pytest.fixture
def admin(visit: Visit) -> Iterator[Page]:
    """Alice's page. The model has a price; it and the budgets are gone afterwards."""
    page = visit("alice").page
    set_price(page, "1")
    yield page
    set_price(page, "")
    for name in ("Alice", OF_ALL):
        for address in row_addresses(page, BUDGETS, name):
            delete_row(page, address)


def add_budget(page: Page, holder: str, amount: str) -> None:
    """Make a monthly budget where no test looks at it."""
    [value] = re.findall(rf'<option value="([^"]+)"[^>]*>{holder}<', page.request.get(f"{BUDGETS}add/").text())
    set_values(page, f"{BUDGETS}add/", holder=value, amount_usd=amount)


def set_price(page: Page, usd: str) -> None:
    """Set the price of a million tokens of the demo's model."""
    set_values(page, row_addresses(page, MODELS, "Demo")[0], input_usd=usd, output_usd=usd)


def test_a_member_sees_what_is_left_and_what_was_refused(visit: Visit, admin: Page, model: ScriptedProvider) -> None:
    admin.goto(BUDGETS)
    assert violations(admin) == []
    admin.get_by_role("link", name="Add budget").last.click()
    admin.get_by_label("For").select_option(label="Alice")
    admin.get_by_label("Amount in US dollars").fill("0.01")
    assert violations(admin) == []
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was added successfully")).to_be_visible()

    chat = visit("alice").open()
    model.answer_chat(Text("Hello."), Usage(100_000, 10))
    chat.ask("Hi")
    chat.composer.fill("Again")
    notice = chat.page.get_by_role("status").filter(has_text="Your $0.010 for")
    expect(notice).to_contain_text("is used up. It starts again on 1 ")
    assert violations(chat.page) == []
    chat.composer.press("Enter")
    expect(chat.page.get_by_text("Your budget for this month is used up. It begins anew on")).to_be_visible()
    expect(chat.page.get_by_text("Again", exact=True)).to_be_visible()
    expect(chat.answer).to_contain_text("Hello.")

    admin.goto(BUDGETS)
    expect(admin.get_by_text("$0.10 of $0.01")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("region", name="List").get_by_role("link", name="Alice").click()
    expect(admin.get_by_role("table")).to_contain_text("$0.10")
    assert violations(admin) == []
    admin.get_by_label("Amount in US dollars").fill("5")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was changed successfully")).to_be_visible()

    model.answer_chat(Text("Hello again."))
    chat.page.get_by_role("button", name="Try again").click()
    expect(chat.page.get_by_text("Hello again.")).to_be_visible()
    admin.get_by_role("region", name="List").get_by_role("link", name="Alice").click()
    admin.get_by_label("Amount in US dollars").fill("0.13")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was changed successfully")).to_be_visible()
    chat.composer.fill("And once more")
    balance = chat.page.get_by_role("status").filter(has_text="of your $0.130 left until 1 ")
    expect(balance.get_by_role("progressbar", name="Spent")).to_be_visible()
    assert violations(chat.page) == []
    balance.get_by_role("button", name="My usage").click()
    expect(chat.page.get_by_role("heading", name="My usage")).to_be_visible()
    chat.page.go_back()
    chat.settings("Usage")
    balance = chat.page.get_by_role("region", name="Your budget this month")
    expect(balance).to_contain_text("of $0.130 left")
    assert violations(chat.page) == []
    usage = chat.open("usage/").page.get_by_role("region", name="My usage")
    tile = usage.get_by_role("region", name="Spent of a budget")
    expect(tile).to_contain_text(re.compile(r"Your budget this month\$0\.1\d*spent of \$0\.130\$0\.0\d+ left"))
    expect(usage.get_by_role("region", name="Your budget this month")).to_contain_text("of $0.130 left")
    assert violations_in_both_colours(chat.page) == []
    shot(chat.page, "usage-budget")


def test_the_overview_draws_the_months_budget(visit: Visit, admin: Page, model: ScriptedProvider, other_looks: Sequence[Look]) -> None:
    add_budget(admin, OF_ALL, "1000")
    model.answer_chat(Text("Hello."), Usage(100_000, 10))
    visit("alice").open().ask("Hi")

    admin.goto(OVERVIEW)
    chart = admin.get_by_role("region", name="Cost against budget, this month")
    expect(chart.get_by_role("img")).to_be_visible()
    expect(chart).to_contain_text("of $1,000.00. At this pace it lasts for the month.")
    chart.get_by_text("Show as table").click()
    expect(chart.get_by_role("columnheader", name="Budget")).to_be_visible()
    assert violations(admin) == []
    for dark, phone in other_looks:
        page = visit("alice", dark=dark, phone=phone).page
        page.goto(OVERVIEW)
        expect(page.get_by_role("region", name="Cost against budget, this month")).to_be_visible()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"


def test_shares_of_alerts_are_set_and_checked(admin: Page) -> None:
    admin.goto(BUDGETS)
    admin.get_by_role("link", name="Add budget").last.click()
    admin.get_by_label("For").select_option(label=OF_ALL)
    admin.get_by_label("Amount in US dollars").fill("1000")
    alerts = admin.get_by_label("Alert at percent")
    expect(alerts).to_have_value("80")
    alerts.fill("50, 50")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_role("alert").get_by_text("Enter each number once.")).to_be_visible()
    assert violations(admin) == []
    shot(admin, "budget-alerts-refused")
    alerts.fill("95, 50 80")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was added successfully")).to_be_visible()
    admin.get_by_role("region", name="List").get_by_role("link", name=OF_ALL).click()
    expect(alerts).to_have_value("50, 80, 95")


def test_an_overdrawn_budget_says_whose_it_is_and_by_how_much(
    visit: Visit, admin: Page, model: ScriptedProvider, other_looks: Sequence[Look]
) -> None:
    add_budget(admin, "Alice", "5")
    add_budget(admin, OF_ALL, "0.05")
    model.answer_chat(Text("Hello."), Usage(100_000, 10))
    chat = visit("alice").open()
    chat.ask("Hi")
    usage = chat.open("usage/").page.get_by_role("region", name="My usage")
    tile = usage.get_by_role("region", name="Spent of a budget")
    expect(tile).to_contain_text(f"{OURS} this month$0.100spent of $0.050Used up$0.050 over the budget. Resets on 1 ")
    expect(usage.get_by_role("region", name=f"{OURS} this month")).to_contain_text("Used up, $0.050 over $0.050")
    expect(usage.get_by_role("region", name="Your budget this month")).to_contain_text("$4.90 of $5.00 left")
    assert violations_in_both_colours(chat.page) == []
    shot(chat.page, "usage-overdrawn")
    for dark, phone in other_looks:
        page = visit("alice", dark=dark, phone=phone).open("usage/").page
        expect(page.get_by_role("region", name="Spent of a budget")).to_contain_text("$0.050 over the budget.")
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
        shot(page, f"usage-overdrawn-{'dark' if dark else 'light'}-{'phone' if phone else 'desktop'}")

    admin.goto(BUDGETS)
    admin.get_by_role("region", name="List").get_by_role("link", name=OF_ALL).click()
    admin.get_by_label("Amount in US dollars").fill("0")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was changed successfully")).to_be_visible()
    chat.open("usage/")
    expect(tile).to_contain_text("$0.100spent of $0.00Used up")
    expect(tile).not_to_contain_text("Resets on")
    chat.open().composer.fill("Again")
    expect(chat.page.get_by_role("status").filter(has_text=f"{OURS} allows nothing. Ask an admin.")).to_be_visible()
