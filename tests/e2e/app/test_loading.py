"""What stands in the page before its scripts do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Route, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.layout import NOTE_MOVES, layout_shift
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

SCRIPT = "**/assets/main-*.js"
REST = re.compile(r"/assets/(sdkChat|ThreadWithEnd)-")
SETTINGS = "**/assets/SettingsDialog-*.js"
MOST_REQUESTS = 12
MOST_SCRIPT_BYTES = 160_000  # compressed; it was 278,000 with all that is now fetched after the first look
MOST_BYTES = 280_000

# Marks when the message box can be written in.
NOTE_COMPOSER = """new MutationObserver((_, observer) => {
  const box = document.getElementById('message')
  if (!box || box.disabled) return
  performance.mark('composer')
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })"""

# What was asked for before that, the page itself first.
READ_LOADED = """() => {
  const [{ startTime: end }] = performance.getEntriesByName('composer')
  return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ startTime }) => startTime < end)
    .map(({ name, transferSize }) => [new URL(name).pathname, transferSize])
}"""


@dataclass
class WaitingPage:
    """A page whose script is asked for and does not come yet."""

    chat: ChatPage
    routes: list[Route] = field(default_factory=list)
    end: Callable[[Route], None] | None = None

    def on_route(self, route: Route) -> None:
        if self.end is None:
            self.routes.append(route)
        else:
            self.end(route)

    def let_go(self, end: Callable[[Route], None]) -> None:
        """End the wait of the script, also if it is asked for only now."""
        self.end = end
        for route in self.routes:
            end(route)


def waiting_page(visit: Visit) -> WaitingPage:
    page = WaitingPage(visit(fresh="a first visit"))
    page.chat.page.route(SCRIPT, page.on_route)
    page.chat.page.goto(page.chat.home, wait_until="commit")
    return page


def test_a_slow_network_shows_that_the_page_is_loading(visit: Visit) -> None:
    page = waiting_page(visit)
    chat = page.chat
    loading = chat.page.get_by_text("Loading Parley…")
    expect(loading).to_be_visible()
    assert violations(chat.page) == []
    page.let_go(lambda route: route.continue_())
    expect(chat.composer).to_be_visible()
    expect(loading).to_have_count(0)


def test_a_script_that_does_not_come_is_told_with_what_to_do(visit: Visit) -> None:
    page = waiting_page(visit)
    chat = page.chat
    expect(chat.page.get_by_text("Loading Parley…")).to_be_visible()
    page.let_go(lambda route: route.abort())
    expect(chat.page.get_by_role("status")).to_have_text("Parley could not be loaded. Check your connection, then reload this page.")
    chat.page.unroute(SCRIPT)
    chat.page.reload()
    expect(chat.composer).to_be_visible()


def test_the_message_box_works_after_few_and_small_requests(visit: Visit) -> None:
    chat = visit(fresh="a first visit")
    chat.page.add_init_script(NOTE_COMPOSER)
    chat.open()
    expect(chat.composer).to_be_editable()
    resources: list[tuple[str, int]] = chat.page.evaluate(READ_LOADED)
    assert len(resources) <= MOST_REQUESTS, resources
    assert sum(size for path, size in resources if path.endswith(".js")) <= MOST_SCRIPT_BYTES, resources
    assert sum(size for _, size in resources) <= MOST_BYTES, resources


def test_nothing_moves_by_itself_while_a_chat_opens(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("The answer."))
    model.answer_suggestions("Where does it come from?", "Is it healthy?")
    chat = visit(fresh="a script of its own").open()
    chat.ask("What is tea?")
    suggestions = chat.page.get_by_role("list", name="Suggestions")
    expect(suggestions).to_be_visible()
    chat.page.add_init_script(NOTE_MOVES)
    chat.page.reload()
    expect(suggestions).to_be_visible()
    expect(chat.answer).to_contain_text("The answer.")
    expect(chat.composer).to_have_attribute("placeholder", "Ask anything, or describe what to make")
    assert layout_shift(chat.page) < 0.01


def test_a_message_waits_for_the_scripts_that_come_after_the_page(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Hello to you."))
    chat = visit(fresh="a first visit")
    chat.page.route(REST, lambda route: route.abort())
    chat.open()
    expect(chat.composer).to_be_editable()
    chat.composer.fill("Hello")
    chat.composer.press("Enter")
    expect(chat.page.get_by_role("status", name="Loading the conversation")).to_be_visible()
    chat.page.unroute(REST)
    expect(chat.answers).to_contain_text(["Hello to you."])
    chat.rests()
    expect(chat.questions).to_have_text(["Hello"])


def test_a_dialog_that_cannot_be_loaded_yet_leaves_the_page_and_comes_later(visit: Visit) -> None:
    chat = visit(fresh="a first visit").open()
    chat.page.route(SETTINGS, lambda route: route.abort())
    chat.page.get_by_role("button", name="settings and sign out").click()
    chat.page.get_by_role("menuitem", name="Settings").click()
    expect(chat.page.get_by_text("A part of this page could not be loaded.")).to_be_visible()
    expect(chat.composer).to_be_editable()
    chat.page.unroute(SETTINGS)
    expect(chat.page.get_by_role("dialog", name="Settings")).to_be_visible()
