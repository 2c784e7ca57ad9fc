"""What an owner does for an organization in the browser: members by a file, the log as a file, the length of sessions, a new owner."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from uuid import uuid4

from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.accounts.test_accounts import confirm, newest_code, newest_mail, place, window
from tests.e2e.conftest import SessionOf
from tests.e2e.pages import sign_in

__all__ = ["place"]

ERIK, PETRA = "erik@kestrel.example", "petra@kestrel.example"
ADMIN = "/o/kestrel/admin"


def enter(page: Page, address: str) -> None:
    page.goto("/login/")
    sign_in(page, address)
    page.wait_for_url("/o/kestrel/")


def invite_by_file(page: Page, address: str) -> None:
    rows = f"email,role,groups\n{address},viewer,\n{PETRA},admin,\nnobody,,\n"
    page.goto(f"{ADMIN}/accounts/invitation/add/?way=csv")
    page.get_by_label("CSV file").set_input_files([FilePayload(name="people.csv", mimeType="text/csv", buffer=rows.encode())])
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("row", name=re.compile(address))).to_contain_text("Yes")
    expect(page.get_by_role("row", name=re.compile(PETRA))).to_contain_text("already")
    assert violations(page) == []
    page.get_by_role("button", name="Send 1 of 3").click()
    expect(page.get_by_role("row", name=re.compile(address))).to_contain_text("Viewer")


def export_log(page: Page) -> list[dict[str, str]]:
    page.goto(f"{ADMIN}/security/auditevent/")
    with page.expect_download() as download:
        page.get_by_role("region", name="Export").get_by_role("button", name="CSV").click()
    return list(csv.DictReader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))


def limit_sessions(page: Page) -> None:
    page.goto(f"{ADMIN}/tenants/organization/")
    members = page.locator("#policy_form")
    idle = members.get_by_label("Minutes without use")
    members.get_by_label("Hours until members sign in again").fill("8")
    idle.fill("5")
    members.get_by_role("button", name="Save").click()
    expect(members.get_by_text("greater than or equal to 10")).to_be_visible()
    expect(members.get_by_label("Hours until members sign in again")).to_have_value("8")
    idle.fill("120")
    members.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(idle).to_have_value("120")
    assert violations(page) == []


def hand_over(page: Page, name: str) -> None:
    page.goto(f"{ADMIN}/tenants/organization/")
    page.get_by_label("New owner").select_option(name)
    page.get_by_role("button", name="Hand over").click()
    expect(page.get_by_text("The organization has a new owner. You are an admin now.")).to_be_visible()
    expect(page.get_by_role("button", name="Hand over")).to_have_count(0)


def test_an_owner_invites_by_a_file_limits_sessions_and_hands_over(browser: Browser, place: str, session_of: SessionOf) -> None:
    address = f"{uuid4().hex}@kestrel.example"
    session_of("alice")  # what happens in another organization is not in this one's log
    with window(browser, place) as erik, window(browser, place) as petra:
        enter(erik, ERIK)
        enter(petra, PETRA)
        invite_by_file(erik, address)
        assert re.search(r"/invitation/\S+", newest_mail(browser, place, address))
        limit_sessions(erik)
        events = export_log(erik)
        hand_over(erik, "Petra")
        hand_over(petra, "Erik")
    assert {"invitation.create", "organization.policy"} <= {event["action"] for event in events}
    assert "Alice" not in str(events)


def test_a_person_signs_in_by_a_new_address(browser: Browser, place: str) -> None:
    address = f"{uuid4().hex}@kestrel.example"
    with window(browser, place) as page:
        enter(page, PETRA)
        page.goto("/accounts/addresses/")
        page.get_by_label("E-mail").fill(address)
        page.get_by_role("button", name="Add").click()
        confirm(page)
        expect(page.get_by_role("heading", name="Confirm your address")).to_be_visible()
        page.get_by_label("Code").fill(newest_code(browser, place, address))
        page.get_by_role("button", name="Continue").click()
        page.goto("/accounts/addresses/")
        row = page.get_by_role("listitem").filter(has_text=address)
        row.get_by_role("button", name="Make primary").click()
        expect(row).to_contain_text("Main")
        assert violations(page) == []
    assert address in newest_mail(browser, place, PETRA)  # the former address hears of it
    with window(browser, place) as page:
        enter(page, address)
