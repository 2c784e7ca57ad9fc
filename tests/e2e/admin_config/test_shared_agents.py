"""An admin types a sentence once for all providers, a provider gets its own, and goes back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.admin_pages import agent_address
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider

AGENTS = "/o/acme/admin/admin_config/agentconfig/"
BASE, DEMO = "chat_model_agent_all", "chat_model_agent_demo"
SHARED_PROMPT, OWN_PROMPT = "You are the assistant of a tea house.", "You are the assistant of a harbour."


def open_agent(page: Page, key: str, tab: str) -> None:
    page.goto(agent_address(page, key))
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
    page.get_by_role("textbox", name="Custom prompt").fill(SHARED_PROMPT)
    save(page)
    assert SHARED_PROMPT in prompt_of_next_chat(visit, model)

    open_agent(page, DEMO, "Prompt")
    expect(page.get_by_role("tabpanel").locator(".agent-state").first).to_have_text("All providers")
    page.get_by_role("button", name="Customize: Custom prompt").click()
    page.get_by_role("textbox", name="Custom prompt").fill(OWN_PROMPT)
    save(page)
    assert OWN_PROMPT in prompt_of_next_chat(visit, model)

    open_agent(page, BASE, "By provider")
    expect(page.get_by_role("row", name=re.compile("^System prompt"))).to_contain_text(OWN_PROMPT)

    open_agent(page, DEMO, "Prompt")
    page.get_by_role("button", name="Back to all providers: Custom prompt").click()
    save(page)
    assert SHARED_PROMPT in prompt_of_next_chat(visit, model)

    open_agent(page, BASE, "Prompt")
    page.get_by_role("textbox", name="Custom prompt").fill("")
    save(page)
    assert SHARED_PROMPT not in prompt_of_next_chat(visit, model)


def test_a_value_says_where_it_comes_from_while_it_is_changed(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page, DEMO, "Limits")
    steps = page.get_by_role("spinbutton", name="Max steps")
    source = page.locator('.agent-source[data-of="max_steps"]')
    expect(source).to_have_text("Platform")
    steps.fill("7")
    expect(source).to_have_text("This provider")
    page.get_by_role("button", name="Back to the default: Max steps").click()
    expect(steps).to_have_value("")
    expect(source).to_have_text("Platform")


def test_all_values_are_compared_and_lead_to_their_fields(visit: Visit, other_looks: Sequence[Look]) -> None:
    page = visit("alice").page
    open_agent(page, BASE, "Limits")
    page.get_by_role("spinbutton", name="Max steps").fill("8")
    save(page)
    open_agent(page, BASE, "By provider")
    values = page.get_by_role("grid", name="Values of all fields, by provider")
    steps, temperature = values.get_by_role("row", name="Max steps"), values.get_by_role("row", name="Temperature")
    expect(steps.get_by_role("link").first).to_have_accessible_name("Set here: 8")
    expect(steps.get_by_role("button").first).to_have_accessible_name("From all providers: 8")
    expect(temperature).to_be_visible()
    assert violations_in_both_colours(page) == []
    page.get_by_role("button", name="Only what is set").click()
    expect(temperature).to_be_hidden()
    expect(page.get_by_role("button", name="Only what is set")).to_have_attribute("aria-pressed", "true")
    assert violations_in_both_colours(page) == []
    for dark, phone in other_looks:
        looked_at = visit("alice", dark=dark, phone=phone).page
        looked_at.goto(page.url)
        expect(looked_at.get_by_role("grid")).to_be_visible()
        assert violations(looked_at) == []
        assert looked_at.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"

    page.get_by_role("button", name="Only what is set").click()
    steps.get_by_role("link").first.focus()
    for key in ("ArrowRight", "ArrowUp", "ArrowDown", "Home"):
        page.keyboard.press(key)
    expect(steps.get_by_role("link").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("spinbutton", name="Max steps")).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    save(page)
    open_agent(page, BASE, "By provider")
    values.get_by_role("row", name=re.compile("^System prompt")).get_by_role("link").nth(1).click()
    expect(page.get_by_role("tab", name="Try it")).to_be_visible()  # on the page of a provider
    expect(page.get_by_role("textbox", name="Custom prompt")).to_be_focused()
    expect(page.locator('.agent-source[data-of="max_steps"]')).to_have_text("Platform")


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
