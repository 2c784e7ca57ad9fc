"""What the user may ask next: offered below the newest answer, one click away."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit
from tests.e2e.pictures import shot
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_suggestion_is_sent_by_a_click_and_belongs_to_the_newest_answer_only(visit: Visit, model: ScriptedProvider) -> None:
    model.answer_chat(Text("Tea is a drink."))
    model.answer_suggestions("Where does it come from?", "Is it healthy?")
    chat = visit(phone=True)
    chat.open().composer.fill("What is tea?")
    chat.send_button.tap()
    chips = chat.page.get_by_role("list", name="Suggestions").get_by_role("button")
    expect(chips).to_have_text(["Where does it come from?", "Is it healthy?"])
    assert violations(chat.page) == []
    shot(chat.page, "suggestions-phone")
    chat.page.reload()
    model.answer_chat(Text("It comes from China."))
    chips.first.click()
    expect(chat.questions.last).to_have_text("Where does it come from?")
    expect(chat.answer).to_contain_text("It comes from China.")
    chat.rests()
    expect(chips).to_have_count(0)
