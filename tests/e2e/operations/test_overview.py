"""An admin's morning: the overview, what a member said of an answer, and who looks after it; in light, dark and on a phone."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider

OVERVIEW = "/o/acme/admin/"
FEEDBACK = f"{OVERVIEW}chat/messagefeedback/"


def test_an_admin_reads_the_overview_and_looks_after_feedback(visit: Visit, model: ScriptedProvider, other_looks: Sequence[Look]) -> None:
    model.answer_chat(Text("Green tea."))
    bob = visit("bob").open()
    bob.ask("Which tea is black?")
    bob.answer.get_by_role("button", name="Bad answer").click()
    form = bob.page.get_by_role("dialog", name="What was wrong?")
    form.get_by_role("button", name="Not correct").click()
    form.get_by_role("textbox", name="Comment").fill("Green is not black.")
    form.get_by_role("button", name="Send").click()
    expect(form).to_be_hidden()

    admin = visit("alice").page
    admin.goto(OVERVIEW)
    runs = admin.get_by_role("region", name="Runs by hour", exact=True)
    expect(runs.get_by_role("img")).to_be_visible()
    runs.get_by_text("Show as table").click()
    expect(runs.get_by_role("columnheader", name="Failed", exact=True)).to_be_visible()
    admin.get_by_role("navigation", name="Period").get_by_role("link", name="7 days").click()
    expect(admin.get_by_role("region", name="Runs by day", exact=True)).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("region", name="Waiting for you").get_by_role("link", name="Open feedback").click()

    line = admin.get_by_role("listitem").filter(has_text="Green is not black.").first
    expect(line).to_contain_text("Not correct")
    assert violations(admin) == []
    picture(admin, "feedback-light")
    admin.wait_for_load_state()  # with the script of the keys
    admin.keyboard.press("j")
    expect(line.get_by_role("checkbox")).to_be_focused()
    admin.keyboard.press("a")
    expect(line.get_by_role("checkbox")).to_be_checked()
    people = admin.get_by_role("combobox", name="Assign ticked feedback to")
    expect(people).to_be_focused()
    people.select_option("Alice")
    admin.get_by_role("button", name="Assign", exact=True).click()
    expect(admin.get_by_text("1 assigned.")).to_be_visible()
    admin.goto(FEEDBACK)
    expect(line).to_contain_text("Assigned to Alice")
    line.get_by_role("button", name="Mark as not seen").click()
    expect(line.get_by_role("button", name="Mark as seen")).to_be_visible()
    admin.wait_for_load_state()
    admin.keyboard.press("j")
    admin.keyboard.press("e")
    expect(line.get_by_role("button", name="Mark as not seen")).to_be_visible()

    for dark, phone in other_looks:
        looks_right(visit("alice", dark=dark, phone=phone).page)


def looks_right(page: Page) -> None:
    for path in (f"{OVERVIEW}?period=30", FEEDBACK):
        page.goto(path)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
