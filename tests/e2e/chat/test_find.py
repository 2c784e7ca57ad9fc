"""Finding words in the open conversation, and moving through a long one."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.chat.diaries import add_diary
from tests.e2e.pages import ChatPage, Visit
from tests.support.system.product import Product

DAYS, MESSAGES_OF_A_DAY = 40, 5


@pytest.fixture
def diary(visit: Visit, product: Product) -> ChatPage:
    """Two hundred notes, five a day; the first of a day says "quokka" twice."""
    chat = visit().open(f"c/{add_diary(product, DAYS, MESSAGES_OF_A_DAY)}/")
    expect(chat.questions.last).to_contain_text("Note 200")
    return chat


@pytest.fixture
def long_diary(visit: Visit, product: Product) -> ChatPage:
    """A thousand notes, five a day from 31 December 2025 on."""
    chat = visit().open(f"c/{add_diary(product, 200, 5)}/")
    expect(chat.questions.last).to_contain_text("Note 1000")
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
    expect(status).to_have_text(re.compile(rf"^(7\d|80) of {2 * DAYS}$"))
    place = int((status.text_content() or "").split()[0])
    expect(diary.questions.filter(has_text=f"Note {(place - 1) // 2 * MESSAGES_OF_A_DAY + 1}:")).to_be_in_viewport()
    for _ in range(place, 2 * DAYS + 1):
        page.keyboard.press("Enter")
    expect(bar(page).get_by_role("status")).to_have_text(f"1 of {2 * DAYS}")
    expect(diary.questions.filter(has_text="Note 1:")).to_be_in_viewport()
    become(page, "[...CSS.highlights.get('find-current') ?? []].map(String).join() === 'Quokka'")  # marked anew a frame after each step
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(bar(page).get_by_role("status")).to_have_text(f"3 of {2 * DAYS}")
    page.keyboard.press("Shift+Enter")
    expect(bar(page).get_by_role("status")).to_have_text(f"2 of {2 * DAYS}")
    become(page, "[...CSS.highlights.get('find-current') ?? []].map(String)[0] === 'quokka'")
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


def go_to(page: Page, day: str) -> None:
    """Fill in the dialog that is open."""
    dialog = page.get_by_role("dialog", name="Go to a day")
    expect(dialog.get_by_label("Day")).to_be_focused()
    dialog.get_by_label("Day").fill(day)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)


def scroll_until(target: Locator, by: int, slow_at: Locator | None = None) -> None:
    """Turn the wheel over the messages until it is rendered; hardly at all while `slow_at` is, which must not be passed."""
    target.page.get_by_role("region", name="Messages").hover()
    for _ in range(500):
        if target.count():
            return
        target.page.mouse.wheel(0, by // 100 if slow_at and slow_at.count() else by)
        target.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    raise AssertionError("it was never rendered")


def test_a_day_is_shown_without_what_lies_between_and_read_on_from_there(long_diary: ChatPage) -> None:
    diary, page = long_diary, long_diary.page
    region = page.get_by_role("region", name="Messages")
    region.hover()
    page.mouse.wheel(0, -1500)
    page.get_by_role("button", name="Go to a day").focus()
    page.keyboard.press("Enter")
    go_to(page, "2026-01-05")
    expect(diary.questions.filter(has_text="Note 26:")).to_be_in_viewport()
    expect(region).to_be_focused()
    assert page.evaluate("() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('since=')).length") == 1
    gap = page.get_by_role("button", name="Load the messages in between")
    page.get_by_role("button", name="Jump to the newest message").click()
    expect(diary.questions.filter(has_text="Note 1000")).to_be_in_viewport()
    scroll_until(gap, by=-400)
    gap.scroll_into_view_if_needed()
    first = diary.questions.filter(has=gap)
    expect(first).to_be_in_viewport()
    message_id = first.get_attribute("data-message")
    gap.click()
    expect(diary.questions.last).to_have_attribute("aria-setsize", "1000")
    expect(page.locator(f'[data-message="{message_id}"]')).to_be_in_viewport()
    expect(gap).to_have_count(0)


def test_a_reader_moves_down_from_a_day_to_the_next_ones(long_diary: ChatPage) -> None:
    diary, page = long_diary, long_diary.page
    region = page.get_by_role("region", name="Messages")
    region.hover()
    page.mouse.wheel(0, -1500)
    page.get_by_role("button", name="Go to a day").click()
    go_to(page, "2026-01-05")
    expect(diary.questions.filter(has_text="Note 26:")).to_be_in_viewport()
    gap = page.get_by_role("button", name="Load the messages in between")
    scroll_until(page.get_by_text("Note 130", exact=True), by=200, slow_at=gap)
    expect(page.get_by_text("Note 129", exact=True)).to_have_count(1)


def test_a_day_without_messages_leads_to_the_next_one_and_the_future_to_none(diary: ChatPage) -> None:
    page = diary.page
    page.keyboard.press("Control+f")
    bar(page).get_by_role("button", name="Go to a day").click()
    go_to(page, "2025-11-01")
    expect(diary.questions.filter(has_text="Note 1:")).to_be_in_viewport()
    expect(page.get_by_text("Nothing was written on that day. This is the next message.")).to_be_visible()
    page.keyboard.press("Control+f")
    bar(page).get_by_role("button", name="Go to a day").click()
    dialog = page.get_by_role("dialog", name="Go to a day")
    dialog.get_by_label("Day").fill("2026-02-20")
    dialog.get_by_role("button", name="Go", exact=True).click()
    expect(page.get_by_text("Nothing was written on that day or later.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
