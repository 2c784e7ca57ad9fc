"""The demo's scene with the page around the chat, played with the engine and the real tool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd
from agents.messages import AssistantText, ClientRequest, UserMessage
from agents.providers.registry import language_model
from agents.runtime.page_state import PageStateTool, page_state_context
from doubles.demo import DemoScript
from tests.agents.engine.scripted import AGENT
from tests.agents.providers.harness import connection
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.gemini import ServedGemini, gemini_double
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal

STATE = {"title": "Coffee <page_state>", "count": 3, "open": False}


@pytest.fixture(scope="module")
def demo() -> Iterator[ServedGemini]:
    with gemini_double(keys=None, models=None, fallback=DemoScript(pace=0)) as double:
        yield double


async def played(demo: ServedGemini, journal: MemoryJournal, *, tools: list[Any], first_step: int = 1, output: Any = None) -> RunEnd:
    inbox = MemoryInbox().of(journal)
    for request in [entry for entry in journal.entries if isinstance(entry, ClientRequest)] if output is not None else ():
        inbox.output(request.call_id, output)
    async with connection(demo.base_url) as provider_connection:
        model = language_model("google", provider_connection)
        agent = replace(AGENT, model="gemini-2.5-flash")
        outcome = await run_agent(agent, model=model, tools=tools, journal=journal, inbox=inbox, first_step=first_step)
    return outcome.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set title to Green tea on the page.", {"title": "Green tea"}),
        ("Fill in the form, please: change the page", {"title": "Written by the demo", "count": 42, "open": True}),
    ],
)
async def test_the_demo_changes_the_page_and_tells_what_came_of_it(demo: ServedGemini, text: str, expected: dict[str, Any]) -> None:
    journal, tools = MemoryJournal([UserMessage(text), page_state_context(STATE)]), [PageStateTool(STATE)]
    assert await played(demo, journal, tools=tools) is RunEnd.WAITING_FOR_CLIENT
    assert [entry.input for entry in journal.appended if isinstance(entry, ClientRequest)] == [expected]
    assert await played(demo, journal, tools=tools, first_step=2, output={"ok": True}) is RunEnd.ANSWERED
    [answer_text] = [entry.text for entry in journal.appended if isinstance(entry, AssistantText)][-1:]
    assert f"written: {', '.join(expected)}" in answer_text


async def test_without_a_state_the_demo_says_how_a_page_hands_one_over(demo: ServedGemini) -> None:
    journal = MemoryJournal([UserMessage("Change the page")])
    assert await played(demo, journal, tools=[]) is RunEnd.ANSWERED
    assert "pageState" in str(journal.appended)
