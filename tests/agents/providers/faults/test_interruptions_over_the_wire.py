"""Messages and decisions in the middle of a run: the history stays one that the API takes, and the provider stops at once (SPEC 3.10, 4.11)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.agent import RunBudget
from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.engine.open_calls import INTERRUPTED
from agents.engine.ports import ToolContext, ToolOutcome
from agents.messages import ApprovalRequest, AssistantText, ModelSettings, ToolResult
from agents.providers.registry import language_model
from doubles.script import Call, Pacing, Text, Thought
from doubles.signals import Gate
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, kinds
from tests.agents.providers.harness import MODEL, MODEL_3, connection
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.gemini import ServedGemini
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal

DRIPPING = Pacing(tokens_per_s=20)


class Run:
    """A run whose inbox and journal a test holds."""

    def __init__(self, double: ServedGemini, model: str) -> None:
        self._double = double
        settings = ModelSettings(thinking_level="low") if model == MODEL_3 else AGENT.settings
        self._agent = replace(AGENT, model=model, settings=settings)
        self.budget = RunBudget()
        self.journal = MemoryJournal([QUESTION])
        self.inbox = MemoryInbox().of(self.journal)

    async def __call__(self, *tools: FunctionTool, first_step: int = 1) -> RunOutcome:
        async with connection(self._double.base_url) as provider_connection:
            model = language_model("google", provider_connection)
            outcome = await run_agent(
                self._agent,
                model=model,
                tools=tools,
                journal=self.journal,
                inbox=self.inbox,
                budget=self.budget,
                first_step=first_step,
            )
        assert [request.refusal for request in self._double.requests if request.refusal] == []
        return outcome

    def last_contents(self) -> list[dict[str, Any]]:
        contents: list[dict[str, Any]] = self._double.requests[-1].body["contents"]
        return contents


@pytest.mark.parametrize("model", [MODEL, MODEL_3])
async def test_a_message_ends_a_slow_answer_within_a_second_and_is_the_next_input(gemini: ServedGemini, model: str) -> None:
    gate, run = Gate(), Run(gemini, model)
    gemini.answer(Thought("Hm."), Text("Once upon", pieces=["Once upon"]), gate, Text("a time " * 500), pacing=DRIPPING)
    gemini.answer(Text("Shorter."))
    task = asyncio.create_task(run())
    await gate.reached.wait_async()
    gate.release()
    run.inbox.message("Shorter, please!")
    await gemini.requests[0].disconnected.wait_async()
    outcome = await task
    assert outcome.end is RunEnd.ANSWERED
    [partial] = [entry for entry in run.journal.appended if isinstance(entry, AssistantText) and entry.partial]
    assert partial.text.startswith("Once upon")
    assert run.budget.usage == outcome.usage
    assert outcome.usage.output_tokens > 2, "what was shown of the first answer counts too"
    assert [content["role"] for content in run.last_contents()] == ["user", "model", "user"]
    assert run.last_contents()[-1]["parts"] == [{"text": "Shorter, please!"}]


@pytest.mark.parametrize("model", [MODEL, MODEL_3])
async def test_a_message_ends_a_tool_and_every_call_has_its_result(gemini: ServedGemini, model: str) -> None:
    run, hangs = Run(gemini, model), asyncio.Event()
    gemini.answer(Text("Looking."), Call("quick", {}, id="c1"), Call("slow", {}, id="c2"), Call("slow", {"n": 2}, id="c3"))
    gemini.answer(Text("Fine."))

    async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        hangs.set()
        await asyncio.Event().wait()
        return ToolOutcome("never")

    task = asyncio.create_task(run(FunctionTool("quick"), FunctionTool("slow", hang)))
    await hangs.wait()
    run.inbox.message("Never mind.")
    assert (await task).end is RunEnd.ANSWERED
    results = {entry.call_id: entry.output for entry in run.journal.appended if isinstance(entry, ToolResult)}
    assert results == {"c1": "ok", "c2": INTERRUPTED, "c3": INTERRUPTED}
    assert [content["role"] for content in run.last_contents()] == ["user", "model", "user", "user"]
    assert run.last_contents()[-1]["parts"] == [{"text": "Never mind."}]


@pytest.mark.parametrize("is_approved", [True, False])
@pytest.mark.parametrize("model", [MODEL, MODEL_3])
async def test_a_run_that_waited_for_a_decision_goes_on_with_a_history_in_order(
    gemini: ServedGemini, model: str, is_approved: bool
) -> None:
    """The result of the call that waited comes last, and goes to the model first."""
    run, asking, free = Run(gemini, model), FunctionTool("asking", confirm=True), FunctionTool("free")
    gemini.answer(Text("Both."), Call("asking", {"n": 1}, id="c1"), Call("free", {}, id="c2"))
    gemini.answer(Text("Done."))
    first = await run(asking, free)
    assert (first.end, asking.runs, free.runs) == (RunEnd.WAITING_FOR_APPROVAL, [], [{}])
    [request] = [entry for entry in run.journal.appended if isinstance(entry, ApprovalRequest)]
    run.inbox.decision(request, approved=is_approved, reason="Too early")
    second = await run(asking, free, first_step=first.step + 1)
    assert (second.end, asking.runs, free.runs) == (RunEnd.ANSWERED, [{"n": 1}] * is_approved, [{}])
    responses = [part["functionResponse"] for part in run.last_contents()[2]["parts"]]
    assert [response["id"] for response in responses] == ["c1", "c2"]
    assert ("Too early" in str(responses[0])) is not is_approved
    assert kinds(run.journal.appended)[-1] == "AssistantText"


async def test_a_message_instead_of_a_decision(gemini: ServedGemini) -> None:
    run, asking = Run(gemini, MODEL_3), FunctionTool("asking", confirm=True)
    gemini.answer(Call("asking", {}, id="c1"))
    gemini.answer(Text("Then not."))
    first = await run(asking)
    run.inbox.message("Something else, please.")
    second = await run(asking, first_step=first.step + 1)
    assert (second.end, asking.runs) == (RunEnd.ANSWERED, [])
    assert [content["role"] for content in run.last_contents()] == ["user", "model", "user", "user"]
