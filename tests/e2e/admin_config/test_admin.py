"""An admin tunes an agent in the browser, and its very next run obeys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from accounts.sign_in.demo_logins import OPERATOR_LOGIN
from doubles.script import Text
from tests.e2e.admin_pages import agent_address
from tests.e2e.layout import FINGER_PX, small_targets
from tests.e2e.page_parts import ROW, PageParts
from tests.e2e.pages import Visit, sign_in
from tests.e2e.scripted_provider import ScriptedProvider

AGENT = "document_agent_demo"
MODELS = ("agentconfig", "providerendpoint", "modelconfig", "release")
LEFT_OUT = re.compile(r"logout|/export|\.\w+$")  # what is no page
NONCE = re.compile(r"(?<='nonce-)[^']+")
PROMPT = "You are the document agent of Acme. Write like a sailor."


def walk(page: Page, site: str, *, opens_all: bool) -> set[str]:
    """Read one page of each kind below `site` that links lead to; return their paths, with * for what tells rows apart.

    The browser opens those with a script, an expression, a source or a policy that it has not met yet: `visit` fails the test for what breaks
    a page's policy or its own scripts. All others are made of what it has met; at night it opens them, too.
    """
    waiting, kinds, known_parts = [site], {site}, set[str]()
    while waiting:
        response = page.request.get(waiting.pop())
        assert response.ok, response.url
        page_parts = PageParts(response.url, response.text())
        assert page_parts.has_heading, response.url
        policy = NONCE.sub("*", response.headers["content-security-policy"])
        assert policy.startswith("default-src 'none'; script-src 'self' 'nonce-*'"), response.url
        parts = page_parts.parts | {policy}
        if opens_all or not parts <= known_parts:
            known_parts |= parts
            page.goto(response.url)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
        for path in page_parts.links:
            kind = ROW.sub("*", path)
            if path.startswith(site) and kind not in kinds and not LEFT_OUT.search(path):
                kinds.add(kind)
                waiting.append(path)
    return kinds


def test_every_page_of_the_organizations_admin_keeps_to_the_policy(visit: Visit, request: pytest.FixtureRequest) -> None:
    page = visit("alice").page
    kinds = walk(page, "/o/acme/admin/", opens_all=request.config.getoption("nightly"))
    assert {f"/o/acme/admin/admin_config/{model}/" for model in MODELS} <= kinds
    assert {f"/o/acme/admin/{board}/" for board in ("chat/run/operations", "limits/ratelimit/violations")} <= kinds
    page.goto("/o/acme/admin/chat/run/operations/")
    expect(page.get_by_role("heading", name="Tool sources")).to_be_visible()
    expect(page.get_by_text("No worker is running")).to_have_count(0)
    expect(page.locator("html")).to_have_css("transition-property", "none")  # the windows of tests ask for less motion


def test_every_page_of_the_operators_admin_keeps_to_the_policy(visit: Visit, request: pytest.FixtureRequest) -> None:
    page = visit(None).page
    page.goto("/operator/")
    sign_in(page, *OPERATOR_LOGIN[:2])
    expect(page).to_have_url("/operator/")
    kinds = walk(page, "/operator/", opens_all=request.config.getoption("nightly"))
    assert {"/operator/tenants/organization/", "/operator/chat/run/"} <= kinds


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


def test_a_member_has_no_way_to_the_admin(visit: Visit) -> None:
    chat = visit("bob").open()
    chat.sidebar.get_by_role("button", name=re.compile("Acme.*organizations")).click()
    expect(chat.page.get_by_role("menu")).to_be_visible()
    expect(chat.page.get_by_role("menuitem", name="Admin")).to_have_count(0)
    assert chat.page.request.get("/o/acme/admin/").status == 404


def test_the_keyboard_opens_the_pages_on_a_phone_where_rows_name_their_values(visit: Visit) -> None:
    page = visit("alice").page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/o/acme/admin/tenants/membership/")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Members"), use_inner_text=True)
    expect(page.locator("td[data-label='Last use']").last).to_be_visible()
    expect(page.locator("#changelist-form .simplebar-horizontal")).to_be_hidden()  # the theme's bar, with nothing to scroll
    budgets = page.get_by_role("link", name="Budgets")
    expect(budgets).to_be_hidden()
    assert small_targets(page) == []

    page.get_by_role("button", name="Show the pages", expanded=False).press("Enter")
    expect(page.get_by_role("button", name="Show the pages", expanded=True)).to_be_visible()
    expect(budgets).to_be_visible()
    assert small_targets(page) == []
    page.get_by_role("button", name="Close").press("Enter")
    expect(budgets).to_be_hidden()
    expect(page.get_by_role("button", name="Show the pages", expanded=False)).to_be_visible()
    page.goto("/o/acme/admin/admin_config/assistant/add/")
    assert small_targets(page) == []
    page.goto(agent_address(page, "chat_model_agent_demo"))
    row = page.get_by_role("heading", level=3).filter(has=page.get_by_role("button", name="Error handling"))
    assert row.first.evaluate("row => row.clientHeight") >= FINGER_PX


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
