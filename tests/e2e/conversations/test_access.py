"""What a viewer and a stranger see."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_viewer_cannot_write_and_is_told_why(visit: Visit) -> None:
    chat = visit("vera").open()
    expect(chat.composer).to_be_disabled()
    expect(chat.send_button).to_be_disabled()
    expect(chat.page.get_by_text("your role in Acme is viewer")).to_be_visible()
    chat.page.get_by_role("button", name=re.compile("Acme.*organizations")).click()
    expect(chat.page.get_by_role("menuitem", name="Leave Acme")).to_be_visible()
    expect(chat.page.get_by_role("menuitem", name="Admin")).to_have_count(0)
    chat.page.keyboard.press("Escape")


def test_a_conversation_of_another_organization_is_not_there(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("For Acme only."))
    alice = visit("alice").open()
    alice.ask("A secret.")
    conversation = f"c/{alice.conversation_id}/"
    charlie = visit("charlie", organization="other").open(conversation)
    expect(charlie.page.get_by_role("heading", name="Conversation not found")).to_be_visible()
    expect(charlie.page.get_by_role("heading", level=1)).to_have_text("Not found")
    charlie.page.get_by_role("main").get_by_role("button", name="Search your chats").click()
    expect(charlie.page.get_by_role("combobox", name="Search your chats")).to_be_focused()
    charlie.page.keyboard.press("Escape")
    expect(charlie.composer).to_have_count(0)
    charlie.page.goto(f"/o/acme/{conversation}")
    expect(charlie.page.get_by_role("heading", name="Page not found")).to_be_visible()
    colleague = visit("vera").open(conversation)
    expect(colleague.page.get_by_role("heading", name="Conversation not found")).to_be_visible()
