"""What the provider searched, read and ran is on cards, and the pages that an answer rests on stand below it."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from doubles.script import CitedText, Item, ProviderTool, Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

PAGES = [(f"https://www.tea.example/{number}", f"Tea, part {number}") for number in range(1, 7)]
ANSWER: list[Item] = [
    Text("I look."),
    ProviderTool("web_search", {"query": "green tea"}),
    ProviderTool("url_context", {"url": PAGES[0][0]}, pages=PAGES[:1]),
    ProviderTool("code_execution", {"code": "print(2 + 2)"}, output="4\n"),
    CitedText("Tea is **green**.", pages=PAGES),
]


def open_card(chat: ChatPage, name: str) -> Locator:
    card = chat.work.get_by_role("group", name=f"Tool: {name}")
    card.get_by_role("button").first.click()
    return card


def shows_all(chat: ChatPage) -> None:
    expect(chat.work.get_by_role("button", name="Worked")).to_contain_text("1 search, 1 page, 1 other step")
    chat.open_work()
    expect(chat.work.get_by_role("list", name="Steps").get_by_role("listitem")).to_contain_text(
        ["Searched the web", "Opened a page", "Ran a program"]
    )
    expect(open_card(chat, "Web search").get_by_label("Searched for")).to_have_text("green tea")
    expect(open_card(chat, "Pages read").get_by_role("link")).to_have_text(PAGES[0][0])
    code = open_card(chat, "Code")
    expect(code.get_by_role("group", name="Code, python")).to_have_text("print(2 + 2)")
    expect(code.get_by_label("Output")).to_have_text("4")


def test_provider_tools_are_shown_live_and_after_a_reload(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    model.answer_chat(*ANSWER)
    chat.ask("Which tea?")
    shows_all(chat)

    sources = chat.answer.get_by_role("group", name="Sources")
    expect(sources.get_by_role("listitem")).to_have_count(5)
    sources.get_by_role("button", name="Show all 6").press("Enter")
    expect(sources.get_by_role("listitem")).to_have_text([f"{number}tea.exampleTea, part {number}" for number in range(1, 7)])
    last = sources.get_by_role("link").last
    last.focus()
    expect(last).to_be_focused()
    last.press("Enter")
    dialog = chat.page.get_by_role("alertdialog", name="Open this link?")
    opens = dialog.get_by_role("link", name="Open")
    expect(opens).to_have_attribute("href", PAGES[5][0])
    expect(opens).to_have_attribute("rel", "noopener noreferrer nofollow")
    dialog.get_by_role("button", name="Cancel").click()
    assert violations(chat.page) == []

    chat.page.reload()
    chat.rests()
    shows_all(chat)
    expect(sources.get_by_role("button", name="Show all 6")).to_be_visible()
