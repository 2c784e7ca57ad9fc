"""Engine, retry policy and Google adapter together, against the double that refuses what the API refuses."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.engine.ports import ToolContext, ToolOutcome
from agents.errors import ProviderUnavailable, ToolFailed
from agents.messages import AssistantText, Entry, ModelSettings, Reminder, ToolCall, ToolResult, UserMessage
from agents.providers.registry import language_model
from doubles.script import Call, Fault, Text, Thought
from doubles.signals import Gate
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, kinds
from tests.agents.providers.harness import MODEL, MODEL_3, connection
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.gemini import ServedGemini
from tests.support.agents.memory_journal import MemoryJournal

SPEC = replace(AGENT, model=MODEL_3, settings=ModelSettings(thinking_level="low"))


async def run(double: ServedGemini, journal: MemoryJournal, *tools: FunctionTool, model: str = MODEL_3) -> RunOutcome:
    spec = SPEC if model == MODEL_3 else replace(AGENT, model=model)
    async with connection(double.base_url) as provider_connection:
        return await run_agent(spec, model=language_model("google", provider_connection), tools=tools, journal=journal)


def refusals(double: ServedGemini) -> list[str]:
    return [request.refusal for request in double.requests if request.refusal]


@pytest.mark.parametrize("model", [MODEL, MODEL_3])
async def test_several_steps_with_parallel_failing_and_renamed_calls(gemini: ServedGemini, model: str) -> None:
    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        if arguments["word"] == "bad":
            raise ToolFailed("No such word.")
        return ToolOutcome({"meaning": "ok"}, entries=(Reminder("Words are many."),))

    gemini.answer(Thought("Hm."), Text("Looking."), Call("look_up", {"word": "a"}, id="c1"), Call("look_up", {"word": "bad"}, id="c1"))
    gemini.answer(Thought("More."), Call("look_up", {"word": "b"}, id="c1"), Call("nothing", {}, id="c9"))
    gemini.answer(Text("Done."))
    gemini.answer(Text("Again."))
    journal = MemoryJournal([QUESTION])
    outcome = await run(gemini, journal, FunctionTool(run=work), model=model)
    assert (outcome.end, outcome.step, refusals(gemini)) == (RunEnd.ANSWERED, 3, [])
    assert [entry.id for entry in journal.entries if isinstance(entry, ToolCall)] == ["c1", "c1-2", "c1-3", "c9"]
    assert [entry.is_error for entry in journal.entries if isinstance(entry, ToolResult)] == [False, True, False, True]
    await journal.append(UserMessage("And now?"))
    await run(gemini, journal, FunctionTool(run=work), model=model)
    assert refusals(gemini) == []


async def test_a_conversation_goes_on_after_a_run_that_was_stopped_in_a_tool(gemini: ServedGemini) -> None:
    gemini.answer(Call("look_up", {"word": "a"}, id="c1"), Call("look_up", {"word": "b"}, id="c2"))
    gemini.answer(Text("Fine."))
    started = asyncio.Event()

    async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        started.set()
        await asyncio.Event().wait()
        return ToolOutcome("never")

    journal = MemoryJournal([QUESTION])
    task = asyncio.create_task(run(gemini, journal, FunctionTool(run=hang)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await journal.append(UserMessage("Never mind."))
    await run(gemini, journal, FunctionTool())
    assert isinstance(journal.appended[-1], AssistantText)
    assert refusals(gemini) == []


async def test_stopping_a_run_ends_the_providers_work_within_a_second(gemini: ServedGemini) -> None:
    gate = Gate()
    gemini.answer(Text("Hal", pieces=["Hal"]), gate)
    journal = MemoryJournal([QUESTION])
    task = asyncio.create_task(run(gemini, journal))
    await gate.reached.wait_async()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gemini.requests[0].disconnected.wait_async()


async def test_a_fault_after_visible_text_is_not_tried_again(gemini: ServedGemini) -> None:
    gemini.answer(Text("Hal", pieces=["Hal"]), Fault.drop())
    journal = MemoryJournal([QUESTION])
    with pytest.raises(ProviderUnavailable):
        await run(gemini, journal)
    assert (journal.logged("text"), len(gemini.requests)) == (["Hal"], 1)


async def test_a_run_that_was_taken_over_in_a_tool_goes_on(gemini: ServedGemini) -> None:
    gemini.answer(Call("look_up", {"word": "a"}, id="c1"), Call("look_up", {"word": "b"}, id="c2"))
    gemini.answer(Text("Done."))
    first = MemoryJournal([QUESTION])
    await run(gemini, first, FunctionTool())
    entries: list[Entry] = [entry for entry in first.entries if isinstance(entry, (UserMessage, ToolCall))]
    gemini.answer(Text("Done."))
    journal = MemoryJournal(entries)
    await run(gemini, journal, FunctionTool())
    assert kinds(journal.appended) == ["ToolResult", "ToolResult", "AssistantText"]
    assert refusals(gemini) == []
