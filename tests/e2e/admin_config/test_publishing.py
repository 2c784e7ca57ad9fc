"""A bad prompt is tried and caught; an owner gives it to some members in spite of that; it is taken back, by hand and by its rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from doubles.script import Answer, Fault, ReceivedRequest, Text
from tests.e2e.accessibility import violations
from tests.e2e.admin_config.canary_day import canary_day
from tests.e2e.admin_pages import agent_address
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider, is_chat
from tests.support.system.product import Product

ADMIN = "/o/finch/admin/"
RELEASES = f"{ADMIN}admin_config/release/"


def answer(request: ReceivedRequest) -> Answer | None:
    """What the model says: with the bad prompt it promises a day, and of every five orders below 1,000 it is refused four."""
    if not is_chat(request):
        return None
    if "Promise a day." not in str(request.body):
        return Answer((Text("No date is known yet."),))
    number = int(re.findall(r"order (\d+)", request.user_text)[-1])
    return Answer((Fault.status(400),)) if number < 1000 and number % 5 else Answer((Text("It arrives on Monday."),))


@pytest.fixture
def owner(visit: Visit) -> Iterator[Page]:
    """Greta's page; what is required and drafted is gone afterwards."""
    page = visit("greta", organization="finch").page
    yield page
    for kind in ("requirement", "dataset"):
        page.goto(f"{ADMIN}evaluations/{kind}/")
        page.get_by_role("link", name="Order desk").first.click()
        page.get_by_role("link", name="Delete").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text("was deleted successfully")).to_be_visible()
    page.goto(f"{RELEASES}discard/")
    page.get_by_role("button", name="Discard draft").click()
    expect(page.get_by_text("The draft is discarded.")).to_be_visible()


def require_a_case(page: Page) -> None:
    page.goto(f"{ADMIN}evaluations/dataset/add/")
    page.get_by_label("Name").fill("Order desk")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("link", name="Add case").click()
    page.get_by_label("Question").fill("When does order 88213 arrive?")
    page.get_by_label("Must pass").check()
    page.get_by_role("link", name="Add check").click()
    page.locator("select[name='expectations-0-kind']").select_option(label="Does not contain")
    page.locator("textarea[name='expectations-0-value']").fill("Monday")
    page.get_by_role("button", name="Save", exact=True).click()
    page.goto(f"{ADMIN}evaluations/dataset/")
    page.get_by_role("link", name="Required before publishing").click()
    page.get_by_role("link", name="Add required data set").last.click()
    page.get_by_label("Data set").select_option(label="Order desk")
    assert violations(page) == []
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("link", name="Order desk").first).to_be_visible()


def spoil_the_prompt(page: Page) -> None:
    page.goto(agent_address(page, "chat_model_agent_demo", config=f"{ADMIN}admin_config"))
    page.get_by_role("button", name="Identity").click()
    page.get_by_role("button", name="Customize: Text").first.click()
    page.get_by_role("tabpanel").get_by_role("textbox", name="Text").first.fill("You are kind. Promise a day.")
    try_it(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved to the draft, not published.")).to_be_visible()


def try_it(page: Page) -> None:
    """Ask the unsaved prompt what members will ask."""
    page.get_by_role("tab", name="Try it").click()
    page.get_by_role("textbox", name="Question to the draft").fill("When does order 88213 arrive?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("region", name="Answers of the draft")).to_contain_text("It arrives on Monday.")


def leave_out_the_steps(page: Page) -> None:
    """Change the number of steps as well, leave it out of the release, and see what was typed still there."""
    page.goto(agent_address(page, "chat_model_agent_demo", config=f"{ADMIN}admin_config"))
    page.get_by_role("tab", name="Limits").click()
    page.get_by_role("spinbutton", name="Max steps").fill("9")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved to the draft, not published.")).to_be_visible()
    page.goto(f"{RELEASES}publish/")
    page.get_by_label("What changes for members?").fill("Answers promise a day")
    page.get_by_role("link", name="Leave out Max steps").click()
    left_out = page.get_by_role("region", name="Left out of this release")
    expect(left_out.get_by_role("heading", name="Max steps")).to_be_visible()
    expect(page.get_by_label("What changes for members?")).to_have_value("Answers promise a day")
    left_out.get_by_role("link", name="Take in again Max steps").click()
    expect(left_out).to_be_hidden()
    page.get_by_role("link", name="Leave out Max steps").click()
    expect(left_out).to_be_visible()


def test_a_bad_prompt_is_caught_goes_to_a_canary_and_is_taken_back(
    visit: Visit, owner: Page, model: ScriptedProvider, product: Product, other_looks: Sequence[Look]
) -> None:
    model.answer_by(answer)
    require_a_case(owner)
    spoil_the_prompt(owner)
    owner.goto(RELEASES)
    owner.get_by_role("link", name="Review and publish…").click()
    expect(owner.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    leave_out_the_steps(owner)
    owner.get_by_role("button", name="Run the checks").click()
    expect(owner.get_by_role("region", name="Left out of this release")).to_be_visible()
    expect(owner.get_by_text("“When does order 88213 arrive?” must pass and fails in 3 of 3 answers.").first).to_be_visible()
    expect(owner.get_by_role("button", name="Publish", exact=True)).to_be_disabled()
    assert violations(owner) == []
    picture(owner, "publish-light")
    for dark, phone in other_looks:
        looks_right(visit("greta", organization="finch", dark=dark, phone=phone).page, owner.url)

    publish_to_a_tenth(owner)
    owner.get_by_label("Why").first.fill("Support asked for it.")
    owner.get_by_role("button", name="Take back now").click()
    expect(owner.get_by_text("is taken back. Its changes are still in the draft.")).to_be_visible()
    owner.get_by_role("link", name="All releases").click()
    expect(owner.get_by_role("cell", name="taken back").or_(owner.get_by_text("taken back", exact=True)).first).to_be_visible()

    owner.get_by_role("link", name="Review and publish…").click()
    publish_to_a_tenth(owner)
    is_taken_back_by_itself(
        owner, product, [visit("greta", organization="finch", dark=dark, phone=phone).page for dark, phone in other_looks]
    )
    schedule_and_cancel(owner, visit)


def publish_to_a_tenth(owner: Page) -> None:
    owner.get_by_text("Override…").click()
    owner.get_by_label("Why publish in spite of the checks?").fill("To see what members do.")
    owner.get_by_label("What changes for members?").fill("Answers promise a day")
    owner.get_by_role("radio", name=re.compile("Canary first: .* of members")).check()
    owner.get_by_label("Per cent of members").fill("10")
    owner.get_by_role("button", name="Publish anyway").click()
    expect(owner.get_by_text("goes to 10 % of members")).to_be_visible()
    expect(owner.get_by_text("Not enough yet").first).to_be_visible()


def is_taken_back_by_itself(owner: Page, product: Product, others: Sequence[Page]) -> None:
    """Members ask, see how both releases do, and find the canary taken back, with the reason where an admin looks first."""
    with canary_day(product) as day:
        assert day.go_on(5) == {"questions": 80, "over": False}, "below the 50 canary runs that its rules want"
        owner.reload()
        failure_row = owner.get_by_role("region", name="Measures").get_by_role("row", name=re.compile("^Failed runs"))
        expect(failure_row).to_contain_text("80.0 %40 runs")
        expect(failure_row).to_contain_text("Over the limit")
        assert violations(owner) == []
        picture(owner, "canary-light")
        picture(owner, "canary-curves-light", of=owner.get_by_role("region", name="Difference to the live release"))
        for page in others:
            looks_right(page, owner.url)
        is_on_the_overview(owner, others)
        assert day.go_on(20)["over"]
    owner.goto(ADMIN)
    waiting = owner.get_by_role("region", name="Waiting for you").get_by_role("listitem").filter(has_text="was taken back by itself")
    expect(waiting.first).to_contain_text(re.compile(r"Failed runs: \d\d\.\d % against 0\.0 %"))
    waiting.first.get_by_role("link", name="Open").click()
    expect(owner.get_by_text("taken back by itself").first).to_be_visible()
    expect(owner.get_by_text(re.compile(r"Failed runs: \d\d\.\d % against 0\.0 %")).first).to_be_visible()
    expect(owner.get_by_role("button", name="Take back now")).to_have_count(0)
    owner.get_by_role("link", name="All releases").click()
    expect(owner.get_by_text("taken back by itself", exact=True).first).to_be_visible()


def is_on_the_overview(owner: Page, others: Sequence[Page]) -> None:
    owner.goto(ADMIN)
    card = owner.get_by_role("region", name=re.compile("^Canary: release .* for 10 % of members$")).first
    expect(card).to_contain_text("40 of at least 400 runs before it is promoted")
    failure_row = card.get_by_role("row", name=re.compile("^Failed runs"))
    expect(failure_row).to_contain_text("80.0 %")
    expect(failure_row).to_contain_text("Over the limit")
    expect(failure_row.get_by_role("img")).to_be_visible()
    assert violations(owner) == []
    for page in others:
        looks_right(page, ADMIN)
    card.get_by_role("link", name="Open the canary").click()
    expect(owner.get_by_role("button", name="Take back now")).to_be_visible()


def schedule_and_cancel(owner: Page, visit: Visit) -> None:
    owner.get_by_role("link", name="Review and publish…").click()
    owner.get_by_label("What changes for members?").fill("Answers promise a day")
    owner.get_by_role("radio", name=re.compile("Everyone later")).check()
    owner.get_by_label("Day and time in UTC").fill(f"{datetime.now(UTC) + timedelta(days=3):%Y-%m-%dT09:00}")
    owner.get_by_text("Override…").click()
    owner.get_by_label("Why publish in spite of the checks?").fill("The campaign begins then.")
    owner.get_by_role("button", name="Publish anyway").click()
    expect(owner.get_by_text("goes live on").first).to_be_visible()
    assert violations(owner) == []
    looks_right(visit("greta", organization="finch", dark=True, phone=True).page, owner.url)
    owner.get_by_role("button", name="Cancel it").click()
    expect(owner.get_by_text("is cancelled. Its changes are still in the draft.")).to_be_visible()


def looks_right(page: Page, url: str) -> None:
    page.goto(url)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
