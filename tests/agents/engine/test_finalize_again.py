"""A run whose process died while it was finalizing: the next execution ends it, and tells nothing twice."""

from __future__ import annotations

from dataclasses import replace

from agents.engine.lifecycle import STEP_LIMIT, RunHooks, RunOutcome
from agents.messages import ClientData, DataPart, ToolCall, ToolResult
from tests.agents.engine.scripted import AGENT, QUESTION, ScriptedModel, answer, call
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal


class Suggesting(RunHooks):
    async def finished(self, outcome: RunOutcome) -> list[DataPart]:
        return [DataPart("suggestions", {"texts": ["More?"]})]


async def test_the_notice_of_a_step_limit_is_given_once() -> None:
    step: list[ToolCall | ToolResult] = [call("c1"), ToolResult("c1", "look_up", "ok")]
    journal = MemoryJournal([QUESTION, *step, STEP_LIMIT])

    await run_agent(replace(AGENT, max_steps=1), model=ScriptedModel(), tools=(), journal=journal, first_step=2)

    assert journal.appended == ()


async def test_the_parts_of_the_end_are_appended_once() -> None:
    suggestions = ClientData("suggestions", {"texts": ["Why?"]})
    first = MemoryJournal([QUESTION])
    await run_agent(AGENT, model=ScriptedModel([answer()]), tools=(), journal=first, hooks=Suggesting())
    again = MemoryJournal([QUESTION, *answer().entries, suggestions])

    await run_agent(AGENT, model=ScriptedModel(), tools=(), journal=again, hooks=Suggesting(), first_step=2)

    assert [*first.appended][1:] == [ClientData("suggestions", {"texts": ["More?"]})]
    assert again.appended == ()
