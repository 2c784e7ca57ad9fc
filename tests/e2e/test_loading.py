"""What stands in the page before its scripts do."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Route, expect

from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit

SCRIPT = "**/assets/main-*.js"


def held(visit: Visit) -> tuple[ChatPage, list[Route]]:
    """A page whose script is asked for and does not come yet."""
    chat, routes = visit(), list[Route]()
    chat.page.route(SCRIPT, lambda route: routes.append(route))
    chat.page.goto(chat.home, wait_until="commit")
    return chat, routes


def let_go(chat: ChatPage, routes: list[Route], end: Callable[[Route], None]) -> None:
    """End the wait of the script, also if it is asked for only now."""
    chat.page.unroute(SCRIPT)
    chat.page.route(SCRIPT, end)
    for route in routes:
        end(route)


def test_a_slow_network_shows_that_the_page_is_loading(visit: Visit) -> None:
    chat, routes = held(visit)
    loading = chat.page.get_by_text("Loading Parley…")
    expect(loading).to_be_visible()
    assert violations(chat.page) == []
    let_go(chat, routes, lambda route: route.continue_())
    expect(chat.composer).to_be_visible()
    expect(loading).to_have_count(0)


def test_a_script_that_does_not_come_is_told_with_what_to_do(visit: Visit) -> None:
    chat, routes = held(visit)
    expect(chat.page.get_by_text("Loading Parley…")).to_be_visible()
    let_go(chat, routes, lambda route: route.abort())
    expect(chat.page.get_by_role("status")).to_have_text("Parley could not be loaded. Check your connection, then reload this page.")
    chat.page.unroute(SCRIPT)
    chat.page.reload()
    expect(chat.composer).to_be_visible()
