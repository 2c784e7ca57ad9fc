"""A run inside a run, on data alone: its entries, limits, waits and how it goes on (SPEC 4.9, SECURITY 22, 25)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.engine.agent import RunBudget
from agents.engine.lifecycle import RunEnd
from agents.engine.nested_runs import NestedJournal
from agents.engine.open_calls import UNDECIDED_INSIDE
from agents.engine.ports import ToolContext, ToolOutcome
from agents.engine.run_progress import count_steps, final_text, unwrap_entry
from agents.engine.step_tools import MAX_RUN_CALLS, TOO_MANY_CALLS
from agents.messages import ApprovalRequest, AssistantText, Entry, ModelResponse, SubAgentEntry, ToolCall, ToolResult, Usage
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, ScriptedModel, answer, call, calls_response
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal


def helper(model: ScriptedModel, *tools: FunctionTool, budget: RunBudget | None = None) -> FunctionTool:
    """A tool that is an agent: what SubAgentTool does, without a configuration."""

    async def run(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        journal = NestedJournal(context.journal, call_id=context.call_id, agent="helper_x", task=str(arguments))
        outcome = await run_agent(
            AGENT,
            model=model,
            tools=tools,
            journal=journal,
            budget=replace(budget or RunBudget(), parent=context.budget),
            first_step=count_steps(journal.entries) + 1,
            caller=context,
        )
        return ToolOutcome("", waits=True) if outcome.end.is_pause else ToolOutcome(final_text(journal.entries))

    return FunctionTool("helper", run, repeatable=True)


async def run(journal: MemoryJournal, model: ScriptedModel, *tools: FunctionTool, **options: Any) -> RunEnd:
    outcome = await run_agent(AGENT, model=model, tools=tools, journal=journal, **options)
    return outcome.end


def results(entries: tuple[Entry, ...]) -> list[tuple[str, Any]]:
    inner_entries = (unwrap_entry(entry) for entry in entries)
    return [(entry.call_id, entry.output) for entry in inner_entries if isinstance(entry, ToolResult)]


async def test_a_nested_runs_entries_stand_under_its_call_and_no_other_model_reads_them() -> None:
    journal, outer = MemoryJournal([QUESTION]), ScriptedModel([calls_response(call("c1", "helper"))], [answer("Done.")])
    inner = ScriptedModel([calls_response(call("c1"))], [answer("Found.")])
    assert await run(journal, outer, helper(inner, FunctionTool())) is RunEnd.ANSWERED

    nested_entries = [entry for entry in journal.appended if isinstance(entry, SubAgentEntry)]
    assert {entry.call_id for entry in nested_entries} == {"c1"}
    assert [entry.id for entry in map(unwrap_entry, nested_entries) if isinstance(entry, ToolCall)] == ["c1-2"], (
        "ids are unique in the conversation"
    )
    assert results(journal.appended) == [("c1-2", "ok"), ("c1", "Found.")]
    assert not any(isinstance(entry, SubAgentEntry) for request in outer.requests for entry in request.entries)
    assert [type(entry).__name__ for entry in inner.requests[1].entries] == ["UserMessage", "ToolCall", "ToolResult"]


async def test_a_run_and_its_sub_agents_share_calls_and_budget() -> None:
    many = [call(f"n{number}", number=number) for number in range(MAX_RUN_CALLS + 1)]
    journal, inner, budget = MemoryJournal([QUESTION]), ScriptedModel([calls_response(*many)], [answer()]), RunBudget()
    outer = ScriptedModel([calls_response(call("c1", "helper"))], [calls_response(call("c2"))], [answer()])
    await run(journal, outer, helper(inner, FunctionTool()), FunctionTool(), budget=budget)
    refused_ids = [call_id for call_id, output in results(journal.appended) if output == TOO_MANY_CALLS]
    assert refused_ids == [f"n{MAX_RUN_CALLS - 1}", f"n{MAX_RUN_CALLS}", "c2"]
    assert budget.usage == Usage(50, 13)


async def test_a_nested_run_ends_with_its_own_budget_or_the_outer_one() -> None:
    for around, own in ((10, None), (None, 10)):
        journal, inner = MemoryJournal([QUESTION]), ScriptedModel([calls_response(call("n1"))])
        outer = ScriptedModel([calls_response(call("c1", "helper"))], [answer()])
        small = RunBudget(max_tokens=own)
        end = await run(journal, outer, helper(inner, FunctionTool(), budget=small), budget=RunBudget(max_tokens=around))
        assert end is (RunEnd.BUDGET if around else RunEnd.ANSWERED)
        assert len(inner.requests) == (0 if around else 1)


async def test_a_nested_runs_partial_text_is_kept_once() -> None:
    journal = MemoryJournal([QUESTION])
    nested_journal = NestedJournal(journal, call_id="c1", agent="helper_x", task="Help")
    for piece in ("I ", "help"):
        nested_journal.text_delta(piece)
    await nested_journal.save_partial()
    await nested_journal.save_partial()
    assert journal.appended == (SubAgentEntry("c1", "helper_x", AssistantText("I help", partial=True)),)


async def wait_inside(dangerous: FunctionTool, *before: Entry) -> tuple[MemoryJournal, ApprovalRequest]:
    journal = MemoryJournal([QUESTION, *before])
    inner = ScriptedModel([calls_response(call("n1", dangerous.definition.name))])
    end = await run(journal, ScriptedModel([calls_response(call("c1", "helper"))]), helper(inner, dangerous))
    assert (end, dangerous.runs) == (RunEnd.WAITING_FOR_APPROVAL, [])
    request = unwrap_entry(journal.appended[-1])
    assert isinstance(request, ApprovalRequest)
    return journal, request


async def go_on(journal: MemoryJournal, dangerous: FunctionTool, inbox: MemoryInbox, *inner: ModelResponse) -> RunEnd:
    """What another process does: nothing is known but the entries."""
    taken_over = MemoryJournal(journal.entries)
    end = await run(
        taken_over,
        ScriptedModel([answer("Done.")]),
        helper(ScriptedModel(*([response] for response in inner)), dangerous),
        inbox=inbox.of(taken_over),
        first_step=2,
    )
    journal.log, journal._entries = taken_over.log, list(taken_over.entries)
    return end


async def test_a_call_of_a_sub_agent_waits_for_the_user_and_runs_once_when_it_is_allowed() -> None:
    dangerous = FunctionTool("delete", confirm=True)
    journal, request = await wait_inside(dangerous)
    inbox = MemoryInbox()
    assert await go_on(journal, dangerous, inbox) is RunEnd.WAITING_FOR_APPROVAL, "nobody decided"
    inbox.decision(request, approved=True)
    assert await go_on(journal, dangerous, inbox, answer("Deleted.")) is RunEnd.ANSWERED
    assert (len(dangerous.runs), results(tuple(journal.entries))) == (1, [("n1", "ok"), ("c1", "Deleted.")])


async def test_a_call_that_waits_is_counted_once() -> None:
    """It was the last that this run may make."""
    before = [entry for n in range(MAX_RUN_CALLS - 2) for entry in (ToolCall(f"b{n}", "delete", {}), ToolResult(f"b{n}", "delete", "ok"))]
    dangerous = FunctionTool("delete", confirm=True)
    journal, request = await wait_inside(dangerous, *before)
    inbox = MemoryInbox()
    inbox.decision(request, approved=True)
    await go_on(journal, dangerous, inbox, answer("Deleted."))
    assert results(tuple(journal.entries))[-2:] == [("n1", "ok"), ("c1", "Deleted.")]


async def test_what_was_allowed_runs_though_a_message_waits() -> None:
    dangerous = FunctionTool("delete", confirm=True)
    journal, request = await wait_inside(dangerous)
    inbox = MemoryInbox()
    inbox.decision(request, approved=True)
    inbox.message("And then?")
    assert await go_on(journal, dangerous, inbox, answer("Deleted.")) is RunEnd.ANSWERED
    assert (len(dangerous.runs), results(tuple(journal.entries))) == (1, [("n1", "ok"), ("c1", "Deleted.")])


class RunLost(Exception):
    """Somebody else has the run."""


class LostJournal(MemoryJournal):
    async def append(self, *entries: Entry, ends_run: bool = False) -> None:
        if any(isinstance(entry, SubAgentEntry) for entry in entries):
            raise RunLost
        await super().append(*entries)


async def test_a_journal_that_fails_inside_ends_the_run_around() -> None:
    """However deep; it is no failure of a tool."""
    deep = helper(ScriptedModel([answer("Found.")]))
    for tool in (deep, helper(ScriptedModel([calls_response(call("n1", "helper"))]), deep)):
        with pytest.raises(RunLost):
            await run(LostJournal([QUESTION]), ScriptedModel([calls_response(call("c1", "helper"))]), tool)


async def test_an_allowed_call_that_may_have_begun_does_not_run_again() -> None:
    """The process died after the decision was stored: SECURITY 22."""
    dangerous = FunctionTool("delete", confirm=True)
    journal, request = await wait_inside(dangerous)
    inbox = MemoryInbox().of(journal)
    inbox.decision(request, approved=True)
    await inbox.deliver_decisions()
    assert await go_on(journal, dangerous, MemoryInbox(), answer("I don't know.")) is RunEnd.ANSWERED
    assert dangerous.runs == []
    [(_, output), _] = results(tuple(journal.entries))
    assert "outcome is unknown" in output


async def test_a_refusal_goes_to_the_sub_agent() -> None:
    dangerous = FunctionTool("delete", confirm=True)
    journal, request = await wait_inside(dangerous)
    inbox = MemoryInbox()
    inbox.decision(request, approved=False, reason="Mine")
    assert await go_on(journal, dangerous, inbox, answer("Then not.")) is RunEnd.ANSWERED
    assert results(tuple(journal.entries)) == [("n1", "The user did not allow this call. Reason: Mine"), ("c1", "Then not.")]
    assert dangerous.runs == []


async def test_a_message_instead_of_a_decision_ends_the_sub_agent() -> None:
    dangerous = FunctionTool("delete", confirm=True)
    journal, _ = await wait_inside(dangerous)
    inbox = MemoryInbox()
    inbox.message("Leave it.")
    assert await go_on(journal, dangerous, inbox) is RunEnd.ANSWERED
    assert (results(tuple(journal.entries)), dangerous.runs) == ([("c1", UNDECIDED_INSIDE)], [])


async def test_a_sub_agent_that_had_answered_is_not_asked_again() -> None:
    journal, inner = MemoryJournal([QUESTION]), ScriptedModel([answer("Found.")])
    await run(journal, ScriptedModel([calls_response(call("c1", "helper"))], [answer()]), helper(inner))
    resumed_journal = MemoryJournal(journal.entries[: next(i for i, e in enumerate(journal.entries) if isinstance(e, ToolResult))])
    silent = ScriptedModel()
    assert await run(resumed_journal, ScriptedModel([answer()]), helper(silent), first_step=2) is RunEnd.ANSWERED
    assert (silent.requests, results(resumed_journal.appended)) == ([], [("c1", "Found.")])
