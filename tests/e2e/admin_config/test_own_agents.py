"""What an admin makes of clicks works in the chat: a folder, an HTTP tool that asks, a reviewed MCP server, and an agent that has them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.accessibility import violations
from tests.e2e.admin_pages import agent_address, give, make_agent, make_source, upload
from tests.e2e.conftest import SessionOf
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.pictures import FOLDER, picture
from tests.e2e.scripted_provider import ScriptedProvider
from tests.e2e.windows import Windows
from tests.support.system.product import Product

ORDER_7 = 'Ask `order_clerk` to use `orders` with {"number": "7"}'
REASON = "This chat contains files, web pages or answers of tools."


@pytest.fixture(scope="module", autouse=True)
def own_agent(windows: Windows, product: Product, session_of: SessionOf) -> None:
    """An agent with a tool that asks, a server's tools and a folder; the chat agent may call it, and has the folder, too."""
    with windows.signed_in(session_of("alice")) as page:
        make_http_tool(page, product.double.base_url)
        make_mcp_source(page, product.double.base_url)
        make_source(page, "files", "notes", What_is_in_it="Notes about tea.")
        upload(page, "notes", "tea.md", "# Tea\n\nSencha is a green tea.\n")
        picture(page, "knowledge-light")
        make_agent(page, "order_clerk", "Looks up orders. Tell it the number.")
        give(page, "order_clerk_demo", sources=("orders", "hub"))
        give(page, "chat_model_agent_demo", sources=("notes",), agents=("order_clerk",))
        if FOLDER:
            page.goto(f"{agent_address(page, 'chat_model_agent_demo')}#tools")
            picture(page, "agent-tools-light", of=page.get_by_role("tablist").first)


def make_http_tool(page: Page, demo: str) -> None:
    """It is tried before an agent gets it: what goes out is shown before it goes."""
    address = f"{demo}/orders/{{number}}"
    make_source(
        page, "http", "orders", asks=True, What_it_does="Looks up an order.", argument="number", Address=address, Result_path="data"
    )
    page.get_by_text("Show as JSON Schema").click()
    expect(page.get_by_role("textbox", name="Arguments as JSON Schema")).to_have_value(re.compile('"required": \\[\\s*"number"'))
    page.get_by_role("button", name="Add an argument").click()
    expect(page.get_by_role("textbox", name="Argument", exact=True).nth(1)).to_be_focused()
    page.get_by_role("combobox", name="Type").nth(1).select_option(label="One of…")
    expect(page.get_by_role("textbox", name="Choices, separated by commas").last).to_be_visible()
    page.locator("#trial-arguments").fill('{"number": "7"}')
    page.get_by_role("button", name="Show the request").click()
    expect(page.locator("[data-trial-request]")).to_contain_text("/orders/7")
    page.get_by_role("button", name="Send it").click()
    expect(page.locator("[data-trial-answer]")).to_contain_text("Sencha")
    assert violations(page) == []
    picture(page, "http-tool-light", of=page.locator("#trial-arguments"))


def make_mcp_source(page: Page, demo: str) -> None:
    """Nothing of it is in use before somebody looked at it."""
    make_source(page, "mcp", "hub", Address=f"{demo}/github/mcp/")
    page.get_by_role("link", name="Look at its tools").click()
    page.get_by_role("button", name="Discover its tools").click()
    expect(page.get_by_role("checkbox", name="list_issues")).not_to_be_checked()
    assert violations(page) == []
    picture(page, "mcp-review-light")
    for box in page.locator("input[name=tool]:not([value=issue_write])").all():
        box.check()
    page.get_by_role("button", name="Accept selected").click()
    expect(page.get_by_role("heading", name="In use")).to_be_visible()
    expect(page.get_by_role("checkbox", name="issue_write")).not_to_be_checked()


@pytest.fixture
def chat(visit: Visit, model: ScriptedProvider) -> ChatPage:
    model.use_demo_script()
    return visit().open()


def clerk(chat: ChatPage) -> Locator:
    """The card of the agent's call in the newest answer."""
    return chat.work


def question(chat: ChatPage, tool: str) -> Locator:
    return chat.answer.get_by_role("region", name=f"Allow \u201c{tool}\u201d?")


def waits(chat: ChatPage) -> None:
    expect(chat.page.locator("body")).to_have_attribute("data-waiting", "approval")


def goes_on(chat: ChatPage) -> None:
    expect(chat.page.locator("body")).to_have_attribute("data-waiting", "")
    chat.rests()


def test_an_agent_asks_for_its_tool_inside_of_its_card_and_goes_on_when_it_may(chat: ChatPage) -> None:
    chat.ask(ORDER_7)
    waits(chat)
    expect(question(chat, "Orders").get_by_role("group", name="What is sent")).to_contain_text("7")
    assert violations(chat.page) == []
    picture(chat.page, "sub-agent-light")
    chat.page.reload()
    question(chat, "Orders").get_by_role("button", name="Allow", exact=True).click()
    expect(chat.answer).to_contain_text("Sencha")
    goes_on(chat)
    chat.page.reload()
    clerk(chat).get_by_role("button").first.click()
    expect(clerk(chat).get_by_role("group", name="Tool: Orders")).to_contain_text("Allowed")
    assert violations(chat.page) == []


def test_an_agent_is_told_why_its_call_was_refused(chat: ChatPage) -> None:
    chat.ask(ORDER_7)
    waits(chat)
    refuse = question(chat, "Orders").get_by_role("button", name="Don\u2019t allow")
    refuse.click()
    question(chat, "Orders").get_by_role("textbox", name="Reason").fill("Not that one.")
    refuse.click()
    expect(chat.answer).to_contain_text("You wrote: \u201cNot that one.\u201d")
    goes_on(chat)
    expect(question(chat, "Orders")).to_have_count(0)


def test_an_agent_calls_accepted_tools_of_an_mcp_server(chat: ChatPage) -> None:
    chat.ask('Ask `order_clerk` to use `list_issues` with {"owner": "demo", "repo": "tea"}')
    expect(chat.answer).to_contain_text("Offer gift boxes")
    chat.rests()


def test_what_has_read_strangers_words_and_the_folder_asks_before_it_sends(chat: ChatPage) -> None:
    chat.ask("Search our files for sencha")
    expect(chat.answer).to_contain_text("has it:")
    chat.rests()
    chat.ask("Read the demo page")  # its address is the model's own
    waits(chat)
    expect(chat.answer).to_contain_text(REASON)
    assert violations(chat.page) == []
    chat.page.reload()
    waits(chat)
    expect(chat.answer).to_contain_text(REASON)
    chat.answer.get_by_role("region", name="Open this web page?").get_by_role("button", name="Allow once").click()
    expect(chat.answer).to_contain_text("I read How to brew green tea")
    goes_on(chat)
