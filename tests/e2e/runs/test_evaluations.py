"""An admin writes a case, runs it on the live release and on the draft, and sees both beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider

SETS = "/o/acme/admin/evaluations/dataset/"


@pytest.fixture
def admin(visit: Visit) -> Iterator[Page]:
    """Alice's page; her data sets are gone afterwards."""
    page = visit("alice").page
    yield page
    page.goto(SETS)
    page.get_by_role("link", name="Order desk").first.click()
    page.get_by_role("link", name="Delete this data set…").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("was deleted successfully")).to_be_visible()


def test_a_check_of_artifacts_names_a_language_that_can_be_parsed(admin: Page) -> None:
    admin.goto(SETS)
    admin.get_by_role("link", name="Add data set").last.click()
    admin.get_by_label("Name").fill("Order desk")
    admin.get_by_role("button", name="Save", exact=True).click()
    admin.get_by_role("link", name="Add case").click()
    admin.get_by_label("Question").fill("Write me a program that counts orders.")
    admin.get_by_role("link", name="Add check").click()
    language = admin.locator("textarea[name='expectations-0-value']")
    admin.locator("select[name='expectations-0-kind']").select_option(label="Artifact parses")
    language.fill("ruby")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_role("alert").get_by_text("Choose one of: python, mermaid, json, csv.")).to_be_visible()
    assert violations(admin) == []
    language.fill("python")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_role("rowheader", name="Write me a program that counts orders.")).to_be_visible()


def test_a_case_is_written_run_twice_and_compared(visit: Visit, admin: Page, model: ScriptedProvider, other_looks: Sequence[Look]) -> None:
    admin.goto(SETS)
    assert violations(admin) == []
    admin.get_by_role("link", name="Add data set").last.click()
    admin.get_by_label("Name").fill("Order desk")
    admin.get_by_role("button", name="Save", exact=True).click()
    admin.get_by_role("link", name="Add case").click()
    admin.get_by_label("Question").fill("When does order 88213 arrive?")
    admin.get_by_label("Must pass").check()
    admin.get_by_role("link", name="Add check").click()
    admin.locator("select[name='expectations-0-kind']").select_option(label="Does not contain")
    admin.locator("textarea[name='expectations-0-value']").fill("Monday")
    assert violations(admin) == []
    picture(admin, "case-light")
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_role("rowheader", name="When does order 88213 arrive?")).to_be_visible()

    model.answer_chat(Text("It arrives on Monday."))
    run(admin, "the live release")
    expect(admin.get_by_text("“Monday” stands at character 15.")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Back to Order desk").click()
    model.answer_chat(Text("No date is known yet."))
    run(admin, "the draft")
    expect(admin.get_by_text("Doesn't have “Monday”.")).to_be_visible()
    admin.get_by_role("link", name="Open as run").click()
    expect(admin.get_by_text("It is a trial of a draft")).to_be_visible()
    admin.get_by_role("link", name="Save as a case").click()
    assert violations(admin) == []

    admin.goto(SETS)
    admin.get_by_role("link", name="Order desk").first.click()
    expect(admin.get_by_role("cell", name="Fixed")).to_be_visible()
    expect(admin.get_by_text("Better in 1 case, worse in 0: too few to tell.")).to_be_visible()
    picture(admin, "data-set-light")
    admin.get_by_role("link", name="Add from a file").click()
    admin.get_by_label("promptfoo").check()
    admin.get_by_label("Or paste its text").fill("tests: [{vars: {question: Where}, assert: [{type: javascript, value: x}]}]")
    admin.get_by_role("button", name="Add cases").click()
    expect(admin.get_by_text("“javascript” runs a program, which is not done here.")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Cancel").click()
    expect(admin.get_by_role("heading", name="Order desk", exact=True)).to_be_visible()
    data_set = admin.url
    looks_right(admin, data_set)
    for dark, phone in other_looks:
        looks_right(visit("alice", dark=dark, phone=phone).page, data_set)


def run(page: Page, source: str) -> None:
    page.get_by_label("As in").select_option(label=source)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#experiment")).to_contain_text("Done")


def looks_right(page: Page, data_set: str) -> None:
    page.goto(data_set)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
    page.get_by_role("columnheader").get_by_role("link", name="Draft").click()
    page.get_by_label("Compare with").select_option(index=1)
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Now")).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
