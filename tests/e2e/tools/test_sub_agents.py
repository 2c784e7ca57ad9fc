"""What a sub-agent does stands in the card of the call that it works for, live and after a reload."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from doubles.script import Call, CitedText, ProviderTool, Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

PAGES = [("https://www.tea.example/green", "Green tea")]


def card_of(chat: ChatPage) -> Locator:
    return chat.work


def test_a_sub_agents_steps_stand_in_its_card(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    model.answer_chat(Text("I let it look."), Call("provider_tools_agent", {"task": "Which colour has tea?"}))
    model.answer_document(
        ProviderTool("code_execution", {"code": "print(2 + 2)"}, output="4\n"), CitedText("Tea is **green**.", pages=PAGES)
    )
    model.answer_chat(Text("It is green."))
    chat.ask("Which tea?")

    card = card_of(chat)
    card.get_by_role("button").first.click()
    shows_all(card)
    assert violations(chat.page) == []

    chat.page.reload()
    chat.rests()
    expect(card.get_by_role("group", name="Steps")).to_have_count(0)
    card.get_by_role("button").first.click()
    shows_all(card)
    expect(chat.answer.get_by_text("It is green.")).to_be_visible()


def shows_all(card: Locator) -> None:
    expect(card.get_by_label("Inputs")).to_contain_text("Which colour has tea?")
    steps = card.get_by_role("group", name="Steps")
    expect(steps.get_by_text("Tea is green.")).to_be_visible()
    code = steps.get_by_role("group", name="Tool: Code")
    expect(code).to_be_visible()
    expect(steps.get_by_role("group", name="Sources").get_by_role("link")).to_have_count(1)
