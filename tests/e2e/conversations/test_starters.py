"""The first minute: each example on the demo's start page leads to what it promises."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.conversations.test_providers import newcomer
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider


def begin(chat: ChatPage, title: str) -> None:
    """Choose a starter on an empty start page, and wait for the whole answer."""
    chat.open()
    chat.page.get_by_role("list", name="Starters").get_by_role("button", name=re.compile(title)).click()
    expect(chat.answers).to_have_count(1)
    chat.rests()


def test_every_starter_of_the_demo_leads_to_what_it_promises(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = newcomer(visit)
    panel = chat.panel.root
    expect(chat.page.get_by_role("list", name="Starters").get_by_role("button")).to_have_count(4)
    expect(chat.page.get_by_text("Demo: scripted answers")).to_have_count(1)
    expect(chat.page.get_by_text(re.compile("scripted|no model", re.IGNORECASE))).to_have_count(1)  # no second label

    begin(chat, "Write a market brief")
    expect(chat.panel.text.get_by_role("table")).to_contain_text("Germany")
    table = chat.panel.text.get_by_role("group", name="Table")
    assert table.evaluate("wrap => wrap.scrollWidth <= wrap.clientWidth"), "all columns are in sight beside the chat"
    expect(chat.panel.text.get_by_role("img", name="Diagram (xychart)")).to_be_visible()

    begin(chat, "Plot our stock")
    expect(chat.panel.editor).to_contain_text("Tea in stock over twelve weeks")
    chat.panel.view("Console")
    panel.get_by_role("button", name="Run", exact=True).click()
    # Without matplotlib, which needs the internet, the program draws with letters.
    expect(panel.get_by_text("Order Assam in week 7").or_(panel.get_by_role("img", name="Picture that the program shows"))).to_be_visible()

    begin(chat, "Draw the sign-in flow")
    expect(panel.get_by_role("img", name="Sign-in with a passkey (sequence)")).to_be_visible()

    begin(chat, "Check a claim")
    expect(chat.answer.get_by_role("table")).to_contain_text("Gyokuro")
    expect(chat.answer.get_by_role("link", name="Brewing green tea, step by step").first).to_be_visible()

    chat.open()
    chat.ask("Work in many steps")
    expect(chat.answer).to_contain_text("All three are done")
