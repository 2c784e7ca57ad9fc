"""Finding words in the open conversation, and moving through a long one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.diaries import add_diary
from tests.e2e.pages import ChatPage, Visit
from tests.support.product import Product

DAYS, MESSAGES_OF_A_DAY = 40, 5


@pytest.fixture
def diary(visit: Visit, product: Product) -> ChatPage:
    """Two hundred notes, five a day; the first of a day says "quokka" twice."""
    chat = visit().open(f"c/{add_diary(product, DAYS, MESSAGES_OF_A_DAY)}/")
    expect(chat.questions.last).to_contain_text("Note 200")
    return chat


def bar(page: Page) -> Locator:
    return page.get_by_role("search", name="Find in this chat")


def become(page: Page, expression: str) -> None:
    """Wait until it is true. Playwright's own way asks again by `eval`, which the page's policy forbids."""
    for _ in range(500):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(20)
    raise AssertionError(expression)


def test_words_are_found_in_all_of_a_conversation(diary: ChatPage) -> None:
    page = diary.page
    page.keyboard.press("Control+f")
    page.keyboard.type("quokka")
    # Begins at what is in sight, at the end.
    status = bar(page).get_by_role("status")
    expect(status).to_have_text(re.compile(rf"^7\d of {2 * DAYS}$"))
    place = int((status.text_content() or "").split()[0])
    expect(diary.questions.filter(has_text=f"Note {(place - 1) // 2 * MESSAGES_OF_A_DAY + 1}:")).to_be_in_viewport()
    for _ in range(place, 2 * DAYS + 1):
        page.keyboard.press("Enter")
    expect(bar(page).get_by_role("status")).to_have_text(f"1 of {2 * DAYS}")
    expect(diary.questions.filter(has_text="Note 1:")).to_be_in_viewport()
    assert page.evaluate("[...CSS.highlights.get('find-current')].map(String)") == ["Quokka"]
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(bar(page).get_by_role("status")).to_have_text(f"3 of {2 * DAYS}")
    page.keyboard.press("Shift+Enter")
    expect(bar(page).get_by_role("status")).to_have_text(f"2 of {2 * DAYS}")
    become(page, "[...CSS.highlights.get('find-current')].map(String)[0] === 'quokka'")
    page.keyboard.press("Control+a")
    page.keyboard.type("wombat")
    expect(bar(page).get_by_role("status")).to_have_text("Not found")
    page.keyboard.press("Escape")
    expect(bar(page)).to_have_count(0)
    expect(page.get_by_role("region", name="Messages")).to_be_focused()
    become(page, "CSS.highlights.size === 0")


def test_a_long_conversation_has_its_days_and_a_way_to_the_start(diary: ChatPage) -> None:
    page = diary.page
    expect(page.get_by_text(re.compile("^Sunday,? 8 February"))).to_be_in_viewport()
    page.get_by_role("region", name="Messages").hover()
    page.mouse.wheel(0, -2000)
    page.get_by_role("button", name="Jump to the start").click()
    expect(page.get_by_text(re.compile("^Wednesday,? 31 December"))).to_be_in_viewport()
    expect(diary.questions.first).to_contain_text("Note 1:")
    page.get_by_role("button", name="Jump to the newest message").click()
    expect(diary.questions.last).to_be_in_viewport()
