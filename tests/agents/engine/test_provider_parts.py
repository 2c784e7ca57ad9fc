"""What a provider runs itself while it answers, and the pages that it cites: shown at once, kept at their place."""

from __future__ import annotations

import asyncio

import pytest

from agents.engine.lifecycle import RunEnd
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    ProviderToolCall,
    Source,
    TextDelta,
    ToolResult,
    Usage,
    UserMessage,
)
from tests.agents.engine.scripted import AGENT, QUESTION, Hang, ScriptedModel, answer, call
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal

SEARCH = ProviderToolCall("s1", "web_search", {"queries": ["tea"]}, provider_metadata={"provider": "google", "model": "m", "parts": [{}]})
SOURCE = Source("https://tea.example/", "Tea")


async def test_provider_parts_are_shown_and_stored_at_their_place() -> None:
    journal = MemoryJournal([QUESTION])
    response = ModelResponse((AssistantText("I look."), SEARCH, SOURCE, AssistantText("It is."), SOURCE), FinishReason.STOP, Usage(7, 2))
    model = ScriptedModel([TextDelta("I look."), SEARCH, SOURCE, TextDelta("It is."), response])
    await run_agent(AGENT, model=model, tools=[], journal=journal)
    assert journal.log[1:-1] == [
        ("text", "I look."),
        ("provider", SEARCH),
        ("provider", SOURCE),
        ("text", "It is."),
        ("append", response.entries),
    ]


async def test_ids_of_provider_parts_are_unique_and_the_same_in_stream_and_history() -> None:
    """Some providers number what they ran per answer; of two calls one may come with the response only."""
    journal = MemoryJournal([QUESTION, SEARCH, AssistantText("x"), call("s1-2"), ToolResult("s1-2", "look_up", "ok"), QUESTION])
    model = ScriptedModel([SEARCH, ModelResponse((SEARCH, SEARCH, AssistantText("It is.")), FinishReason.STOP)])
    await run_agent(AGENT, model=model, tools=[], journal=journal)
    streamed_ids = [part.id for part in journal.logged("provider") if isinstance(part, ProviderToolCall)]
    stored_ids = [entry.id for entry in journal.appended if isinstance(entry, ProviderToolCall)]
    assert (streamed_ids, stored_ids) == (["s1-3"], ["s1-3", "s1-4"])


async def test_a_message_in_between_keeps_what_was_shown() -> None:
    journal, inbox, hang = MemoryJournal([QUESTION]), MemoryInbox(), Hang()
    model = ScriptedModel([TextDelta("I "), TextDelta("look."), SEARCH, SOURCE, TextDelta("It"), hang], [answer()])
    run = asyncio.create_task(run_agent(AGENT, model=model, tools=[], journal=journal, inbox=inbox.of(journal)))
    await hang.reached.wait()
    inbox.message("And coffee?")
    await run
    assert journal.appended[:4] == (AssistantText("I look.", partial=True), SEARCH, SOURCE, AssistantText("It", partial=True))


async def test_the_model_gets_back_what_its_provider_needs_but_no_sources() -> None:
    journal = MemoryJournal([QUESTION, SEARCH, AssistantText("It is."), SOURCE, QUESTION])
    model = ScriptedModel([answer()])
    await run_agent(AGENT, model=model, tools=[], journal=journal)
    assert model.requests[0].entries == (QUESTION, SEARCH, AssistantText("It is."), QUESTION)


@pytest.mark.parametrize(
    ("history", "asked_again"),
    [
        ([AssistantText("It is."), SEARCH, SOURCE], 0),
        ([SEARCH, AssistantText("It is."), SOURCE], 0),
        ([call("c1"), ToolResult("c1", "look_up", "ok"), SEARCH], 1),
        ([SEARCH, call("c1"), ToolResult("c1", "look_up", "ok")], 1),
    ],
)
async def test_a_run_that_is_taken_over_knows_a_whole_answer_with_them(history: list[Entry], asked_again: int) -> None:
    journal, model = MemoryJournal([UserMessage("Q"), *history]), ScriptedModel([answer()])
    outcome = await run_agent(AGENT, model=model, tools=[], journal=journal, first_step=2)
    assert (outcome.end, len(model.requests)) == (RunEnd.ANSWERED, asked_again)
