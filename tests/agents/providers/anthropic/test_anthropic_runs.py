"""Engine, retry policy and Anthropic adapter together, against the double that refuses what the API refuses; with it the bad input of
docs/engine.md that this wire has."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.engine.ports import ToolContext, ToolOutcome
from agents.errors import AnswerCut, ProviderUnavailable
from agents.messages import (
    AssistantText,
    FinishReason,
    ModelSettings,
    Notice,
    Reminder,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agents.providers.anthropic.adapter import AnthropicModel
from doubles.script import Call, Fault, Finish, Item, Text, Thought, Usage
from doubles.signals import Gate
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, kinds
from tests.support.agents.anthropic import ALWAYS_THINKS, BUDGETED, SWITCHABLE, ServedAnthropic, anthropic_connection, claude
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal
from tests.support.agents.model_calls import OpenedModel

__all__ = ["claude"]

MODELS = (BUDGETED, SWITCHABLE, ALWAYS_THINKS)
SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
A_CALL = Call("look_up", {"word": "a"}, id="c1")


class Play:
    """Runs in one conversation; `tool` counts its runs."""

    def __init__(self, double: ServedAnthropic, model: str = ALWAYS_THINKS) -> None:
        self.double = double
        self.agent = replace(AGENT, model=model, settings=ModelSettings(thinking_budget=2000))
        self.journal = MemoryJournal([QUESTION])
        self.tool = FunctionTool(schema=SCHEMA)

    async def __call__(self, *answers: list[Item], **changes: Any) -> RunOutcome:
        for answer in answers:
            self.double.answer(*answer)
        async with anthropic_connection(self.double.base_url) as connection:
            model = OpenedModel(AnthropicModel(connection))
            outcome = await run_agent(replace(self.agent, **changes), model=model, tools=[self.tool], journal=self.journal)
        assert (self.double.refusals, self.double.queued_count) == ([], 0)
        return outcome

    @property
    def kinds_of_entries(self) -> list[str]:
        return kinds(self.journal.appended)

    @property
    def results(self) -> list[ToolResult]:
        return [entry for entry in self.journal.appended if isinstance(entry, ToolResult)]

    @property
    def notices(self) -> list[str]:
        return [entry.code for entry in self.journal.appended if isinstance(entry, Notice)]


@pytest.fixture
def play(claude: ServedAnthropic) -> Play:
    return Play(claude)


@pytest.mark.parametrize("model", MODELS)
async def test_several_steps_with_parallel_failing_and_renamed_calls(claude: ServedAnthropic, model: str) -> None:
    play = Play(claude, model)
    await play(
        [Thought("Hm."), Text("Looking."), A_CALL, Call("look_up", {"word": 5}, id="c1")],
        [Thought("x", redacted=True), Thought("More."), Call("look_up", {"word": "b"}, id="c1"), Call("nothing", {}, id="c9")],
        [Thought("So."), Text("Done.")],
    )
    assert [entry.id for entry in play.journal.entries if isinstance(entry, ToolCall)] == ["c1", "c1-2", "c1-3", "c9"]
    assert [entry.is_error for entry in play.results] == [False, False, False, True]
    await play.journal.append(UserMessage("And now?"))
    await play([Text("Again.")])
    assert [message["role"] for message in claude.body["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


@pytest.mark.parametrize("models", [(BUDGETED, ALWAYS_THINKS), (ALWAYS_THINKS, BUDGETED), (SWITCHABLE, BUDGETED)])
async def test_a_conversation_goes_on_with_another_model(claude: ServedAnthropic, models: tuple[str, str]) -> None:
    play = Play(claude, models[0])
    await play([Thought("Hm."), A_CALL], [Thought("So."), Text("Done.")])
    await play.journal.append(UserMessage("And now?"))
    await play([Thought("Hm."), Call("look_up", {"word": "b"}, id="c2")], [Text("Again.")], model=models[1])
    await play.journal.append(UserMessage("And back?"))
    await play([Text("Back.")])


@pytest.mark.parametrize("model", MODELS)
async def test_a_conversation_goes_on_after_a_run_that_was_stopped_in_a_tool(claude: ServedAnthropic, model: str) -> None:
    play, started = Play(claude, model), asyncio.Event()

    async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        started.set()
        await asyncio.Event().wait()
        return ToolOutcome("never")

    play.tool = FunctionTool(run=hang)
    task = asyncio.create_task(play([Thought("Hm."), A_CALL, Call("look_up", {"word": "b"}, id="c2")]))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await play.journal.append(UserMessage("Never mind."))
    await play([Text("Fine.")])
    assert isinstance(play.journal.appended[-1], AssistantText)


async def test_stopping_a_run_ends_the_providers_work_within_a_second(play: Play) -> None:
    gate = Gate()
    task = asyncio.create_task(play([Text("Hal", pieces=["Hal"]), gate]))
    await gate.reached.wait_async()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await play.double.requests[0].disconnected.wait_async()


async def test_a_fault_after_visible_text_is_not_tried_again(play: Play) -> None:
    with pytest.raises(ProviderUnavailable):
        await play([Text("Hal", pieces=["Hal"]), Fault.drop()])
    assert (play.journal.logged("text"), len(play.double.requests)) == (["Hal"], 1)


async def test_an_overload_before_any_text_is_tried_again(play: Play) -> None:
    outcome = await play([Fault.status(529)], [Fault.mid_stream_error(529)], [Text("Hi")])
    assert (outcome.end, len(play.double.requests)) == (RunEnd.ANSWERED, 3)


class TestBadInput:
    @pytest.mark.parametrize(
        ("answer", "problem"),
        [
            ([Call("", {"word": "a"})], "it named no tool."),
            ([Call("look_up", ["a"])], "the arguments of look_up were no JSON object."),
            ([Call("look_up", '{"word": "a')], "the arguments of look_up were no JSON object."),
            ([A_CALL, Call("look_up", [])], "the arguments of look_up were no JSON object."),  # the good one waits, too
        ],
    )
    async def test_a_call_that_cannot_be_read_is_told_to_the_model(self, play: Play, answer: list[Item], problem: str) -> None:
        outcome = await play([Thought("Hm."), *answer], [A_CALL], [Text("Done.")])
        [reminder] = [entry for entry in play.journal.appended if isinstance(entry, Reminder)]
        assert problem in reminder.text
        assert (outcome.end, outcome.step, play.tool.runs) == (RunEnd.ANSWERED, 3, [{"word": "a"}])

    async def test_a_call_that_the_length_cut(self, play: Play) -> None:
        """It may be half of what the model meant."""
        outcome = await play([Text("So:"), A_CALL, Call("look_up", '{"word": "ha'), Finish("max_tokens")], [Text("Shorter.")])
        assert (outcome.end, [result.is_error for result in play.results], play.tool.runs) == (RunEnd.ANSWERED, [True, True], [])
        assert "Not run: your answer ended before it was complete" in play.results[0].output

    @pytest.mark.parametrize("reason", ["pause_turn", "a_reason_of_tomorrow"])
    async def test_a_call_of_an_answer_that_ended_for_another_reason(self, play: Play, reason: str) -> None:
        outcome = await play([A_CALL, Finish(reason)], [Text("Done.")])
        assert (outcome.end, [result.is_error for result in play.results], play.tool.runs) == (RunEnd.ANSWERED, [True], [])

    async def test_a_call_of_an_answer_that_the_safety_filter_ended(self, play: Play) -> None:
        outcome = await play([A_CALL, Finish("refusal")])
        assert (outcome.finish_reason, play.tool.runs) == (FinishReason.CONTENT_FILTER, [])
        assert (play.kinds_of_entries, play.notices) == (["ToolCall", "ToolResult", "Notice"], ["content_filter"])

    @pytest.mark.parametrize(
        "answer", [[], [Text("", pieces=[""])], [Thought("Hm.")], [Thought("x", redacted=True)], [Finish("pause_turn")]]
    )
    async def test_an_empty_answer_is_said_and_the_conversation_goes_on(self, play: Play, answer: list[Item]) -> None:
        outcome = await play(answer)
        assert (outcome.end, play.notices) == (RunEnd.EMPTY, ["empty_answer"])
        await play.journal.append(UserMessage("Hello?"))
        await play([Text("Hi.")])

    @pytest.mark.parametrize("answer", [[Thought("Hm.")], [Thought("Hm."), Text("So:"), Thought("Or")]])
    async def test_an_answer_that_the_length_cut_while_it_thought_does_not_end_the_conversation(
        self, play: Play, answer: list[Item]
    ) -> None:
        """Such thinking has no signature, and no message may end in thinking."""
        await play([*answer, Finish("max_tokens")])
        await play.journal.append(UserMessage("Hello?"))
        await play([Text("Hi.")])

    @pytest.mark.parametrize(
        ("reason", "finish", "notice"),
        [
            ("max_tokens", FinishReason.LENGTH, "length_limit"),
            ("model_context_window_exceeded", FinishReason.LENGTH, "length_limit"),
            ("refusal", FinishReason.CONTENT_FILTER, "content_filter"),
            ("pause_turn", FinishReason.OTHER, "ended_early"),
            ("a_reason_of_tomorrow", FinishReason.OTHER, "ended_early"),
        ],
    )
    async def test_an_answer_that_did_not_end_by_itself_is_kept_and_says_so(
        self, play: Play, reason: str, finish: FinishReason, notice: str
    ) -> None:
        outcome = await play([Text("Half an"), Finish(reason)])
        assert (outcome.end, outcome.finish_reason) == (RunEnd.ANSWERED, finish)
        assert play.notices == [notice]

    @pytest.mark.parametrize("end", [Fault.cut(), Finish(None)])
    async def test_a_stream_without_its_end_mark_is_cut(self, play: Play, end: Item) -> None:
        with pytest.raises(AnswerCut):
            await play([Text("Half an"), A_CALL, end])
        assert (play.journal.appended, play.tool.runs) == ((), [])

    async def test_missing_usage_is_estimated(self, play: Play) -> None:
        outcome = await play([Text("Hi."), Usage(reported=False)])
        assert (outcome.end, outcome.usage.output_tokens) == (RunEnd.ANSWERED, 1)
        assert outcome.usage.input_tokens > 10
