"""Calls that the client carries out (SPEC 4.12): the run waits for it, and goes on with what it says, on any process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from agents.engine.lifecycle import RunEnd, RunOutcome
from agents.engine.open_calls import CLIENT_DID_NOT_ANSWER, NOT_BEGUN, approval_request
from agents.engine.ports import ToolContext, ToolOutcome
from agents.messages import ClientOutput, ClientRequest, Entry, ToolCall, ToolResult, UserMessage
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, ScriptedModel, answer, call, calls_response, kinds
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal


async def paint(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
    """Lets the client paint in every colour but black, and tells what it said."""
    if (client_output := context.client_output) is not None:
        return ToolOutcome({"painted": client_output.output}, is_error=client_output.is_error)
    if arguments.get("colour") == "black":
        return ToolOutcome("Not in black.")
    return ToolOutcome(None, for_client={"colour": arguments["colour"]})


def painting(**traits: Any) -> FunctionTool:
    return FunctionTool("paint", paint, by_client=True, repeatable=True, **traits)


def red(id: str = "c1") -> ToolCall:  # noqa: A002
    return call(id, "paint", colour="red", shade=3)


async def run(
    journal: MemoryJournal, *steps: Any, tools: list[FunctionTool], inbox: MemoryInbox | None = None, step: int = 1
) -> RunOutcome:
    inbox = (inbox or MemoryInbox()).of(journal)
    return await run_agent(AGENT, model=ScriptedModel(*steps), tools=tools, journal=journal, inbox=inbox, first_step=step)


def results(journal: MemoryJournal) -> list[ToolResult]:
    return [entry for entry in journal.appended if isinstance(entry, ToolResult)]


async def waiting(*history: Entry, tools: list[FunctionTool] | None = None) -> MemoryJournal:
    """A run that waits for the client, as another process finds it."""
    journal = MemoryJournal([*history, QUESTION])
    outcome = await run(journal, [calls_response(red())], tools=tools or [painting()])
    assert outcome.end is RunEnd.WAITING_FOR_CLIENT
    return MemoryJournal(journal.entries)


async def test_the_client_is_asked_with_what_the_server_lets_through() -> None:
    journal, other = MemoryJournal([QUESTION]), FunctionTool("read")
    outcome = await run(journal, [calls_response(red(), call("c2", "read"))], tools=[painting(), other])
    assert outcome.end is RunEnd.WAITING_FOR_CLIENT
    assert kinds(journal.appended) == ["ToolCall", "ToolCall", "ToolResult", "ClientRequest"], "asked when all others have run"
    assert journal.appended[-1] == ClientRequest("c1", "paint", {"colour": "red"})
    assert [entry.by_client for entry in journal.appended if isinstance(entry, ToolCall)] == [True, False]


@pytest.mark.parametrize("is_error", [False, True])
async def test_what_the_client_says_is_the_calls_result_on_any_process(is_error: bool) -> None:
    journal, inbox = await waiting(), MemoryInbox()
    inbox.output("c1", "the wall", is_error=is_error)
    outcome = await run(journal, [answer()], tools=[painting()], inbox=inbox, step=2)
    assert outcome.end is RunEnd.ANSWERED
    assert kinds(journal.appended) == ["ClientOutput", "ToolResult", "AssistantText"]
    assert results(journal) == [ToolResult("c1", "paint", {"painted": "the wall"}, is_error=is_error)]


async def test_a_call_of_which_nothing_is_left_never_reaches_the_client() -> None:
    journal = MemoryJournal([QUESTION])
    outcome = await run(journal, [calls_response(call("c1", "paint", colour="black"))], [answer()], tools=[painting()])
    assert (outcome.end, kinds(journal.appended)) == (RunEnd.ANSWERED, ["ToolCall", "ToolResult", "AssistantText"])


async def test_a_run_that_died_waits_on_and_asks_only_once() -> None:
    journal = await waiting()
    outcome = await run(journal, tools=[painting()], step=2)
    assert (outcome.end, journal.appended) == (RunEnd.WAITING_FOR_CLIENT, ())
    unasked = MemoryJournal([QUESTION, ToolCall("c1", "paint", {"colour": "red"}, by_client=True)])
    outcome = await run(unasked, tools=[painting()], step=2)
    assert (outcome.end, kinds(unasked.appended)) == (RunEnd.WAITING_FOR_CLIENT, ["ClientRequest"])


async def test_an_answer_that_was_heard_before_the_process_died_is_used() -> None:
    journal, inbox = await waiting(), MemoryInbox()
    later = MemoryJournal([*journal.entries, ClientOutput("c1", "the wall")])
    inbox.message("And now?")
    await run(later, [answer()], tools=[painting()], inbox=inbox, step=2)
    assert later.appended[:2] == (ToolResult("c1", "paint", {"painted": "the wall"}), UserMessage("And now?", "m1"))


async def test_two_calls_are_answered_one_by_one() -> None:
    journal, inbox, tool = MemoryJournal([QUESTION]), MemoryInbox(), painting()
    await run(journal, [calls_response(red("c1"), red("c2"))], tools=[tool])
    inbox.output("c2", "two")
    assert (await run(journal, tools=[tool], inbox=inbox, step=2)).end is RunEnd.WAITING_FOR_CLIENT
    inbox.output("c1", "one")
    assert (await run(journal, [answer()], tools=[tool], inbox=inbox, step=2)).end is RunEnd.ANSWERED
    assert [result.call_id for result in results(journal)] == ["c2", "c1"]


async def test_a_message_instead_of_an_answer_settles_the_call() -> None:
    journal, inbox = await waiting(), MemoryInbox()
    inbox.message("Never mind.")
    outcome = await run(journal, [answer()], tools=[painting()], inbox=inbox, step=2)
    assert outcome.end is RunEnd.ANSWERED
    assert journal.appended[:2] == (ToolResult("c1", "paint", CLIENT_DID_NOT_ANSWER, is_error=True), UserMessage("Never mind.", "m1"))


async def test_a_message_while_other_calls_of_the_step_work_comes_before_the_client_is_asked() -> None:
    started, inbox = asyncio.Event(), MemoryInbox()

    async def slow(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        started.set()
        await asyncio.Event().wait()
        return ToolOutcome("never")

    journal = MemoryJournal([QUESTION])
    running = asyncio.create_task(
        run(journal, [calls_response(red(), call("c2", "slow"))], [answer()], tools=[painting(), FunctionTool("slow", slow)], inbox=inbox)
    )
    await started.wait()
    inbox.message("Wait.")
    assert (await running).end is RunEnd.ANSWERED
    assert not any(isinstance(entry, ClientRequest) for entry in journal.appended)
    assert results(journal)[0] == ToolResult("c1", "paint", NOT_BEGUN, is_error=True)


async def test_an_answer_that_comes_with_a_message_while_other_calls_work_is_heard() -> None:
    started, inbox = asyncio.Event(), MemoryInbox()

    async def slow(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        started.set()
        await asyncio.Event().wait()
        return ToolOutcome("never")

    tools = [painting(), FunctionTool("slow", slow, repeatable=True)]
    journal = MemoryJournal([QUESTION, replace(red(), by_client=True), call("c2", "slow"), ClientRequest("c1", "paint", {"colour": "red"})])
    running = asyncio.create_task(run(journal, [answer()], tools=tools, inbox=inbox, step=2))
    await started.wait()
    inbox.output("c1", "the wall")
    inbox.message("Wait.")
    assert (await running).end is RunEnd.ANSWERED
    assert results(journal)[0] == ToolResult("c1", "paint", {"painted": "the wall"})


async def test_a_call_that_asks_the_user_first_reaches_the_client_when_it_is_allowed() -> None:
    tool, journal, inbox = painting(confirm=True), MemoryJournal([QUESTION]), MemoryInbox()
    assert (await run(journal, [calls_response(red())], tools=[tool])).end is RunEnd.WAITING_FOR_APPROVAL
    inbox.decision(approval_request(red()), approved=True)
    assert (await run(journal, tools=[tool], inbox=inbox, step=2)).end is RunEnd.WAITING_FOR_CLIENT
    assert kinds(journal.appended) == ["ToolCall", "ApprovalRequest", "ApprovalResponse", "ClientRequest"]
