"""An admin tunes an agent in the browser, and its very next run obeys."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from accounts.sign_in.demo import OPERATOR_LOGIN
from doubles.script import Text
from tests.e2e.pages import Visit, sign_in
from tests.e2e.scripted_provider import ScriptedProvider

AGENT = "document_agent_demo"
MODELS = ("agentconfig", "providerendpoint", "modelconfig", "release")
PROMPT = "You are the document agent of Acme. Write like a sailor."


def pages_of(page: Page, site: str) -> list[str]:
    """The addresses in the navigation of an admin site, whose index is open."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    links = page.get_by_role("navigation").get_by_role("link").all()
    return sorted({address for link in links if (address := link.get_attribute("href") or "").startswith(site)})


def opens_all(page: Page, addresses: list[str]) -> None:
    for address in addresses:
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_every_page_of_the_organizations_admin_keeps_to_the_policy(visit: Visit) -> None:
    page = visit("alice").page
    page.goto("/o/acme/admin/")
    addresses = pages_of(page, "/o/acme/admin/")
    assert {f"/o/acme/admin/admin_config/{model}/" for model in MODELS} <= set(addresses)
    opens_all(page, addresses)


def test_every_page_of_the_operators_admin_keeps_to_the_policy(visit: Visit) -> None:
    page = visit(None).page
    page.goto("/operator/")
    sign_in(page, *OPERATOR_LOGIN[:2])
    expect(page).to_have_url("/operator/")
    addresses = pages_of(page, "/operator/")
    assert "/operator/tenants/organization/" in addresses
    opens_all(page, addresses)


def save_prompt(page: Page, prompt: str) -> None:
    page.get_by_role("link", name=AGENT, exact=True).click()
    prompts = page.get_by_role("tabpanel", name="Prompt")
    if prompt:
        prompts.get_by_role("button", name="Customize: System prompt").first.click()
        prompts.get_by_role("textbox", name="System prompt").first.fill(prompt)
    else:
        prompts.get_by_role("button", name="Back to the default: System prompt").first.click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()


def test_a_prompt_saved_in_the_admin_is_used_by_the_next_run(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit("alice").open()
    chat.sidebar.get_by_role("button", name=re.compile("Acme.*organizations")).click()
    chat.page.get_by_role("menuitem", name="Admin").click()
    page = chat.page
    page.get_by_role("link", name="Agents").first.click()
    save_prompt(page, PROMPT)

    model.creates_document("The sea", Text("# The sea\n\nAhoy.\n"))
    chat.open().ask("Write a document about the sea.")
    [request] = model.document_requests
    assert PROMPT in request.system_text

    page.goto("/o/acme/admin/admin_config/agentconfig/")
    save_prompt(page, "")
    model.creates_document("The land", Text("# The land\n"))
    chat.open().ask("Write a document about the land.")
    assert PROMPT not in model.document_requests[-1].system_text
