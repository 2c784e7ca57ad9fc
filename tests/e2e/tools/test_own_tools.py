"""Parley's own tools on the screen: the plan is ticked off in place, live and after a reload."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from doubles.script import Call, Text
from doubles.signals import Gate
from tests.e2e.accessibility import violations
from tests.e2e.pages import ChatPage, Visit
from tests.e2e.scripted_provider import ScriptedProvider

STEPS = ("Look for what is known", "Compare the ways", "Write it down")


def plan(*states: str) -> Call:
    steps = [{"text": text, "state": state} for text, state in zip(STEPS, states, strict=True)]
    return Call("plan", {"title": "All about tea", "steps": steps})


def states(chat: ChatPage) -> Locator:
    """The plan's steps; each begins with a picture whose name is its state."""
    return chat.answer.get_by_role("region", name="Plan: All about tea").get_by_role("listitem").get_by_role("img")


def show(chat: ChatPage, *words: str) -> None:
    for place, word in enumerate(words):
        expect(states(chat).nth(place)).to_have_accessible_name(word)


def test_a_plan_is_ticked_off_in_place(visit: Visit, model: ScriptedProvider) -> None:
    chat = visit().open()
    model.answer_chat(plan("running", "pending", "pending"))
    gate = Gate()
    model.answer_chat(gate, plan("done", "done", "running"))
    model.answer_chat(Text("That is all for now."))
    chat.say("Tell me all about tea.")
    show(chat, "Under way", "To do", "To do")
    gate.release()
    chat.rests()
    expect(chat.answer).to_contain_text("2 of 3")
    expect(states(chat)).to_have_count(3)  # one list, and no row for the calls
    expect(chat.answer.get_by_role("group", name="Tool: Plan")).to_have_count(0)
    show(chat, "Done", "Done", "To do")  # nobody works on the last one any more
    assert violations(chat.page) == []
    chat.page.reload()
    show(chat, "Done", "Done", "To do")
