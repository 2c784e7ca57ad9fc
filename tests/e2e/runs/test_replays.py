"""An admin replays a member's run: whether its requests are the same, with another prompt, and up to a call that was not recorded."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Page, expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.looks import Look
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_run_is_replayed_beside_its_original(visit: Visit, model: ScriptedProvider, other_looks: Sequence[Look]) -> None:
    model.creates_document("Tea", Text("# Tea"), then="Both orders travel on Monday, which fits one truck.")
    bob = visit("bob").open()
    bob.ask("Can both orders go on one truck?")
    bob.sidebar.get_by_role("button", name="Options for").first.click()
    bob.page.get_by_role("menuitem", name="Who can read this").click()
    bob.page.get_by_role("button", name="Share for 7 days").click()
    expect(bob.page.get_by_text("Shared with admins until")).to_be_visible()

    admin = visit("alice").page
    admin.goto("/o/acme/admin/")
    admin.get_by_role("link", name="Runs", exact=True).first.click()
    admin.get_by_role("row", name="Bob").first.get_by_role("link").click()
    admin.get_by_role("link", name="Replay…").click()
    begin = admin.url
    admin.get_by_role("link", name="Check the requests").click()
    expect(admin.get_by_text("3 of 3 requests byte for byte the same")).to_be_visible()
    assert violations(admin) == []

    model.calls_document_agent(operation="create", title="Tea", instruction="Write about Tea.")
    model.answer_chat(Text("Both orders travel on Tuesday, which fits one truck."))
    admin.get_by_text("Change the prompt").click()
    admin.get_by_label("The agent's own prompt").fill("You plan trucks.")
    admin.get_by_text("Change tool definitions").click()
    admin.locator("summary", has_text="document_agent").click()
    admin.get_by_label("Description document_agent").fill("Writes down what the trucks carry.")
    assert violations(admin) == []
    admin.get_by_role("button", name="Replay", exact=True).click()
    expect(admin.get_by_text("The system prompt differs.").first).to_be_visible()
    expect(admin.get_by_role("heading", name="Draft, New prompt, Tool document_agent")).to_be_visible()
    expect(admin.get_by_text("Tuesday")).to_have_count(0)
    admin.get_by_role("link", name="Show texts").click()
    expect(admin.locator("del", has_text="Monday")).to_be_visible()
    expect(admin.locator("ins", has_text="Tuesday")).to_be_visible()
    assert violations(admin) == []
    comparison_url = admin.url
    picture(admin, "replay-light")

    admin.goto(begin)
    model.calls_document_agent(operation="create", title="Coffee", instruction="Write about coffee.")
    admin.get_by_role("button", name="Replay", exact=True).click()
    expect(admin.get_by_text("The agent called document_agent with arguments that the recorded run did not use.")).to_be_visible()
    assert violations(admin) == []
    admin.get_by_role("link", name="Show texts to enter a result").click()
    admin.get_by_text("Enter a result…").click()
    admin.get_by_label("What the tool would have given, as text or JSON").fill("The coffee is written.")
    assert violations(admin) == []
    model.answer_chat(Text("The document about coffee is there."))
    admin.get_by_role("button", name="Go on with this result").click()
    expect(
        admin.locator("#experiment").get_by_text("Done", exact=True).or_(admin.locator("#experiment").get_by_text("done", exact=True)).first
    ).to_be_visible()
    expect(admin.get_by_text("Entered by an admin")).to_be_visible()

    bob.page.keyboard.press("Escape")
    model.answer_chat(Text("You are welcome."))
    bob.ask("Thanks.")
    admin.goto("/o/acme/admin/chat/run/")
    admin.get_by_role("link", name="Replay these runs…").click()
    admin.get_by_label("Runs at most").fill("2")
    model.use_demo_script()
    admin.get_by_role("button", name="Replay", exact=True).click()
    expect(admin.locator("#experiment")).to_contain_text("Done")
    expect(admin.get_by_role("heading", name="Most different")).to_be_visible()
    assert violations(admin) == []
    many = admin.url
    for dark, phone in other_looks:
        looks_right(visit("alice", dark=dark, phone=phone).page, begin, comparison_url, many)


def looks_right(page: Page, *addresses: str) -> None:
    for address in addresses:
        page.goto(address)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than the screen"
