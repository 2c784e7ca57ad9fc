"""An admin works on an agent's page: tabs by keyboard, prompts against their defaults, errors that lead to their field, and a trial."""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest
from playwright.sync_api import Locator, Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations, violations_in_both_colours
from tests.e2e.admin_pages import agent_address
from tests.e2e.agent_settings import changed
from tests.e2e.conftest import SessionOf
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.tools.test_approvals import AS_FOR_ALL, ASKS_FIRST
from tests.e2e.windows import Windows
from tests.support.system.product import Product

AGENT = "chat_model_agent_demo"


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tab", name=re.compile(f"^{name}"))


def tab_panel(page: Page) -> Locator:
    return page.get_by_role("tabpanel")


def open_agent(page: Page) -> None:
    page.goto(agent_address(page, AGENT))
    expect(tab(page, "Prompt")).to_have_attribute("aria-selected", "true")


def test_the_page_is_worked_on_in_tabs(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page)
    expect(tab_panel(page)).to_have_count(1)
    preview = page.get_by_role("region", name="What the model gets")
    expect(preview).to_contain_text("<identity>")

    page.get_by_role("button", name="Identity").click()
    page.get_by_role("button", name="Customize: Text").first.click()
    text = tab_panel(page).get_by_role("textbox", name="Text").first
    expect(text).to_be_focused()
    expect(text).to_have_value(re.compile("^You are"))
    text.fill("You are Tea.")
    expect(preview).to_contain_text("You are Tea.")
    page.get_by_role("button", name="Compare with the default: Text").first.click()
    expect(tab_panel(page).locator("li.added").first).to_have_text("You are Tea.")
    picture(page, "agent-prompt-light", of=page.get_by_role("button", name="Identity"))
    page.get_by_role("button", name="Back to the text: Text").click()
    expect(text).to_have_value("You are Tea.")

    page.get_by_role("button", name="Environment").click()
    page.get_by_role("button", name="Customize: Text").first.click()
    facts = tab_panel(page).get_by_role("textbox", name="Text").nth(1)
    facts.fill("For ")
    page.get_by_role("button", name="Insert {user}").click()
    expect(facts).to_have_value("For {user}")
    expect(preview).to_contain_text("For Alice")
    facts.fill("For {usr}")
    expect(page.get_by_text("{usr} is not known here")).to_be_visible()
    expect(preview).to_contain_text("{usr} is not a known placeholder")

    tab(page, "Prompt").focus()
    page.keyboard.press("ArrowRight")
    expect(tab(page, "Model")).to_be_focused()
    expect(page).to_have_url(re.compile("#model$"))
    tab_panel(page).get_by_role("spinbutton", name="Temperature").fill("3")
    page.keyboard.press("Escape")
    tab(page, "Limits").click()
    tab_panel(page).get_by_role("spinbutton", name="Max steps").fill("7")
    expect(tab(page, "Model")).to_contain_text("changed")

    page.get_by_role("button", name="Save", exact=True).click()
    problems = page.get_by_role("alert").filter(has_text="Nothing was saved: 2 errors on 2 tabs.")
    expect(problems).to_be_visible()
    assert violations(page) == []
    problems.get_by_role("link", name="Model, Temperature").click()
    expect(page.get_by_role("spinbutton", name="Temperature")).to_be_focused()
    expect(page.get_by_role("spinbutton", name="Temperature")).to_have_value("3")
    page.get_by_role("spinbutton", name="Temperature").fill("")
    problems.get_by_role("link", name="Prompt, Environment").click()
    expect(tab_panel(page).get_by_role("textbox", name="Text")).to_be_focused()
    page.get_by_role("button", name="Identity").click()
    for _ in range(2):
        page.get_by_role("button", name="Back to the default: Text").first.click()
    tab(page, "Limits").click()
    expect(page.get_by_role("spinbutton", name="Max steps")).to_have_value("7")
    page.get_by_role("spinbutton", name="Max steps").fill("")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    expect(tab(page, "Limits")).to_have_attribute("aria-selected", "true")


def test_a_changed_default_is_looked_at_and_taken(visit: Visit, product: Product) -> None:
    page = visit("alice").page
    open_agent(page)
    page.get_by_role("button", name="Identity").click()
    page.get_by_role("button", name="Customize: Text").first.click()
    tab_panel(page).get_by_role("textbox", name="Text").first.fill("You are Tea.")
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    with psycopg.connect(product.env["DATABASE_OWNER_URL"]) as owner:  # as an earlier version of Parley would have left it
        changed_rows = owner.execute("update admin_config_customizedtext set default_text = 'You were older.' where part = 'identity'")
        assert changed_rows.rowcount == 1
    page.reload()
    page.get_by_role("button", name="Identity").click()
    notice = page.get_by_role("group", name="The default changed since you customized this.")
    notice.get_by_role("button", name="Show what changed").click()
    expect(notice.locator("li.removed")).to_have_text("You were older.")
    assert violations_in_both_colours(page) == []
    notice.get_by_role("button", name="Keep mine").click()
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()
    page.get_by_role("button", name="Identity").click()
    expect(tab_panel(page).get_by_role("textbox", name="Text").first).to_have_value("You are Tea.")
    expect(notice).to_have_count(0)
    page.get_by_role("button", name="Back to the default: Text").first.click()
    page.get_by_role("button", name="Save and continue editing").click()
    expect(page.get_by_text("was changed successfully")).to_be_visible()


def test_no_tab_violates_a_rule(visit: Visit) -> None:
    page = visit("alice").page
    open_agent(page)
    for name in ("Prompt", "Model", "Tools", "Sub-agents", "Limits", "Plugins", "Try it", "Evaluations", "History"):
        tab(page, name).click()
        assert violations_in_both_colours(page) == [], name


@pytest.fixture
def asks_first(windows: Windows, session_of: SessionOf) -> Iterator[None]:
    """The document agent asks before each call."""
    with changed(windows, session_of, agent="document_agent_demo", change=ASKS_FIRST, back=AS_FOR_ALL):
        yield


def test_a_call_waits_in_a_trial_until_the_admin_decides(visit: Visit, model: ScriptedProvider, asks_first: None) -> None:
    page = visit("alice").page
    open_agent(page)
    tab(page, "Try it").click()
    question = page.get_by_role("textbox", name="Question to the draft")
    draft = page.get_by_role("region", name="Answers of the draft")
    for choice, ends in (("Deny", "Then I tell you here."), ("Allow", "It is written.")):
        model.calls_document_agent(operation="create", title="Tea", instruction="Write about tea.")
        question.fill("A document, please.")
        question.press("Enter")
        decision = draft.get_by_role("button", name=choice)
        expect(decision).to_be_visible()
        expect(draft).to_contain_text("Waits for you")
        assert violations(page) == []
        if choice == "Deny":  # a decision that does not arrive can be made again
            page.context.set_offline(True)
            decision.click()
            expect(draft.locator(".agent-try-notice.is-bad")).to_be_visible()
            page.context.set_offline(False)
        else:
            model.answer_document(Text("# Tea"))
        model.answer_chat(Text(ends))
        decision.click()
        expect(draft).to_contain_text(ends)
        expect(draft).to_contain_text("Done in")
        expect(decision).to_have_count(0)
    page.get_by_role("button", name="Clear").click()
    expect(draft).not_to_contain_text("It is written.")


def test_a_trial_gets_results_that_were_entered_or_recorded_and_becomes_a_case(visit: Visit, model: ScriptedProvider) -> None:
    page = visit("alice").page
    open_agent(page)
    tab(page, "Try it").click()
    question = page.get_by_role("textbox", name="Question to the draft")
    draft = page.get_by_role("region", name="Answers of the draft")
    page.get_by_role("combobox", name="Tools").select_option("Recorded results")
    model.calls_document_agent(operation="create", title="Tea", instruction="Write about tea.")
    question.fill("A document, please.")
    question.press("Enter")
    expect(draft).to_contain_text("The agent called document_agent, of which no result is recorded.")
    assert violations(page) == []
    draft.get_by_role("textbox", name="What document_agent would have given").fill("Darjeeling is written.")
    model.calls_document_agent(operation="create", title="Tea", instruction="Write about tea.")
    model.answer_chat(Text("It is there."))
    draft.get_by_role("button", name="Use this result").click()
    expect(draft).to_contain_text("It is there.")
    expect(draft).not_to_contain_text("no result is recorded")
    assert "Darjeeling is written." in str(model.chat_requests[-1].body)

    draft.get_by_role("button", name="Use its tool results").click()
    expect(page.get_by_role("textbox", name="Of the run")).to_have_value(re.compile("/chat/run/"))
    with page.expect_popup() as popup:
        draft.get_by_role("link", name="Save as case").click()
    case = popup.value
    case.get_by_label("Name of a new one").fill("Documents of trials")
    case.get_by_role("button", name="Make a case").click()
    expect(case.get_by_text("1 recorded tool result")).to_be_visible()
    expect(case.get_by_label("Recorded tools")).to_be_checked()
    assert violations(case) == []
    case.get_by_role("link", name="Delete").click()
    case.get_by_role("button", name="Delete", exact=True).click()


def test_an_unsaved_prompt_is_tried_beside_the_live_one(visit: Visit, model: ScriptedProvider) -> None:
    page = visit("alice").page
    open_agent(page)
    page.get_by_role("textbox", name="Custom prompt").fill("Talk like a sailor.")
    tab(page, "Try it").click()
    question = page.get_by_role("textbox", name="Question to the draft")
    model.answer_chat(Text("Ahoy."))
    question.fill("Hello")
    question.press("Enter")
    draft = page.get_by_role("region", name="Answers of the draft")
    expect(draft).to_contain_text("Ahoy.")
    expect(draft).to_contain_text("Done in")
    expect(draft.get_by_role("link", name="Open as run")).to_be_visible()
    assert "Talk like a sailor." in model.chat_requests[-1].system_text
    assert violations(page) == []

    page.get_by_role("checkbox", name="Beside the live release").check()
    model.answer_chat(Text("Once."))
    model.answer_chat(Text("Twice."))
    question.press("ArrowUp")
    expect(question).to_have_value("Hello")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("region", name="Answers of the live release")).to_contain_text(re.compile("Once|Twice"))
    expect(draft).to_contain_text(re.compile("Once|Twice"))
    picture(page, "agent-try-light", of=page.get_by_role("tablist").first)
    prompts = sorted("Talk like a sailor." in request.system_text for request in model.chat_requests[-2:])
    assert prompts == [False, True]

    with page.expect_popup() as popup:
        draft.get_by_role("link", name="Open as run").first.click()
    run = popup.value
    expect(run.get_by_text("It is a trial of a draft")).to_be_visible()
    expect(run.get_by_text("Talk like a sailor.")).to_have_count(0)  # the call is closed
    page.goto("/o/acme/")
    expect(page.get_by_role("navigation", name="Conversations").get_by_role("link", name="Hello", exact=True)).to_have_count(0)
