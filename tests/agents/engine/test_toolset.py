"""How a step's tool calls run and what the model reads when one fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.agent import ToolPolicy
from agents.engine.call_runner import MAX_PARALLEL_CALLS, StepOutcome
from agents.engine.ports import Agent, ToolContext, ToolOutcome
from agents.engine.step_tools import DEFERRED, MAX_RUN_CALLS, TOO_MANY_CALLS, StepTools
from agents.engine.taint import TaintRule
from agents.engine.toolset import ARGUMENTS_TOO_LARGE, INTERNAL_ERROR, MAX_ARGUMENT_CHARS, MAX_OUTPUT_CHARS, OUTPUT_TRUNCATED, Toolset
from agents.errors import ProviderBusy, ToolFailed
from agents.messages import ArtifactReference, DataPart, Entry, ToolCall, ToolResult
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, call
from tests.support.agents.memory_journal import MemoryJournal

SCHEMA = {
    "type": "object",
    "properties": {"count": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}, "ref": {"$ref": "#/$defs/word"}},
    "required": ["count"],
    "additionalProperties": False,
    "$defs": {"word": {"type": "string"}},
}


async def run_step(
    journal: MemoryJournal, tools: list[FunctionTool], *calls: ToolCall, policy: ToolPolicy = ToolPolicy.PARALLEL
) -> StepOutcome:
    spec, toolset = replace(AGENT, tool_policy=policy), Toolset(tools)
    return await StepTools(Agent(spec=spec), toolset, journal, set(), TaintRule(toolset.reads_of)).run(calls, spec)


async def run(tools: list[FunctionTool], *calls: ToolCall, policy: ToolPolicy = ToolPolicy.PARALLEL) -> tuple[Entry, ...]:
    journal = MemoryJournal([QUESTION, *calls])
    await run_step(journal, tools, *calls, policy=policy)
    return journal.appended


async def only_result(tools: list[FunctionTool], tool_call: ToolCall) -> ToolResult:
    (result,) = await run(tools, tool_call)
    assert isinstance(result, ToolResult)
    return result


async def test_a_tools_entries_follow_its_result_and_its_progress_is_published() -> None:
    artifact = ArtifactReference("1", "Poem", "text", 1, "create", "c1")

    async def write(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        context.journal.data(DataPart("progress", {"call": context.call_id}))
        return ToolOutcome({"id": "1"}, entries=(artifact,))

    journal = MemoryJournal()
    await run_step(journal, [FunctionTool(run=write)], call("c1"))
    assert journal.appended == (ToolResult("c1", "look_up", {"id": "1"}), artifact)
    assert journal.logged("data") == [DataPart("progress", {"call": "c1"})]


async def test_calls_run_at_the_same_time_and_results_come_in_call_order() -> None:
    second_is_done = asyncio.Event()

    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        if context.call_id == "c1":
            await second_is_done.wait()
        else:
            second_is_done.set()
        return ToolOutcome(context.call_id)

    results = await run([FunctionTool(run=work)], call("c1"), call("c2"))
    assert results == (ToolResult("c1", "look_up", "c1"), ToolResult("c2", "look_up", "c2"))


async def test_a_result_is_stored_as_soon_as_all_before_it_are() -> None:
    first_is_stored = asyncio.Event()

    class WatchedJournal(MemoryJournal):
        async def append(self, *entries: Entry, ends_run: bool = False) -> None:
            await super().append(*entries)
            first_is_stored.set()

    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        if context.call_id == "c2":
            await first_is_stored.wait()
        return ToolOutcome("ok")

    await run_step(WatchedJournal(), [FunctionTool(run=work)], call("c1"), call("c2"))


async def test_only_so_many_calls_run_at_once() -> None:
    running, most, go = 0, 0, asyncio.Event()

    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == MAX_PARALLEL_CALLS:
            go.set()
        await go.wait()
        running -= 1
        return ToolOutcome("ok")

    await run([FunctionTool(run=work)], *(call(f"c{n}") for n in range(MAX_PARALLEL_CALLS + 3)))
    assert most == MAX_PARALLEL_CALLS


async def test_with_the_single_policy_the_other_calls_are_deferred_visibly() -> None:
    tool = FunctionTool()
    results = await run([tool], call("c1"), call("c2"), call("c3"), policy=ToolPolicy.SINGLE)
    assert results == (
        ToolResult("c1", "look_up", "ok"),
        ToolResult("c2", "look_up", DEFERRED, is_error=True),
        ToolResult("c3", "look_up", DEFERRED, is_error=True),
    )
    assert len(tool.runs) == 1


@pytest.mark.parametrize("error", [ToolFailed("The page does not exist."), ProviderBusy("The provider's rate limit is reached.")])
async def test_a_failing_tool_tells_the_model_why(error: Exception) -> None:
    async def fail(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        raise error

    assert await only_result([FunctionTool(run=fail)], call("c1")) == ToolResult("c1", "look_up", str(error), is_error=True)


async def test_a_bug_in_a_tool_is_logged_and_not_shown_to_the_model(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        raise RuntimeError("secret detail")

    results = await run([FunctionTool(run=fail), FunctionTool("other")], call("c1"), call("c2", "other"))
    assert results == (ToolResult("c1", "look_up", INTERNAL_ERROR, is_error=True), ToolResult("c2", "other", "ok"))
    assert "The tool look_up raised an error." in caplog.text
    assert "secret detail" in caplog.text


async def test_a_tools_own_error_outcome_stays_one() -> None:
    async def refuse(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome({"why": "no"}, is_error=True)

    assert (await only_result([FunctionTool(run=refuse)], call("c1"))).is_error


async def test_an_unknown_tool_is_answered_with_the_tools_there_are() -> None:
    result = await only_result([FunctionTool("look_up"), FunctionTool("write")], call("c1", "search"))
    assert result.is_error
    assert "'search'" in result.output
    assert "look_up, write" in result.output


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({}, "$: 'count' is a required property"),
        ({"count": "three"}, "$.count: 'three' is not of type 'integer'"),
        ({"count": 1, "tags": ["a", None]}, "$.tags[1]: None is not of type 'string'"),
        ({"count": 1, "more": 1}, "$: Additional properties are not allowed ('more' was unexpected)"),
        ({"count": 1, "ref": {"a": 1}}, "$.ref: {'a': 1} is not of type 'string'"),
    ],
)
async def test_wrong_arguments_are_answered_with_their_place_and_never_reach_the_tool(arguments: dict[str, Any], place: str) -> None:
    tool = FunctionTool(schema=SCHEMA)
    result = await only_result([tool], ToolCall("c1", "look_up", arguments))
    assert result == ToolResult("c1", "look_up", f"Wrong arguments at {place}", is_error=True)
    assert tool.runs == []


async def test_right_arguments_reach_the_tool() -> None:
    tool = FunctionTool(schema=SCHEMA)
    await only_result([tool], call("c1", count=3, tags=["a"], ref="b"))
    assert tool.runs == [{"count": 3, "tags": ["a"], "ref": "b"}]


async def test_a_huge_wrong_value_is_not_sent_back_whole() -> None:
    result = await only_result([FunctionTool(schema=SCHEMA)], call("c1", count="x" * 10_000))
    assert len(result.output) < 1000


async def test_arguments_beyond_all_measure_never_reach_the_tool() -> None:
    tool = FunctionTool()
    result = await only_result([tool], call("c1", text="x" * MAX_ARGUMENT_CHARS))
    assert (result.output, tool.runs) == (ARGUMENTS_TOO_LARGE.format(limit=MAX_ARGUMENT_CHARS), [])


@pytest.mark.parametrize("output", ["x" * (MAX_OUTPUT_CHARS + 7), {"text": "x" * MAX_OUTPUT_CHARS}])
async def test_a_huge_result_is_cut_and_says_so(output: object) -> None:
    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        return ToolOutcome(output)

    result = await only_result([FunctionTool(run=work)], call("c1"))
    assert len(result.output) < MAX_OUTPUT_CHARS + 200
    assert result.output.endswith(
        OUTPUT_TRUNCATED.format(total=MAX_OUTPUT_CHARS + (7 if isinstance(output, str) else 12), limit=MAX_OUTPUT_CHARS)
    )


async def test_a_tool_that_takes_too_long_is_ended() -> None:
    has_ended = asyncio.Event()

    async def hang(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            await asyncio.Event().wait()
        finally:
            has_ended.set()
        return ToolOutcome("never")

    result = await only_result([FunctionTool(run=hang, timeout_s=0.01)], call("c1"))
    assert (result.output, result.is_error) == ("The tool took longer than 0.01 seconds and was ended.", True)
    assert has_ended.is_set()


async def test_a_tools_own_time_out_is_its_own_error_and_not_its_time_limit() -> None:
    async def give_up(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        raise TimeoutError("The other side took too long.")

    assert await only_result([FunctionTool(run=give_up)], call("c1")) == ToolResult("c1", "look_up", INTERNAL_ERROR, is_error=True)


async def test_a_schema_with_a_remote_reference_is_never_fetched() -> None:
    tool = FunctionTool(schema={"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}})
    assert (await only_result([tool], call("c1", a=1))).is_error
    assert tool.runs == []


async def test_a_journal_error_gets_out_as_it_is_after_all_tools_have_ended() -> None:
    ended_calls = list[str]()

    class FencedJournal(MemoryJournal):
        async def append(self, *entries: Entry, ends_run: bool = False) -> None:
            raise PermissionError("Another process owns this run.")

    async def work(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            if context.call_id == "c2":
                await asyncio.Event().wait()
        finally:
            ended_calls.append(context.call_id)
        return ToolOutcome("ok")

    with pytest.raises(PermissionError):
        await run_step(FencedJournal(), [FunctionTool(run=work)], call("c1"), call("c2"))
    assert ended_calls == ["c1", "c2"]


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="same name"):
        Toolset([FunctionTool("a"), FunctionTool("a")])


async def test_a_run_has_a_last_tool_call() -> None:
    tool = FunctionTool()
    calls = [call(f"c{number}", number=number) for number in range(MAX_RUN_CALLS + 2)]
    journal = MemoryJournal([QUESTION])
    await run_step(journal, [tool], *calls)
    assert len(tool.runs) == MAX_RUN_CALLS
    assert [entry.output for entry in journal.appended if isinstance(entry, ToolResult)][MAX_RUN_CALLS:] == [TOO_MANY_CALLS] * 2
