"""An admin sees what a rule of retention would delete, and saves it; a member reads it in the settings."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit

PAGE = "/o/acme/admin/retention/retentionrule/"


def test_a_rule_is_shown_before_it_is_saved_and_to_members(visit: Visit) -> None:
    admin = visit("alice").page
    admin.goto(PAGE)
    admin.get_by_role("textbox", name="Conversations", exact=True).fill("90")
    admin.get_by_role("button", name="Show what would be deleted").click()
    expect(admin.get_by_text("Would delete now: 0")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("button", name="Save these rules").click()
    expect(admin.get_by_text("The stricter limits begin on")).to_be_visible()

    member = visit("bob", dark=True, phone=True)
    member.open()
    member.page.goto("/o/acme/#settings/data")
    expect(member.page.get_by_text("Chats that nobody has changed for 90 days are deleted for good.")).to_be_visible()
    assert violations(member.page) == []
    looks_right(visit("alice", dark=True, phone=True).page)


def looks_right(page: Page) -> None:
    page.goto(PAGE)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
