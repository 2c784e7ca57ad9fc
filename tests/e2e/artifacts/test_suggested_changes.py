"""What the agent suggests is decided on by the member: one by one, when it is outdated, and for the selection alone."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, expect

from doubles.script import Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.artifacts.test_artifacts_editing import open_editor
from tests.e2e.artifacts.test_documents import with_document
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider
from tests.support.system.product import wait_for

# What the rendered document marks, in its order
READ_HIGHLIGHTS = "() => [...CSS.highlights.get('suggestion')].map(String)"


def suggestion(original: str, replacement: str) -> Text:
    return Text(json.dumps({"original": original, "replacement": replacement, "comment": "More precise."}) + "\n")


def test_suggestions_come_one_by_one_and_each_is_decided_on(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    panel = chat.panel
    gate = Gate()
    model.calls_document_agent(operation="suggestion", artifact_id=chat.artifact_ids[0], instruction="Check it.")
    model.answer_document(suggestion("China", "Yunnan"), gate, suggestion("hot", "at 80 degrees"), suggestion("Tea", "Green tea"))
    model.answer_chat(Text("Have a look."))
    chat.say("Suggest something.")
    cards = panel.root.get_by_role("region", name="Suggestions").get_by_role("listitem")
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("More precise.")
    gate.release()
    chat.rests()
    expect(cards).to_have_count(3)
    wait_for(lambda: chat.page.evaluate(READ_HIGHLIGHTS) == ["Tea", "China", "hot"], "the text marks all three")
    cards.filter(has_text="Yunnan").get_by_role("button", name="Show in the text").click()
    expect(panel.text.get_by_text("It comes from China.")).to_be_in_viewport()
    open_editor(panel)
    expect(panel.editor.get_by_role("deletion")).to_have_text(["Tea", "China", "hot"])
    assert violations(chat.page) == []

    cards.filter(has_text="Yunnan").get_by_role("button", name="Accept").click()
    expect(cards).to_have_count(2)
    expect(panel.editor).to_contain_text("It comes from Yunnan.")
    panel.shows_version(2, of=2)
    panel.editor.get_by_text("It comes from").click()
    panel.editor.press("Alt+Backspace")
    expect(cards).to_have_count(1)
    chat.page.reload()
    chat.open_document("Tea")
    expect(cards).to_have_count(1)
    panel.root.get_by_role("button", name="Accept all").click()
    expect(panel.root.get_by_role("region", name="Suggestions")).to_have_count(0)
    expect(panel.text.get_by_role("heading")).to_have_text("Green tea")


def test_a_suggestion_is_outdated_when_its_words_are_gone_and_can_only_be_rejected(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    panel = chat.panel
    model.calls_document_agent(operation="suggestion", artifact_id=chat.artifact_ids[0], instruction="Check it.")
    model.answer_document(suggestion("China", "Yunnan"), suggestion("hot", "at 80 degrees"))
    model.answer_chat(Text("Have a look."))
    chat.ask("Suggest something.")
    cards = panel.root.get_by_role("region", name="Suggestions").get_by_role("listitem")
    outdated_cards = cards.filter(has_text="Outdated: the text has changed.")
    accept_all = panel.root.get_by_role("button", name="Accept all")
    expect(cards).to_have_count(2)
    expect(outdated_cards).to_have_count(0)

    open_editor(panel)  # what is typed counts at once, before it is saved
    panel.editor.get_by_text("It comes from").click()
    panel.editor.press("Home")
    panel.editor.press("Shift+End")
    panel.editor.press("Delete")
    expect(outdated_cards).to_have_count(1)
    expect(outdated_cards).to_contain_text("Yunnan")
    expect(outdated_cards.get_by_role("button", name="Accept")).to_be_disabled()
    expect(outdated_cards.get_by_role("button", name="Show in the text")).to_have_count(0)
    expect(panel.editor.get_by_role("deletion")).to_have_text(["hot"])
    assert violations(chat.page) == []
    panel.editor.press("Control+z")
    expect(outdated_cards).to_have_count(0)
    panel.editor.press("Control+y")
    expect(outdated_cards).to_have_count(1)
    accept_all.click()
    expect(cards).to_have_count(1)
    expect(panel.editor).to_contain_text("Drink it at 80 degrees.")
    expect(accept_all).to_be_disabled()

    chat.page.reload()
    chat.open_document("Tea")
    expect(outdated_cards).to_have_count(1)
    outdated_cards.get_by_role("button", name="Reject").click()
    expect(cards).to_have_count(0)
    chat.page.reload()
    chat.open_document("Tea")
    expect(panel.text.get_by_role("paragraph")).to_have_text(["Drink it at 80 degrees."])
    expect(cards).to_have_count(0)


def top_of(element: Locator) -> float:
    place = element.bounding_box()
    assert place
    return place["y"]


def bottom_of(element: Locator) -> float:
    place = element.bounding_box()
    assert place
    return place["y"] + place["height"]


def test_a_change_of_the_selection_alone_is_decided_on_before_it_is_saved(visit: Visit, model: ScriptedProvider) -> None:
    chat = with_document(visit(), model)
    panel = chat.panel
    open_editor(panel)
    panel.editor.get_by_text("Drink it hot.").click()
    panel.editor.press("Home")
    panel.editor.press("Shift+End")
    expect(panel.root.get_by_role("button", name="Edit just this")).to_be_visible()
    panel.editor.press("Control+i")
    model.answer_document(Text("Drink it cold."))
    panel.root.get_by_role("textbox", name="What to change in the selection").fill("Cold, please.")
    panel.root.get_by_role("button", name="Change", exact=True).click()
    review = panel.root.get_by_role("region", name="Proposed change")
    expect(review.get_by_role("deletion")).to_have_text("Drink it hot.")
    assert violations(chat.page) == []
    button, text = review.get_by_role("textbox").get_by_role("button", name="Accept"), review.get_by_role("deletion")
    assert bottom_of(button) <= top_of(text), "the buttons cover no text"
    button.click()
    panel.shows_version(2, of=2)
    expect(panel.editor).to_contain_text("Drink it cold.")
    expect(panel.root.get_by_text("Edited selection by Alice")).to_be_visible()

    panel.view("Read")
    panel.text.get_by_text("Drink it cold.").click(click_count=3)  # the paragraph
    panel.root.get_by_role("button", name="Edit just this").click()
    model.answer_document(Text("Drink it slowly."))
    panel.root.get_by_role("textbox", name="What to change in the selection").fill("How fast?")
    panel.root.get_by_role("button", name="Change", exact=True).click()
    expect(review.get_by_role("deletion")).to_have_text("Drink it cold.")
    review.get_by_role("button", name="Accept all").click()
    panel.shows_version(3, of=3)
    expect(panel.text).to_contain_text("Drink it slowly.")
