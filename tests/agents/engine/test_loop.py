"""One run from the question to its end."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from agents.engine.lifecycle import CONTENT_FILTER, EMPTY_ANSWER, LENGTH_LIMIT, STEP_LIMIT, RunEnd, RunOutcome, RunState
from agents.engine.ports import ToolContext, ToolOutcome
from agents.errors import AnswerCut, ProviderBusy
from agents.messages import (
    AssistantText,
    Entry,
    FinishReason,
    ModelResponse,
    Notice,
    Reasoning,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, Hang, ScriptedModel, answer, call, calls_response, kinds
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal


async def test_a_plain_answer_streams_then_is_stored_then_ends_the_run() -> None:
    journal = MemoryJournal([QUESTION])
    response = ModelResponse((Reasoning("Hm."), AssistantText("Hi you")), FinishReason.STOP, Usage(7, 2, 1))
    model = ScriptedModel([ReasoningDelta("Hm."), TextDelta("Hi"), TextDelta(" you"), response])
    outcome = await run_agent(AGENT, model=model, tools=[], journal=journal)
    assert outcome == RunOutcome(RunEnd.ANSWERED, FinishReason.STOP, Usage(7, 2, 1), step=1)
    assert journal.log == [
        ("step_start", 1),
        ("reasoning", "Hm."),
        ("text", "Hi"),
        ("text", " you"),
        ("append", response.entries),
        ("step_finish", (1, Usage(7, 2, 1))),
    ]


async def test_the_model_is_asked_with_the_agents_settings_and_the_history() -> None:
    journal = MemoryJournal([UserMessage("Old"), AssistantText("Yes"), Notice("stopped", "Stopped."), QUESTION])
    model, tool = ScriptedModel([answer()]), FunctionTool()
    await run_agent(AGENT, model=model, tools=[tool], journal=journal)
    request = model.requests[0]
    assert (request.model, request.system, request.settings) == (AGENT.model, AGENT.system, AGENT.settings)
    assert request.entries == (UserMessage("Old"), AssistantText("Yes"), QUESTION)
    assert request.tools == (tool.definition,)


async def test_tool_results_go_back_to_the_model_in_the_next_step() -> None:
    journal, tool = MemoryJournal([QUESTION]), FunctionTool()
    model = ScriptedModel([calls_response(call("c1", word="x"))], [answer()])
    outcome = await run_agent(AGENT, model=model, tools=[tool], journal=journal)
    assert tool.runs == [{"word": "x"}]
    assert model.requests[1].entries == (QUESTION, call("c1", word="x"), ToolResult("c1", "look_up", "ok"))
    assert outcome == RunOutcome(RunEnd.ANSWERED, FinishReason.STOP, Usage(20, 5), step=2)
    assert journal.logged("step_finish") == [(1, Usage(10, 3)), (2, Usage(10, 2))]


async def test_the_step_limit_ends_the_run_with_an_offer_to_go_on() -> None:
    journal, model = MemoryJournal([QUESTION]), ScriptedModel([calls_response(call("c1"))], [calls_response(call("c2"))])
    outcome = await run_agent(replace(AGENT, max_steps=2), model=model, tools=[FunctionTool()], journal=journal)
    assert (outcome.end, outcome.step) == (RunEnd.STEP_LIMIT, 2)
    assert kinds(journal.appended) == ["ToolCall", "ToolResult", "ToolCall", "ToolResult", "Notice"]
    assert journal.appended[-1] == STEP_LIMIT
    assert STEP_LIMIT.action == "continue"


@pytest.mark.parametrize(
    ("response", "end", "notice"),
    [
        (ModelResponse((), FinishReason.STOP), RunEnd.EMPTY, EMPTY_ANSWER),
        (ModelResponse((AssistantText(""),), FinishReason.OTHER), RunEnd.EMPTY, EMPTY_ANSWER),
        (ModelResponse((Reasoning("Hm."),), FinishReason.LENGTH), RunEnd.EMPTY, LENGTH_LIMIT),
        (ModelResponse((AssistantText("Hal"),), FinishReason.LENGTH), RunEnd.ANSWERED, LENGTH_LIMIT),
        (ModelResponse((AssistantText("Hal"),), FinishReason.CONTENT_FILTER), RunEnd.ANSWERED, CONTENT_FILTER),
    ],
)
async def test_an_answer_that_is_none_or_cut_is_said_in_a_notice(response: ModelResponse, end: RunEnd, notice: Notice) -> None:
    journal = MemoryJournal([QUESTION])
    outcome = await run_agent(AGENT, model=ScriptedModel([response]), tools=[], journal=journal)
    assert outcome.end is end
    assert journal.appended == (*response.entries, notice)


async def test_repeated_call_ids_are_renamed_before_anything_is_stored() -> None:
    journal = MemoryJournal([QUESTION, call("c1"), ToolResult("c1", "look_up", "old"), AssistantText("Old."), QUESTION])
    model = ScriptedModel([calls_response(call("c1"), call("c1"))], [answer()])
    await run_agent(AGENT, model=model, tools=[FunctionTool()], journal=journal)
    assert [entry.id for entry in journal.appended if isinstance(entry, ToolCall)] == ["c1-2", "c1-3"]
    assert [entry.call_id for entry in journal.appended if isinstance(entry, ToolResult)] == ["c1-2", "c1-3"]


@pytest.mark.parametrize("error", [ProviderBusy("Busy.", 3), AnswerCut("Cut.")])
async def test_a_provider_error_reaches_the_caller_and_nothing_half_is_appended(error: Exception) -> None:
    journal, states = MemoryJournal([QUESTION]), list[RunState]()
    model = ScriptedModel([TextDelta("Hal"), error])
    with pytest.raises(type(error)):
        await run_agent(AGENT, model=model, tools=[], journal=journal, on_state=states.append)
    assert journal.log == [("step_start", 1), ("text", "Hal")]
    assert (states, model.closed) == ([RunState.THINKING, RunState.FAILED], 1)


async def test_a_stream_without_a_response_counts_as_cut() -> None:
    with pytest.raises(AnswerCut):
        await run_agent(AGENT, model=ScriptedModel([TextDelta("Hal")]), tools=[], journal=MemoryJournal([QUESTION]))


async def test_the_states_of_a_run_with_a_tool() -> None:
    states = list[RunState]()
    model = ScriptedModel([calls_response(call())], [answer()])
    await run_agent(AGENT, model=model, tools=[FunctionTool()], journal=MemoryJournal([QUESTION]), on_state=states.append)
    assert states == ["thinking", "executing_tool", "thinking", "finalizing", "done"]


async def test_cancelling_while_the_model_streams_closes_its_stream() -> None:
    states, hang = list[RunState](), Hang()
    model = ScriptedModel([TextDelta("Hal"), hang])
    run = asyncio.create_task(run_agent(AGENT, model=model, tools=[], journal=MemoryJournal([QUESTION]), on_state=states.append))
    await hang.reached.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert (model.closed, states[-1]) == (1, RunState.STOPPED)


async def test_a_journal_error_closes_the_models_stream() -> None:
    class FencedJournal(MemoryJournal):
        def text_delta(self, text: str) -> None:
            raise PermissionError("Another process owns this run.")

    model = ScriptedModel([TextDelta("Hi"), answer()])
    with pytest.raises(PermissionError):
        await run_agent(AGENT, model=model, tools=[], journal=FencedJournal([QUESTION]))
    assert model.closed == 1


async def test_cancelling_while_tools_run_waits_until_they_have_ended() -> None:
    both_run, ended_calls = asyncio.Event(), list[str]()

    async def hang(arguments: dict[str, object], context: ToolContext) -> ToolOutcome:
        if context.call_id == "c2":
            both_run.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended_calls.append(context.call_id)
        return ToolOutcome("never")

    model = ScriptedModel([calls_response(call("c1"), call("c2"))])
    run = asyncio.create_task(run_agent(AGENT, model=model, tools=[FunctionTool(run=hang)], journal=MemoryJournal([QUESTION])))
    await both_run.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert sorted(ended_calls) == ["c1", "c2"]


class TestTakenOver:
    """Another process died in the middle of a step; this one goes on from what is stored."""

    async def test_open_calls_are_settled_before_the_next_step(self) -> None:
        safe, unsafe = FunctionTool("safe", repeatable=True), FunctionTool("unsafe")
        history: list[Entry] = [QUESTION, call("c1", "safe", n=1), call("c2", "unsafe"), call("c3", "gone")]
        journal, states = MemoryJournal(history), list[RunState]()
        model = ScriptedModel([answer()])
        outcome = await run_agent(AGENT, model=model, tools=[safe, unsafe], journal=journal, first_step=2, on_state=states.append)
        results = [entry for entry in journal.appended if isinstance(entry, ToolResult)]
        assert [(result.call_id, result.is_error) for result in results] == [("c1", False), ("c2", True), ("c3", True)]
        assert "unknown" in results[1].output
        assert (safe.runs, unsafe.runs) == ([{"n": 1}], [])
        assert (journal.logged("step_start"), outcome.step) == ([2], 2)
        assert states[:2] == ["executing_tool", "thinking"]

    async def test_finished_calls_are_not_run_again(self) -> None:
        tool = FunctionTool(repeatable=True)
        journal = MemoryJournal([QUESTION, call("c1"), call("c2"), ToolResult("c1", "look_up", "first")])
        await run_agent(AGENT, model=ScriptedModel([answer()]), tools=[tool], journal=journal, first_step=2)
        assert len(tool.runs) == 1

    async def test_no_step_is_left(self) -> None:
        journal = MemoryJournal([QUESTION, call("c1"), ToolResult("c1", "look_up", "ok")])
        outcome = await run_agent(AGENT, model=ScriptedModel(), tools=[], journal=journal, first_step=AGENT.max_steps + 1)
        assert (outcome.end, outcome.usage, outcome.step) == (RunEnd.STEP_LIMIT, Usage(), AGENT.max_steps)
        assert journal.appended == (STEP_LIMIT,)
