"""What members meet before their first chat, what they choose for new ones, and how a chat is dated later."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider


@pytest.fixture
def chat(visit: Visit) -> ChatPage:
    return visit("carol", organization="other")


def test_every_empty_page_says_what_to_do(chat: ChatPage) -> None:
    page = chat.open("archive/").page
    expect(page.get_by_text("Archive a chat to take it out of your list.")).to_be_visible()
    page.keyboard.press("Control+k")
    search = page.get_by_role("dialog")
    search.get_by_role("combobox").fill("quetzal")
    expect(search.get_by_text("Nothing found for “quetzal”")).to_be_visible()
    page.keyboard.press("Escape")
    chat.settings("Data")
    expect(chat.section("Data").get_by_text("shared anything by link.")).to_be_visible()
    chat.page.get_by_role("dialog").get_by_role("button", name="API tokens").click()
    expect(chat.section("API tokens").get_by_text("You have no tokens yet.")).to_be_visible()
    assert violations(page) == []


def test_model_and_thinking_of_new_chats_come_from_the_settings(chat: ChatPage, model: ScriptedProvider) -> None:
    page = chat.open().page
    settings = chat.settings("Chat")
    settings.get_by_role("combobox", name="Model for new chats").select_option("Demo (fast)")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/o/other/$"))
    expect(chat.model_menu).to_have_accessible_name("Model: Demo (fast)")
    expect(chat.thinking).to_have_count(0)  # this model can't
    chat.choose_model("Demo")
    page.reload()
    expect(chat.model_menu).to_have_accessible_name("Model: Demo (fast)")  # not the one used last
    settings = chat.settings("Chat")
    settings.get_by_role("combobox", name="Model for new chats").select_option("Demo")
    settings.get_by_role("switch", name="Thinking").click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/o/other/$"))  # a reload before that opens the settings again
    page.reload()
    expect(chat.model_menu).to_have_accessible_name("Model: Demo")
    expect(chat.thinking).to_have_attribute("aria-pressed", "true")
    model.answer_chat(Text("Thought through."))
    chat.ask("Is it settled?")
    assert model.chat_requests[-1].body["generationConfig"]["thinkingConfig"]["includeThoughts"] is True


def test_an_organizations_switch_gives_its_tool_and_a_chat_of_yesterday_says_so(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit("carol", organization="other", fresh="a clock of its own").open()
    page = chat.page
    plus = page.get_by_role("button", name="Add files and more")
    plus.press("Enter")
    own = page.get_by_role("menu").get_by_role("group", name="Other Ltd").get_by_role("menuitemcheckbox")
    expect(own).to_contain_text("Live numbers from the warehouse")
    expect(own).not_to_be_checked()
    own.press("Space")
    expect(own).to_be_checked()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.reload()
    chip = page.get_by_role("button", name="Use stock system is on")
    model.answer_chat(Text("Twelve boxes."))
    expect(chip).to_be_visible()
    chat.ask("How many boxes?")
    assert "stock" in model.chat_requests[-1].tool_names
    chip.click()
    model.answer_chat(Text("I can't look."))
    chat.ask("And now?")
    assert "stock" not in model.chat_requests[-1].tool_names

    created_at = datetime.fromisoformat(chat.conversation["messages"][-1]["metadata"]["createdAt"])
    page.clock.set_fixed_time(created_at + timedelta(days=1))
    page.reload()
    expect(chat.sidebar.get_by_text("Yesterday", exact=True)).to_be_visible()
    times = page.locator("time[datetime]")
    expect(times.first).to_have_attribute("data-text", f"yesterday, {created_at:%H:%M}")
    page.clock.set_fixed_time(created_at + timedelta(days=4))
    page.reload()
    expect(chat.sidebar.get_by_text("Previous 7 days", exact=True)).to_be_visible()
