"""An admin looks for runs: follows a bar of the histogram, keeps the filters as a view, and takes the list along."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from doubles.script import Text, Usage
from tests.e2e.accessibility import violations
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider

RUNS = "/o/acme/admin/chat/run/"


def histogram(page: Page) -> Locator:
    return page.get_by_role("region", name=re.compile("^Runs that ended"))


def export_text(page: Page, button: str) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    return Path(download.value.path()).read_text()


def test_an_admin_follows_a_bar_keeps_a_view_and_takes_the_list_along(
    visit: Visit, model: ScriptedProvider, other_looks: Sequence[Look]
) -> None:
    chat = visit("bob").open()
    model.answer_chat(Text("Green tea."), Usage(1200, 34))
    chat.ask("Which tea is green?")

    admin = visit("alice").page
    admin.goto(RUNS)
    histogram(admin).locator("svg a").filter(has_text=re.compile(r"Done [1-9]")).last.click()
    expect(admin.get_by_role("combobox", name="Time")).to_have_value("ended")
    expect(admin.get_by_role("row", name=re.compile("Bob")).first).to_be_visible()
    histogram(admin).get_by_text("Show as table").click()
    expect(histogram(admin).get_by_role("columnheader", name="Stopped")).to_be_visible()
    expect(histogram(admin).get_by_role("rowheader").get_by_role("link").first).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Last 7 days").click()
    expect(admin.get_by_role("combobox", name="Time")).to_have_value("7")

    filters = admin.get_by_role("search", name="Filter runs")
    filters.get_by_label("Member: a name or an e-mail address").fill("Bob")
    filters.get_by_label("State").select_option("Done")
    filters.get_by_role("button", name="Search").click()
    expect(admin.get_by_text("they can’t follow Member")).to_be_visible()  # noqa: RUF001
    admin.get_by_text("Save view", exact=True).click()
    form = admin.get_by_role("form", name="Save view")
    form.get_by_label("Name").fill("What Bob got")
    form.get_by_label("For all admins of the organization").check()
    picture(admin, "run-views-light")
    form.get_by_role("button", name="Save").click()
    expect(admin.get_by_text("The view is saved.")).to_be_visible()
    views = admin.get_by_role("navigation", name="Views")
    views.get_by_role("link", name=re.compile("^All ")).click()  # with how many there are
    expect(filters.get_by_label("Member: a name or an e-mail address")).to_have_value("")
    views.get_by_role("link", name="What Bob got").click()
    expect(filters.get_by_label("Member: a name or an e-mail address")).to_have_value("Bob")
    admin.get_by_text("Change this view").click()
    change = admin.get_by_role("form", name="Change this view")
    change.get_by_label("Name").fill("Bob's answers")
    change.get_by_role("button", name="Save").click()
    expect(views.get_by_role("link", name="Bob's answers")).to_have_attribute("aria-current", "page")

    lines = list(csv.DictReader(io.StringIO(export_text(admin, "Export CSV"))))
    assert {(line["member_name"], line["state"]) for line in lines} == {("Bob", "done")}
    assert int(lines[0]["tokens"]) >= 1234
    records = [json.loads(line) for line in export_text(admin, "JSON lines, export").splitlines()]
    assert [record["id"] for record in records] == [line["id"] for line in lines]
    assert "tea" not in str(records)

    admin.get_by_text("Change this view").click()
    change.get_by_role("button", name="Delete view").click()
    expect(admin.get_by_text("The view Bob's answers is deleted.")).to_be_visible()
    expect(views.get_by_role("link", name="Bob's answers")).to_have_count(0)

    for dark, phone in other_looks:
        looks_right(visit("alice", dark=dark, phone=phone).page)


def looks_right(page: Page) -> None:
    page.goto(f"{RUNS}?member=bob")
    page.get_by_text("Save view", exact=True).click()
    expect(histogram(page)).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
