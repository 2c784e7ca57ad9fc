"""One table for all providers: the same scene, played by each one's strict double through its SDK and the engine, ends the same way.

Where an outcome differs, the table says why.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.engine.open_calls import INTERRUPTED
from agents.engine.ports import ToolContext, ToolOutcome
from agents.errors import (
    AnswerCut,
    ContentBlocked,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    RequestRefused,
)
from agents.messages import AssistantText, FinishReason, Notice, Reasoning, Reminder, ToolCall, ToolResult, UserMessage
from doubles.script import Call, Fault, Finish, Item, Text, Thought
from doubles.signals import Gate
from tests.agents.engine.scripted import QUESTION, FunctionTool, kinds
from tests.agents.providers.matrix.modes import ANTHROPIC, MODES, Double, ProviderMode
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal
from tests.support.agents.model_calls import OpenedModel

SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
A, B = Call("look_up", {"word": "a"}), Call("look_up", {"word": "b"})
UNREADABLE = Call("look_up", '{"word": "a')
HALF = Text("Half an", pieces=["Half an"])


class Play:
    """Runs of one mode in one conversation; `waits`: how long the retry policy would have waited."""

    def __init__(self, mode: ProviderMode, double: Double) -> None:
        self.mode, self.double = mode, double
        self.journal = MemoryJournal([QUESTION])
        self.inbox = MemoryInbox().of(self.journal)
        self.tool = FunctionTool(schema=SCHEMA)
        self.waits: list[float] = []

    async def __call__(self, *answers: list[Item]) -> RunOutcome:
        for answer in answers:
            self.double.answer(*map(self.mode.as_sent, answer))
        try:
            async with self.mode.open_model(self.double) as model:
                retrying = OpenedModel(model, sleep=self._sleep, jitter=lambda: 0.0)
                return await run_agent(self.mode.agent, model=retrying, tools=[self.tool], journal=self.journal, inbox=self.inbox)
        finally:
            assert [request.refusal for request in self.double.requests if request.refusal] == []

    async def _sleep(self, delay_s: float) -> None:
        self.waits.append(delay_s)

    def of_kind(self, kind: type[Any]) -> list[Any]:
        return [entry for entry in self.journal.appended if isinstance(entry, kind)]

    @property
    def text(self) -> str:
        return "".join(entry.text for entry in self.of_kind(AssistantText))


@pytest.fixture(params=MODES, ids=str)
def play(request: pytest.FixtureRequest) -> Iterator[Play]:
    mode: ProviderMode = request.param
    with mode.serve() as double:
        yield Play(mode, double)


class TestAnswers:
    async def test_plain_text_is_streamed_and_stored(self, play: Play) -> None:
        outcome = await play([Text("Hello, world.")])
        assert (outcome.end, outcome.finish_reason, outcome.step) == (RunEnd.ANSWERED, FinishReason.STOP, 1)
        assert (kinds(play.journal.appended)[-1], play.text) == ("AssistantText", "Hello, world.")
        assert "".join(map(str, play.journal.logged("text"))) == "Hello, world."
        assert outcome.usage.input_tokens > 0
        assert outcome.usage.output_tokens > 0

    async def test_thinking_is_streamed_before_the_text(self, play: Play) -> None:
        outcome = await play([Thought("Hm, let me see."), Text("Yes.")])
        assert "".join(map(str, play.journal.logged("reasoning"))) == "Hm, let me see."
        assert [entry.text for entry in play.of_kind(Reasoning)] == ["Hm, let me see."]
        assert (play.text, outcome.usage.thinking_tokens > 0) == ("Yes.", True)

    async def test_a_tool_call_and_its_result_go_round(self, play: Play) -> None:
        outcome = await play([Thought("Hm."), Text("Looking."), A], [Text("Done.")])
        assert (outcome.end, outcome.step, play.tool.runs) == (RunEnd.ANSWERED, 2, [{"word": "a"}])
        assert [entry.output for entry in play.of_kind(ToolResult)] == ["ok"]

    async def test_parallel_tool_calls_go_round(self, play: Play) -> None:
        outcome = await play([A, B], [Thought("Both."), Text("Done.")])
        assert (outcome.end, outcome.step) == (RunEnd.ANSWERED, 2)
        assert sorted(run["word"] for run in play.tool.runs) == ["a", "b"]
        calls, results = play.of_kind(ToolCall), play.of_kind(ToolResult)
        assert len({call.id for call in calls}) == 2
        assert [result.call_id for result in results] == [call.id for call in calls]

    async def test_a_call_that_cannot_be_read_is_told_to_the_model(self, play: Play) -> None:
        outcome = await play([UNREADABLE], [A], [Text("Done.")])
        assert (outcome.end, outcome.step, play.tool.runs) == (RunEnd.ANSWERED, 3, [{"word": "a"}])
        assert len(play.of_kind(Reminder)) == 1

    @pytest.mark.parametrize(
        ("end", "finish", "notice"),
        [("length", FinishReason.LENGTH, "length_limit"), ("filter", FinishReason.CONTENT_FILTER, "content_filter")],
    )
    async def test_an_answer_that_the_provider_ended(self, play: Play, end: str, finish: FinishReason, notice: str) -> None:
        outcome = await play([HALF, Finish(play.mode.finish_reasons[end])])
        assert (outcome.end, outcome.finish_reason) == (RunEnd.ANSWERED, finish)
        assert ([entry.code for entry in play.of_kind(Notice)], play.text) == ([notice], "Half an")

    async def test_an_empty_answer_is_said(self, play: Play) -> None:
        assert (await play([])).end is RunEnd.EMPTY
        assert [entry.code for entry in play.of_kind(Notice)] == ["empty_answer"]


# Scene, what the double sends, the error, how often it is asked: passing faults three times, but never again after visible text.
FAULTS: list[Any] = [
    pytest.param(Fault.status(429, retry_after_s=7), ProviderBusy, 3, id="rate limit"),
    pytest.param(Fault.status(500), ProviderUnavailable, 3, id="server error"),
    pytest.param(Fault.html(502), ProviderUnavailable, 3, id="gateway page"),
    pytest.param(Fault.reset(), ProviderUnavailable, 3, id="reset"),
    pytest.param(Fault.cut(), AnswerCut, 3, id="cut before any text"),
    pytest.param(Fault.status(401), KeyRejected, 1, id="key"),
    pytest.param(Fault.status(404, "No such model."), RequestRefused, 1, id="unknown model"),
    pytest.param(Fault.blocked(), ContentBlocked, 1, id="blocked"),
]
LATE_FAULTS: list[Any] = [
    pytest.param(Fault.mid_stream_error(500), ProviderUnavailable, id="server error"),
    pytest.param(Fault.malformed(), ProviderUnavailable, id="malformed"),
    pytest.param(Fault.drop(), ProviderUnavailable, id="dropped"),
    pytest.param(Fault.cut(), AnswerCut, id="cut"),
    pytest.param(Finish(None), AnswerCut, id="no end mark"),
]


class TestFaults:
    @pytest.mark.parametrize(("fault", "kind", "request_count"), FAULTS)
    async def test_a_fault_before_any_text_is_tried_again(
        self, play: Play, fault: Fault, kind: type[ProviderError], request_count: int
    ) -> None:
        answer: list[Item] = [fault]
        with pytest.raises(ProviderError) as caught:
            await play(*[answer] * request_count)
        assert (type(caught.value), len(play.double.requests)) == (kind, request_count)
        assert (play.journal.appended, play.double.queued_count) == ((), 0)

    async def test_a_rate_limit_is_waited_for_as_long_as_it_says(self, play: Play) -> None:
        outcome = await play([Fault.status(429, retry_after_s=7)], [Text("Hi.")])
        assert (outcome.end, play.waits, play.text) == (RunEnd.ANSWERED, [7.0], "Hi.")

    async def test_a_prompt_that_is_too_long(self, play: Play) -> None:
        with pytest.raises(PromptTooLong):
            await play([play.mode.too_long])
        assert len(play.double.requests) == 1

    @pytest.mark.parametrize(("fault", "kind"), LATE_FAULTS)
    async def test_after_visible_text_nothing_is_tried_again(self, play: Play, fault: Item, kind: type[ProviderError]) -> None:
        with pytest.raises(ProviderError) as caught:
            await play([HALF, fault])
        assert (type(caught.value), len(play.double.requests), play.journal.logged("text")) == (kind, 1, ["Half an"])

    async def test_an_overload_in_the_middle(self, play: Play) -> None:
        """Only Anthropic has a name of its own for it; elsewhere it is a server's error."""
        with pytest.raises(ProviderBusy if play.mode is ANTHROPIC else ProviderUnavailable):
            await play([HALF, Fault.mid_stream_error(play.mode.overload)])
        assert len(play.double.requests) == 1


class TestInterruptions:
    async def test_stopping_closes_the_connection_within_a_second(self, play: Play) -> None:
        gate = Gate()
        task = asyncio.create_task(play([HALF, gate, Text(" answer")]))
        await gate.reached.wait_async()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await play.double.requests[0].disconnected.wait_async()

    async def test_a_message_ends_the_answer_within_a_second_and_is_the_next_input(self, play: Play) -> None:
        gate = Gate()
        task = asyncio.create_task(play([Thought("Hm."), HALF, gate, Text(" answer")], [Text("Shorter.")]))
        await gate.reached.wait_async()
        play.inbox.message("Shorter, please!")
        await play.double.requests[0].disconnected.wait_async()
        assert (await task).end is RunEnd.ANSWERED
        assert [(entry.text, entry.partial) for entry in play.of_kind(AssistantText)] == [("Half an", True), ("Shorter.", False)]
        assert play.double.requests[1].user_text == "Shorter, please!"
        assert "Half an" in str(play.double.requests[1].body)

    async def test_a_message_ends_a_tool_and_every_call_has_its_result(self, play: Play) -> None:
        started = asyncio.Event()

        async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
            started.set()
            await asyncio.Event().wait()
            return ToolOutcome("never")

        play.tool = FunctionTool(run=hang, schema=SCHEMA)
        task = asyncio.create_task(play([Text("Looking."), A, B], [Text("Fine.")]))
        await started.wait()
        play.inbox.message("Never mind.")
        assert (await task).end is RunEnd.ANSWERED
        assert [entry.output for entry in play.of_kind(ToolResult)] == [INTERRUPTED] * 2
        assert [entry.text for entry in play.of_kind(UserMessage)] == ["Never mind."]
        assert play.text.endswith("Fine.")

    async def test_what_the_client_made_of_calls_follows_them_in_their_order(self, play: Play) -> None:
        async def ask(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
            client_output = context.client_output
            return ToolOutcome(client_output.output) if client_output else ToolOutcome(None, for_client=arguments)

        play.tool = FunctionTool(run=ask, schema=SCHEMA, by_client=True, repeatable=True)
        assert (await play([Thought("Hm."), Text("Looking."), A, B])).end is RunEnd.WAITING_FOR_CLIENT
        first, second = (call.id for call in play.of_kind(ToolCall))
        play.inbox.output(second, "of the second")
        play.inbox.output(first, "of the first")
        assert (await play([Text("Fine.")])).end is RunEnd.ANSWERED
        body = str(play.double.requests[1].body)
        assert body.index("of the first") < body.index("of the second")
