"""The dialog in which a link is made, as its owner uses it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.admin_pages import choose
from tests.e2e.pages import Visit

POLICY = "/o/acme/admin/sharing/share/policy/"


def allow(visit: Visit, policy: str) -> None:
    choose(visit("alice").page, POLICY, policy=policy)


def dialog_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Share this")


def make_link(page: Page, *choices: str) -> str:
    """Make a link in the open dialog, and return its address."""
    dialog = dialog_of(page)
    before = dialog.get_by_role("listitem", name="Link to").count()
    for choice in choices:
        dialog.get_by_label(choice).check()
    dialog.get_by_role("button", name="Create link").click()
    links = dialog.get_by_role("listitem", name="Link to")
    changed = dialog.get_by_text("has changed since you looked at it")
    expect(links.nth(before).or_(changed).first).to_be_visible()
    if changed.count():  # its title came meanwhile
        dialog.get_by_role("button", name="Create link").click()
    expect(links).to_have_count(before + 1)
    return str(links.first.get_by_role("code").get_attribute("title"))


def share_to_edit(page: Page, *, query: str, name: str) -> str:
    """Share what the page shows with one member, who may edit it, and return the link's address."""
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = dialog_of(page)
    dialog.get_by_label("Only people I name").check()
    dialog.get_by_label("People and groups").fill(query)
    dialog.get_by_role("button", name=name).click()
    dialog.get_by_label("They also save new versions").check()
    assert violations(page) == []
    return make_link(page)
