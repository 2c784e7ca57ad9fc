"""An admin types a sentence once for all providers, a provider gets its own, and goes back."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations_in_both_colours
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

AGENTS = "/o/acme/admin/admin_config/agentconfig/"
BASE, DEMO = "chat_model_agent_all", "chat_model_agent_demo"
SHARED, OWN = "You are the assistant of a tea house.", "You are the assistant of a harbour."


def open_agent(page: Page, key: str, tab: str) -> None:
    page.goto(AGENTS)
    page.get_by_role("link", name=key, exact=True).click()
    page.get_by_role("tab", name=re.compile(f"^{tab}")).click()


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()


def prompt_of_next_chat(visit: Visit, model: ScriptedProvider) -> str:
    model.answer_chat(Text("Hello."))
    visit("alice").open().ask("Who are you?")
    return model.chat_requests[-1].system_text


def test_a_sentence_is_typed_once_for_all_providers(visit: Visit, model: ScriptedProvider) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "Prompt")
    page.get_by_role("textbox", name="Custom prompt").fill(SHARED)
    save(page)
    assert SHARED in prompt_of_next_chat(visit, model)

    open_agent(page, DEMO, "Prompt")
    expect(page.get_by_role("tabpanel").locator(".agent-state").first).to_have_text("All providers")
    page.get_by_role("button", name="Customize: Custom prompt").click()
    page.get_by_role("textbox", name="Custom prompt").fill(OWN)
    save(page)
    assert OWN in prompt_of_next_chat(visit, model)

    open_agent(page, BASE, "By provider")
    expect(page.get_by_role("row", name="System prompt")).to_contain_text(OWN)

    open_agent(page, DEMO, "Prompt")
    page.get_by_role("button", name="Back to all providers: Custom prompt").click()
    save(page)
    assert SHARED in prompt_of_next_chat(visit, model)

    open_agent(page, BASE, "Prompt")
    page.get_by_role("textbox", name="Custom prompt").fill("")
    save(page)
    assert SHARED not in prompt_of_next_chat(visit, model)


def test_a_value_says_where_it_comes_from_while_it_is_changed(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, DEMO, "Limits")
    steps = page.get_by_role("spinbutton", name="Max steps")
    told = page.locator('.agent-source[data-of="max_steps"]')
    expect(told).to_have_text("Platform")
    steps.fill("7")
    expect(told).to_have_text("This provider")
    page.get_by_role("button", name="Back to the default: Max steps").click()
    expect(steps).to_have_value("")
    expect(told).to_have_text("Platform")


def test_no_page_of_the_levels_violates_a_rule(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "Prompt")
    for name in ("Prompt", "Model", "Tools", "Limits", "By provider"):
        page.get_by_role("tab", name=re.compile(f"^{name}")).click()
        assert violations_in_both_colours(page) == [], name
    open_agent(page, DEMO, "Prompt")
    page.get_by_role("link", name="Copy to another provider…").click()
    expect(page.get_by_role("group", name="Copy to")).to_be_visible()
    assert violations_in_both_colours(page) == []
    page.goto(AGENTS)
    assert violations_in_both_colours(page) == []
