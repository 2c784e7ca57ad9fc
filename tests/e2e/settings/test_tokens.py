"""API tokens in the settings: made, shown once, used by a program, revoked."""

from __future__ import annotations

import httpx2
from playwright.sync_api import Locator, expect

from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.support.system.product import Product


def open_tokens(chat: ChatPage) -> Locator:
    return chat.settings("API tokens")


def status_of(product: Product, token: str) -> int:
    return httpx2.get(f"{product.url}/v1/models", headers={"Authorization": f"Bearer {token}"}, trust_env=False).status_code


def test_a_token_is_shown_once_works_and_ends(visit: Visit, product: Product) -> None:
    chat = visit().open()
    dialog = open_tokens(chat)
    expect(dialog.get_by_text("You have no tokens yet.")).to_be_visible()
    dialog.get_by_role("button", name="New token").click()
    dialog.get_by_label("Name").fill("Nightly report")
    dialog.get_by_label("Expires after").select_option("30 days")
    assert violations(chat.page) == []
    dialog.get_by_role("button", name="Create token").click()

    region = dialog.get_by_role("region", name="The new token Nightly report")
    token = region.locator("code").inner_text()
    expect(region.get_by_text(f"{product.url}/v1", exact=True)).to_be_visible()
    assert violations(chat.page) == []
    assert status_of(product, token) == 200

    chat.page.get_by_role("dialog", name="Settings").get_by_role("button", name="Close").click()
    expect(chat.page.get_by_role("button", name="settings and sign out")).to_be_focused()
    dialog = open_tokens(chat)
    row = dialog.get_by_role("listitem")
    expect(row).to_contain_text(f"…{token[-4:]}")
    expect(row).to_contain_text("last used")
    expect(dialog.get_by_text(token)).to_have_count(0)

    row.get_by_role("button", name="Revoke Nightly report").click()
    question = chat.page.get_by_role("alertdialog", name="Revoke Nightly report?")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    assert violations(chat.page) == []
    chat.page.keyboard.press("Escape")
    expect(row.get_by_role("button", name="Revoke Nightly report")).to_be_focused()
    chat.page.keyboard.press("Enter")
    question.get_by_role("button", name="Revoke").press("Enter")
    expect(dialog.get_by_text("You have no tokens yet.")).to_be_visible()
    expect(dialog.get_by_role("button", name="New token")).to_be_focused()
    assert status_of(product, token) == 401
