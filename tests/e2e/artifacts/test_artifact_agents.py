"""A newcomer tries the agents that write artifacts with the demo provider, each by a sentence."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_program_is_written_mended_and_taken_back(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = visit().open()
    chat.ask("Write a Python script with an error")
    chat.panel.shows_version(1, of=1)
    chat.ask("Fix this error in Python script with an error:\n```\nZeroDivisionError: division by zero\n```")
    expect(chat.answer.get_by_role("note")).to_have_count(0)
    chat.answer.get_by_role("button", name="what this answer used").click()
    dialog = chat.page.get_by_role("dialog", name="What this answer used")
    dialog.get_by_text("Details").click()
    expect(dialog).to_contain_text("Context: the documents of this chat.")
    chat.page.keyboard.press("Escape")
    expect(chat.panel.root).to_contain_text("if numbers else")
    chat.ask("Undo that")
    chat.panel.shows_version(3, of=3)
    expect(chat.panel.root).not_to_contain_text("if numbers else")
    chat.ask("Explain the program")
    expect(chat.answer).to_contain_text("This program has")
    chat.ask("Show me a small Python snippet")
    expect(chat.answer.get_by_role("group", name="Code, python")).to_be_visible()
    assert len(chat.artifact_ids) == 1


def test_a_broken_diagram_is_mended_before_it_is_shown(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = visit().open()
    chat.ask("Draw a broken diagram of tea")
    chat.panel.shows_version(1, of=1)
    chat.panel.view("Code")
    expect(chat.panel.editor.get_by_text("end", exact=True)).to_be_visible()
    chat.ask("Add a step to it")
    chat.panel.shows_version(2, of=2)
    chat.ask("Undo that")
    chat.panel.shows_version(3, of=3)


def test_suggestions_are_counted_in_the_answer(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = visit().open()
    chat.ask("Write a report about tea")
    chat.ask("Make it shorter")
    chat.panel.shows_version(2, of=2)
    chat.ask("Suggest improvements to the document")
    expect(chat.answer).to_contain_text("suggestions for Tea")
    chat.panel.shows_version(2, of=2)
