"""GitHub in the chat, with the demo's own small one: files from a repository, and a question for the GitHub agent."""

from __future__ import annotations

from playwright.sync_api import expect

from doubles.script import Text
from tests.e2e.accessibility import violations
from tests.e2e.pages import Visit
from tests.e2e.scripted_provider import ScriptedProvider


def test_a_file_of_a_repository_goes_along_with_the_message(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    model.answer_chat(Text("A shop."))
    chat.add("From GitHub")
    dialog = chat.page.get_by_role("dialog", name="Attach from GitHub")
    dialog.get_by_role("searchbox", name="Search your repositories").fill("tea")
    dialog.get_by_role("button", name="demo/tea").click()
    dialog.get_by_role("button", name="docs").click()
    expect(dialog.get_by_role("button", name="brewing.md")).to_be_visible()
    dialog.get_by_role("navigation", name="Folder").get_by_role("button", name="demo/tea").click()
    dialog.get_by_role("button", name="shop.py").click()
    expect(dialog.get_by_role("status").filter(has_text="Attached")).to_be_visible()
    assert violations(chat.page) == []
    dialog.get_by_role("button", name="Done").click()
    expect(chat.page.get_by_role("list", name="Files to send").get_by_role("listitem")).to_contain_text("shop.py")
    chat.ask("What is this?")
    expect(chat.questions.last).to_contain_text("shop.py")


def test_the_github_agent_answers_a_question(visit: Visit, model: ScriptedProvider) -> None:
    model.use_demo_script()
    chat = visit().open()
    chat.ask("List the issues of demo/tea on GitHub")
    expect(chat.answer).to_contain_text("#9 Offer gift boxes (open)")
    expect(chat.work).to_contain_text("List issues")
