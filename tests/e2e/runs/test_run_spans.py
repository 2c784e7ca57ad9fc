"""An admin drags over the bars above the list of runs, sees how many runs each view has, and watches a run go on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from doubles.script import Text, Usage
from doubles.signals import Gate
from tests.e2e.accessibility import violations_in_both_colours
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.runs.test_run_list import RUNS, histogram
from tests.e2e.scripted_provider import ScriptedProvider

HOUR = timedelta(hours=1)


def bar(page: Page, from_end: int) -> tuple[float, float]:
    """The middle of a bar; the last one is 1."""
    svg = histogram(page).locator("svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    assert box is not None
    count = svg.locator("a").count()
    return box["x"] + box["width"] * (count - from_end + 0.5) / count, box["y"] + box["height"] / 2


def status(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text=re.compile("end|to"))


def status_span(page: Page) -> timedelta:
    """How long the time is that the page names beside the bars, "3 Mar, 09:00 to 3 Mar, 12:00"."""
    first, last = (
        datetime.strptime(f"2024 {text}", "%Y %d %b, %H:%M").replace(tzinfo=UTC) for text in status(page).inner_text().split(" to ")
    )
    return (last - first) % timedelta(days=366)


def span(page: Page) -> timedelta:
    """How long the time in the address is."""
    query = parse_qs(urlsplit(page.url).query)
    assert query["period"] == ["ended"]
    return datetime.fromisoformat(query["last"][0]) - datetime.fromisoformat(query["first"][0])


def current_bars(page: Page) -> Locator:
    return histogram(page).locator("tbody a[aria-current]")


def test_a_time_is_chosen_over_several_bars(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Green tea."), Usage(1200, 34))
    visit("bob").open().ask("Which tea is green?")
    page = visit("alice").page
    page.goto(f"{RUNS}?state=done")

    page.mouse.move(*bar(page, 4))
    page.mouse.down()
    page.mouse.move(*bar(page, 2))
    expect(status(page)).to_have_text(re.compile(r"\d\d:00 to .*\d\d:00"))
    assert status_span(page) == 3 * HOUR
    picture(page, "run-span-light")
    page.keyboard.press("Escape")
    expect(status(page)).to_have_count(0)
    page.mouse.up()
    page.mouse.move(*bar(page, 4))
    page.mouse.down()
    page.mouse.move(*bar(page, 2))
    page.mouse.move(*bar(page, 1))
    assert "period" not in page.url, "Escape has cancelled the first one"
    page.mouse.up()
    page.wait_for_url("**period=ended**")
    assert span(page) == 4 * HOUR
    assert "state=done" in page.url
    expect(page.get_by_role("combobox", name="Time")).to_have_value("ended")
    expect(page.get_by_role("row", name=re.compile("Bob")).first).to_be_visible()
    expect(current_bars(page)).to_have_count(4)
    assert violations_in_both_colours(page) == []

    page.mouse.click(*bar(page, 1))  # a click is still the one bar
    page.wait_for_function("address => location.href !== address", arg=page.url)
    assert span(page) == HOUR


def test_a_time_is_chosen_by_keys(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Green tea."))
    visit("bob").open().ask("Which tea is green?")
    page = visit("alice").page
    page.goto(RUNS)
    histogram(page).get_by_text("Show as table").focus()
    page.keyboard.press("Enter")
    hours = histogram(page).get_by_role("rowheader").get_by_role("link")
    hours.last.focus()
    page.keyboard.press("Shift+Enter")
    expect(status(page)).to_contain_text("is one end. Choose the other.")
    page.keyboard.press("Escape")
    expect(status(page)).to_have_count(0)
    page.keyboard.press("Shift+Enter")
    for _ in range(2):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Enter")
    page.wait_for_url("**period=ended**")
    assert span(page) == 3 * HOUR
    expect(current_bars(page)).to_have_count(3)
    with page.expect_navigation():
        page.go_back()
    expect(page.get_by_role("combobox", name="Time")).to_have_value("7")


def test_a_finger_chooses_a_time_and_pages_look_right(visit: Visit, model: ScriptedProvider, other_looks: Sequence[Look]) -> None:
    model.answer_chat(Text("Green tea."))
    visit("bob").open().ask("Which tea is green?")
    for dark, phone in other_looks:
        page = visit("alice", dark=dark, phone=phone).page
        page.goto(f"{RUNS}?period=1")
        expect(page.get_by_role("navigation", name="Views").get_by_role("link", name=re.compile(r"^All \d"))).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
        if phone:
            swipe(page, bar(page, 5), bar(page, 1))
            page.wait_for_url("**period=ended**")
            assert span(page) == 5 * HOUR


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    session = page.context.new_cdp_session(page)
    for kind, points in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    session.detach()


def test_a_run_that_goes_on_is_followed_in_its_row(visit: Visit, model: ScriptedProvider) -> None:
    gate = Gate()
    model.answer_chat(Text("Gre"), gate, Text("en tea."), Usage(1200, 34))
    chat = visit("bob").open()
    chat.say("Which tea is green?")
    page = visit("alice").page
    page.goto(RUNS)
    views = page.get_by_role("navigation", name="Views")
    expect(views.get_by_role("link", name=re.compile(r"^Running [1-9]"))).to_be_visible()
    row = page.get_by_role("row", name=re.compile("Bob")).first
    expect(row).to_contain_text("Running")
    row.get_by_role("link").focus()
    page.evaluate("window.isSame = true")
    gate.release()
    chat.rests()
    expect(row).to_contain_text("Done")
    expect(row).to_contain_text(re.compile(r"1,\d{3}"))  # its tokens
    expect(row.get_by_role("link")).to_be_focused()
    assert page.evaluate("window.isSame"), "the page was not loaded again"
    expect(row).not_to_have_attribute("data-live", "")  # so it is not asked for again
