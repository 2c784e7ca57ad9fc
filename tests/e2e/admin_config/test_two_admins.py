"""Two admins share a draft: each sees the other, no release is loaded over the other's work, and none is published unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.admin_config.test_agent_page import open_agent, tab, tab_panel
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.support.system.product import Product

LIVE = re.compile(r"Release \d+ is live\.")
CONFIG = "/o/acme/admin/admin_config/"
ROLE = """
update tenants_membership m set role = %s from tenants_user u, tenants_organization o
where u.id = m.user_id and u.email = 'vera@example.org' and o.id = m.organization_id and o.slug = 'acme'
"""
PUBLISH_ON_SAVE = """
update admin_config_appsettings s set publish_on_save = %s from tenants_organization o where o.id = s.organization_id and o.slug = 'acme'
"""


@pytest.fixture
def admins(visit: Visit, product: Product) -> Iterator[tuple[Page, Page]]:
    """Pages of Alice and Vera, who is an admin for this test; changes are collected in the draft, which is clean afterwards."""

    def write(role: str, *, publishes: bool) -> None:
        with psycopg.connect(product.env["DATABASE_OWNER_URL"]) as owner:
            assert owner.execute(ROLE, [role]).rowcount == 1
            assert owner.execute(PUBLISH_ON_SAVE, [publishes]).rowcount == 1

    write("admin", publishes=False)
    alice = visit("alice").page
    yield alice, visit("vera").page
    alice.goto(f"{CONFIG}release/discard/")
    if alice.get_by_role("button", name="Discard draft").count():
        alice.get_by_role("button", name="Discard draft").click()
        expect(alice.get_by_text("The draft is discarded.")).to_be_visible()
    write("viewer", publishes=True)


def fill_steps(page: Page, steps: str) -> None:
    open_agent(page)
    tab(page, "Limits").click()
    tab_panel(page).get_by_role("spinbutton", name="Max steps").fill(steps)
    page.get_by_role("button", name="Save", exact=True).click()


def limit_steps(page: Page, steps: str) -> None:
    fill_steps(page, steps)
    expect(page.get_by_text("Saved to the draft. It goes live when you publish it")).to_be_visible()


def load_the_newest_release(page: Page) -> None:
    open_agent(page)
    tab(page, "History").click()
    releases = tab_panel(page).get_by_role("table", name="Releases, newest first")
    releases.get_by_role("link", name="Load into the draft…").first.click()


def switch_publish_on_save(page: Page) -> None:
    page.goto(f"{CONFIG}appsettings/")
    page.get_by_role("checkbox", name="Publish on save").check()
    page.get_by_role("button", name="Save", exact=True).click()


def is_asked_before_publishing(page: Page) -> None:
    """See what would go live, leave the switch off, and publish nothing."""
    switch_publish_on_save(page)
    question = page.get_by_role("alert")
    expect(question).to_contain_text("With publish on save, the changes below go live for everyone at once.")
    expect(question).to_contain_text("Changed by Alice (1 thing)")
    expect(page.locator("li.added", has_text="8")).to_be_visible()
    assert violations(page) == []
    question.get_by_role("link", name="Leave it off").click()
    expect(page.get_by_role("checkbox", name="Publish on save")).not_to_be_checked()


def publishes_what_was_shown(page: Page) -> None:
    limit_steps(page, "8")
    switch_publish_on_save(page)
    note, publish = page.get_by_label("What changes for members?"), page.get_by_role("button", name="Publish and switch on")
    note.fill("   ")
    publish.click()
    expect(note).to_have_accessible_description(re.compile("Write first what changes for members"))
    assert violations(page) == []
    note.fill("Eight steps are enough")
    publish.click()
    expect(page.get_by_text(LIVE)).to_be_visible()
    expect(page.get_by_role("checkbox", name="Publish on save")).to_be_checked()
    fill_steps(page, "")
    expect(page.get_by_text(LIVE)).to_be_visible()


def test_two_admins_share_a_draft(admins: tuple[Page, Page]) -> None:
    alice, vera = admins
    open_agent(vera)
    open_agent(alice)
    expect(alice.get_by_text(re.compile("^Vera.* has this agent open, too"))).to_be_visible()
    limit_steps(vera, "9")

    load_the_newest_release(alice)
    refusal = alice.get_by_role("alert")
    expect(refusal).to_contain_text(re.compile("The draft holds unpublished changes of Vera.*\\. Publish or discard them first\\."))
    expect(alice.get_by_role("heading", name="Max steps")).to_be_visible()
    expect(alice.get_by_role("button", name="Load into the draft")).to_have_count(0)
    assert violations(alice) == []
    refusal.get_by_role("link", name="See the draft").click()
    alice.get_by_role("link", name="Discard draft…").click()
    expect(alice.get_by_text("1 change by Vera")).to_be_visible()
    alice.get_by_role("button", name="Discard draft").click()
    expect(alice.get_by_text("The draft is discarded.")).to_be_visible()

    limit_steps(alice, "8")
    is_asked_before_publishing(alice)
    load_the_newest_release(alice)
    expect(alice.locator("li.removed", has_text="8")).to_be_visible()
    assert violations(alice) == []
    picture(alice, "load-release-light")
    alice.get_by_role("button", name="Load into the draft").click()
    expect(alice.get_by_text("Nothing changed for your users yet.")).to_be_visible()
    expect(tab(alice, "History")).to_have_attribute("aria-selected", "true")
    picture(alice, "agent-history-light")
    tab(alice, "Limits").click()
    expect(alice.get_by_role("spinbutton", name="Max steps")).to_have_value("")
    publishes_what_was_shown(alice)
