"""An admin asks what was used: from the page over a filter to its runs, an export and the month's statement; in light, dark and on a phone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

from doubles.script import Text, Usage
from tests.e2e.accessibility import violations
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

USAGE = "/o/acme/admin/usage/usagesum/"
TOKEN_COUNTS = b"day,model,input_tokens\n2026-01-31,a-model-of-another-program,1200\n"


def test_an_admin_follows_what_was_used_to_its_runs_and_takes_it_along(
    visit: Visit, model: ScriptedProvider, other_looks: Sequence[Look]
) -> None:
    chat = visit("bob").open()
    model.answer_chat(Text("Green tea."), Usage(12_000, 40))
    chat.ask("Which tea is green?")

    admin = visit("alice").page
    admin.goto("/o/acme/admin/")
    admin.get_by_role("link", name="Usage", exact=True).click()
    expect(admin.get_by_role("region", name=re.compile("by day$")).get_by_role("img")).to_be_visible()
    admin.get_by_role("navigation", name="Period").get_by_role("link", name="Today").click()
    admin.get_by_role("navigation", name="Dimension").get_by_role("link", name="Member").click()
    table = admin.get_by_role("region", name="Usage by member")
    expect(table.get_by_role("row", name=re.compile("^Total"))).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Open Bob").click()
    expect(admin.get_by_role("link", name="Close Bob")).to_be_visible()
    table.get_by_role("link", name="Bob", exact=True).click()
    expect(admin.get_by_role("list", name="Filters")).to_contain_text("Member: Bob")

    with admin.expect_download() as download:
        admin.get_by_role("button", name="Export CSV").click()
    lines = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert {line["member_name"] for line in lines} == {"Bob"}
    assert sum(int(line["input_tokens"]) for line in lines) >= 12_000

    admin.get_by_role("link", name="Show these runs").click()
    expect(admin.get_by_role("row", name=re.compile("Bob")).first).to_be_visible()
    admin.go_back()
    admin.get_by_role("link", name="Remove the filter Member: Bob").click()
    expect(admin.get_by_role("list", name="Filters")).to_have_count(0)

    admin.get_by_role("link", name="Statement").click()
    expect(admin.get_by_role("region", name="By member", exact=True)).to_contain_text("Bob")
    assert violations(admin) == []
    with admin.expect_download() as download:
        admin.get_by_role("button", name="PDF").click()
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")

    admin.goto(f"{USAGE}reconcile/")
    admin.get_by_label("File").set_input_files(FilePayload(name="plain.csv", mimeType="text/csv", buffer=TOKEN_COUNTS))
    admin.get_by_role("button", name="Compare").click()
    expect(admin.get_by_role("region", name=re.compile("^Differences of"))).to_contain_text("a-model-of-another-program")

    for dark, phone in other_looks:
        looks_right(visit("alice", dark=dark, phone=phone).page, phone=phone)


def looks_right(page: Page, *, phone: bool) -> None:
    for path in (USAGE, f"{USAGE}tools/", f"{USAGE}statement/", f"{USAGE}reconcile/"):
        page.goto(path)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
        if phone:
            tables = page.locator(".parley-usage-table:has([data-label])")
            assert tables.evaluate_all("tables => tables.every(table => table.scrollWidth <= table.clientWidth)"), "lines are cards"
