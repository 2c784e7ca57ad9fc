"""An admin looks into a member's run, and reads its words only after the member has shared them."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.pages import Visit
from tests.e2e.pictures import picture
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_shared_conversation_can_be_read_in_the_run_explorer_and_becomes_a_case(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Green tea."))
    bob = visit("bob").open()
    bob.ask("Which tea?")
    bob.answer.get_by_role("button", name="Bad answer").click()
    reasons = bob.page.get_by_role("dialog", name="What was wrong?")
    reasons.get_by_role("textbox", name="Comment").fill("Black, please.")
    reasons.get_by_role("button", name="Send").click()
    expect(reasons).to_be_hidden()
    admin = visit("alice").page
    admin.goto("/o/acme/admin/")
    admin.get_by_role("link", name="Runs", exact=True).first.click()
    filters = admin.get_by_role("search", name="Filter runs")
    filters.get_by_label("Duration in seconds, at least").fill("900")
    filters.get_by_role("button", name="Search").click()
    expect(admin.get_by_text("No run matches these filters.")).to_be_visible()
    filters.get_by_label("Duration in seconds, at least").fill("0,001")
    filters.get_by_label("Tokens, at least").fill("1")
    filters.get_by_role("button", name="Search").click()
    expect(admin.get_by_role("row", name="Bob").first).to_be_visible()
    picture(admin, "runs-light")
    admin.get_by_role("row", name="Bob").first.get_by_role("link").click()
    expect(admin.get_by_text("has not shared the conversation")).to_be_visible()
    expect(admin.get_by_text("Answer: 10 characters.")).to_be_visible()

    bob.sidebar.get_by_role("button", name="Options for").first.click()
    bob.page.get_by_role("menuitem", name="Who can read this").click()
    dialog = bob.page.get_by_role("dialog", name="Who can read this")
    dialog.get_by_role("button", name="Share for 7 days").click()
    expect(dialog.get_by_text("Shared with admins until")).to_be_visible()

    admin.reload()
    admin.get_by_role("link", name="Show texts").click()
    expect(admin.get_by_text("Green tea.").first).to_be_visible()
    admin.wait_for_load_state()  # with the script of the keys
    admin.keyboard.press("j")
    call = admin.get_by_role("region", name="Step 1, call to")
    expect(call.get_by_text("System prompt", exact=True)).to_be_visible()
    expect(call.get_by_text("Which tea?", exact=True).first).to_be_visible()

    admin.get_by_role("link", name="Feedback").first.click()
    admin.get_by_role("listitem").filter(has_text="Black, please.").get_by_role("link", name="Make a case").click()
    admin.get_by_label("Name of a new one").fill("Wrong teas")
    admin.get_by_label("Data set").select_option("A new one")
    admin.get_by_role("button", name="Make a case").click()
    expect(admin.get_by_role("button", name="Make a case")).to_have_count(0)
    expect(admin.get_by_text("Which tea?").first).to_be_visible()
    admin.goto("/o/acme/admin/evaluations/dataset/")
    admin.get_by_role("link", name="Wrong teas").click()
    admin.get_by_role("link", name="Delete this data set…").click()
    admin.get_by_role("button", name="Delete", exact=True).click()
    expect(admin.get_by_text("was deleted successfully")).to_be_visible()
    admin.goto("/o/acme/admin/chat/run/")
    admin.get_by_role("row", name="Bob").first.get_by_role("link").click()

    dialog.get_by_role("button", name="Stop sharing").click()
    expect(dialog.get_by_role("button", name="Share for 7 days")).to_be_visible()
    admin.reload()
    expect(admin.get_by_text("has not shared the conversation")).to_be_visible()
    expect(admin.get_by_text("Green tea.")).to_have_count(0)
