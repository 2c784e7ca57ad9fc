"""Whole runs over both OpenAI wires: what a model may send that is no proper answer has its one outcome (docs/engine.md, "Bad input")."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.errors import AnswerCut
from agents.messages import FinishReason, Notice, Reminder, ToolResult
from agents.providers.registry import language_model
from doubles.openai import ServerQuirks
from doubles.script import Call, Fault, Finish, Item, Text, Thought
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, kinds
from tests.agents.providers.openai.openai_harness import connection
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryJournal
from tests.support.agents.model_calls import OpenedModel
from tests.support.agents.openai import ServedOpenAI, openai_double

SCHEMA = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
A_CALL = Call("look_up", {"word": "a"}, id="c1")
LENGTH = {"openai": "max_output_tokens", "compatible": "length"}


class Play:
    """One run against the double; `tool` counts its runs."""

    def __init__(self, double: ServedOpenAI, provider: str) -> None:
        self.double = double
        self.provider = provider
        self.journal = MemoryJournal([QUESTION])
        self.tool = FunctionTool(schema=SCHEMA)

    async def __call__(self, *answers: list[Item], **changes: Any) -> RunOutcome:
        for answer in answers:
            self.double.answer(*answer)
        agent = replace(AGENT, model="gpt-6.2-sol", **changes)
        async with connection(self.double.base_url) as provider_connection:
            outcome = await run_agent(
                agent, model=OpenedModel(language_model(self.provider, provider_connection)), tools=[self.tool], journal=self.journal
            )
        assert [request.refusal for request in self.double.requests if request.refusal] == []
        assert self.double.queued_count == 0
        return outcome

    @property
    def kinds_of_entries(self) -> list[str]:
        """What was appended, by kind."""
        return kinds(self.journal.appended)

    @property
    def results(self) -> list[ToolResult]:
        return [entry for entry in self.journal.appended if isinstance(entry, ToolResult)]

    @property
    def notices(self) -> list[str]:
        return [entry.code for entry in self.journal.appended if isinstance(entry, Notice)]


@pytest.fixture
def double() -> Iterator[ServedOpenAI]:
    with openai_double(quirks=ServerQuirks(reasoning_field="reasoning_content")) as server:
        yield server


@pytest.fixture(params=["openai", "compatible"])
def play(request: pytest.FixtureRequest, double: ServedOpenAI) -> Play:
    return Play(double, request.param)


async def test_thinking_and_parallel_calls(play: Play) -> None:
    answer: list[Item] = [Thought("Hm."), Text("Looking."), A_CALL, Call("look_up", {"word": "b"}, id="c2")]
    outcome = await play(answer, [Thought("So."), Text("Done.")])
    assert (outcome.end, outcome.step, play.tool.runs) == (RunEnd.ANSWERED, 2, [{"word": "a"}, {"word": "b"}])


@pytest.mark.parametrize("bad", [Call("", {"word": "a"}), Call("look_up", ["a"]), Call("look_up", '{"word": "a')])
async def test_an_unreadable_call_is_told_and_asked_again(play: Play, bad: Call) -> None:
    outcome = await play([Thought("Hm."), A_CALL, bad], [A_CALL], [Text("Done.")])
    [reminder] = [entry for entry in play.journal.appended if isinstance(entry, Reminder)]
    assert (reminder.code, outcome.end, play.tool.runs) == ("malformed_call", RunEnd.ANSWERED, [{"word": "a"}])
    assert play.kinds_of_entries[-4:] == ["Reminder", "ToolCall", "ToolResult", "AssistantText"]


async def test_a_call_cut_by_the_answers_length_does_not_run(play: Play) -> None:
    """Whole or not: it may be half of what the model meant."""
    outcome = await play([Text("So:"), A_CALL, Finish(LENGTH[play.provider])], [Text("Shorter.")])
    assert (outcome.end, [result.is_error for result in play.results], play.tool.runs) == (RunEnd.ANSWERED, [True], [])


async def test_a_call_that_the_safety_filter_ended_does_not_run(play: Play) -> None:
    outcome = await play([A_CALL, Finish("content_filter")])
    assert (outcome.finish_reason, play.tool.runs, play.notices) == (FinishReason.CONTENT_FILTER, [], ["content_filter"])


async def test_an_unknown_tool_and_arguments_that_do_not_fit(play: Play) -> None:
    await play([Call("search", {}, id="c1"), Call("look_up", {"word": {"deep": 1}}, id="c2")], [Text("Done.")])
    assert [result.is_error for result in play.results] == [True, True]
    assert play.tool.runs == []


async def test_repeated_call_ids_are_made_unique(play: Play) -> None:
    await play([A_CALL, A_CALL], [A_CALL], [Text("Done.")])
    assert [result.call_id for result in play.results] == ["c1", "c1-2", "c1-3"]


async def test_calls_without_ids_get_them(double: ServedOpenAI) -> None:
    double.quirks = ServerQuirks(call_ids=False)
    play = Play(double, "compatible")
    await play([A_CALL, A_CALL], [Text("Done.")])
    assert len({result.call_id for result in play.results}) == 2


@pytest.mark.parametrize("answer", [[], [Text("", pieces=[""])], [Thought("Hm.")]])
async def test_an_empty_answer_is_told_to_the_user(play: Play, answer: list[Item]) -> None:
    outcome = await play(answer)
    assert (outcome.end, play.notices) == (RunEnd.EMPTY, ["empty_answer"])


async def test_an_answer_cut_by_its_length_is_kept_and_says_so(play: Play) -> None:
    outcome = await play([Text("Half an"), Finish(LENGTH[play.provider])])
    assert (outcome.finish_reason, play.notices) == (FinishReason.LENGTH, ["length_limit"])


@pytest.mark.parametrize("end", [Fault.cut(), Finish(None)])
async def test_a_stream_without_its_end_mark_is_cut(play: Play, end: Item) -> None:
    with pytest.raises(AnswerCut):
        await play([Text("Half an"), A_CALL, end])
    assert (play.journal.appended, play.tool.runs) == ((), [])


async def test_a_busy_provider_is_tried_again(play: Play) -> None:
    outcome = await play([Fault.status(503)], [Text("Hi.")])
    assert (outcome.end, len(play.double.requests)) == (RunEnd.ANSWERED, 2)
