"""An admin limits a member's messages; the member sees what is left, and a refusal loses nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

LIMITS = "/o/acme/admin/limits/ratelimit/"


@pytest.fixture
def admin(visit: Visit) -> Iterator[Page]:
    """Alice's page; her limits are gone afterwards."""
    page = visit("alice").page
    yield page
    page.goto(LIMITS)
    while page.get_by_role("link", name="Bob").count():
        page.get_by_role("link", name="Bob").first.click()
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text("was deleted successfully")).to_be_visible()


def test_a_member_sees_what_is_left_and_what_was_refused(visit: Visit, admin: Page, model: ScriptedProvider) -> None:
    admin.goto(LIMITS)
    assert violations(admin) == []
    admin.get_by_role("link", name="Add limit").last.click()
    admin.get_by_label("For").select_option(label="Bob")
    admin.get_by_label("In 30 days").fill("1")
    admin.get_by_label("Last day").fill("2099-11-30")
    admin.get_by_label("Reason").fill("A migration")
    assert violations(admin) == []
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was added successfully")).to_be_visible()

    bob = visit("bob").open()
    bob.composer.fill("Hi")
    expect(bob.page.get_by_text("You have 1 message left in these 30 days.")).to_be_visible()
    model.answer_chat(Text("Hello."))
    bob.ask("Hi")
    bob.composer.fill("Again")
    expect(bob.page.get_by_text("You have no messages left in these 30 days.")).to_be_visible()
    bob.composer.press("Enter")
    expect(bob.page.get_by_text("You may send 1 message in 30 days. You can send the next one in")).to_be_visible()

    admin.get_by_role("link", name="See what applies to a member").click()
    admin.get_by_label("Member", exact=True).select_option(label="Bob")
    expect(admin.get_by_text("The next message of Bob is refused.")).to_be_visible()
    expect(admin.get_by_role("button", name="Count anew from now: Messages")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Bob", exact=True).click()
    expect(admin.get_by_role("button", name="Count anew from now")).to_be_visible()
    expect(admin.get_by_text("1 of 1 message in 30 days")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("button", name="Count anew from now").click()
    model.answer_chat(Text("Hello again."))
    bob.page.get_by_role("button", name="Try again").click()
    expect(bob.page.get_by_text("Hello again.")).to_be_visible()
    bob.settings("Usage")
    balance = bob.page.get_by_role("region", name="Messages in 30 days")
    expect(balance).to_contain_text("0 messages of 1 message left")
    expect(balance).to_contain_text("More is free in")
    assert violations(bob.page) == []
