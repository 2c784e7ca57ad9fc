"""Every way in which a run ends or pauses (SPEC 3.4), and what the user and the model are told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from admin_config.defaults.options import OPTIONS
from agents.context.policy import ContextPolicy
from agents.engine.agent import CompletionMode, RunBudget
from agents.engine.lifecycle import BUDGET, LOOP, STEP_LIMIT, RunEnd
from agents.engine.loop import MAX_STEPS, NO_TOOL_CALL_TEXT
from agents.engine.open_calls import OUTCOME_UNKNOWN, UNDECIDED
from agents.engine.ports import Danger, ToolContext, ToolOutcome
from agents.engine.run_progress import MAX_EQUAL_CALLS, MAX_INTERCEPTIONS
from agents.engine.step_model import ANSWER_CUT
from agents.errors import PromptTooLong
from agents.messages import (
    ApprovalRequest,
    ApprovalResponse,
    AssistantText,
    Entry,
    File,
    FinishReason,
    ModelResponse,
    ModelSettings,
    NextStep,
    Notice,
    NoToolCallRetry,
    Reminder,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from tests.agents.engine.scripted import AGENT, QUESTION, FunctionTool, ScriptedModel, answer, call, calls_response, kinds
from tests.support.agents.engine_runs import run_agent
from tests.support.agents.memory_journal import MemoryInbox, MemoryJournal

LONG_CHAT = [entry for number in range(20) for entry in (UserMessage(f"Question {number}? " + "x" * 400), AssistantText("y" * 400))]
MESSAGE_AGENT = replace(AGENT, completion=CompletionMode.MESSAGE_TOOL)


def message_tool() -> FunctionTool:
    async def run(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
        next_step = {"result": NextStep.FINISH, "question": NextStep.WAIT_FOR_REPLY}.get(arguments["type"], NextStep.GO_ON)
        return ToolOutcome("Shown.", next_step=next_step)

    return FunctionTool("message", run)


def results(entries: tuple[Entry, ...]) -> list[ToolResult]:
    return [entry for entry in entries if isinstance(entry, ToolResult)]


class TestMessageTool:
    async def test_a_result_ends_the_run(self) -> None:
        journal = MemoryJournal([QUESTION])
        model = ScriptedModel([calls_response(call("c1", "message", type="result", text="Done."))])
        outcome = await run_agent(MESSAGE_AGENT, model=model, tools=[message_tool()], journal=journal)
        assert outcome.end is RunEnd.ANSWERED
        assert kinds(journal.appended) == ["ToolCall", "ToolResult"]

    async def test_plain_text_is_answered_with_a_visible_reminder_a_few_times(self) -> None:
        journal = MemoryJournal([QUESTION])
        model = ScriptedModel(*([answer(f"Text {number}.")] for number in range(3)))
        outcome = await run_agent(replace(MESSAGE_AGENT, max_reminders=2), model=model, tools=[message_tool()], journal=journal)
        assert outcome.end is RunEnd.NO_TOOL_CALL
        assert kinds(journal.appended) == [
            "AssistantText",
            "NoToolCallRetry",
            "AssistantText",
            "NoToolCallRetry",
            "AssistantText",
            "Notice",
        ]
        assert model.requests[2].entries[-1] == NoToolCallRetry(NO_TOOL_CALL_TEXT, 2)

    async def test_a_question_pauses_the_run_until_the_reply(self) -> None:
        journal, inbox = MemoryJournal([QUESTION]), MemoryInbox()
        model = ScriptedModel([calls_response(call("c1", "message", type="question", text="Which?"))], [answer("Blue it is.")])
        outcome = await run_agent(AGENT, model=model, tools=[message_tool()], journal=journal, inbox=inbox.of(journal))
        assert outcome.end is RunEnd.WAITING_FOR_REPLY
        inbox.message("Blue.")
        outcome = await run_agent(AGENT, model=model, tools=[message_tool()], journal=journal, inbox=inbox.of(journal), first_step=2)
        assert outcome.end is RunEnd.ANSWERED
        assert model.requests[1].entries[-1] == UserMessage("Blue.", "m1")


class TestApproval:
    async def test_a_dangerous_call_waits_while_the_others_of_its_step_run(self) -> None:
        send, read = FunctionTool("send", danger=Danger.DANGEROUS), FunctionTool("read")
        journal = MemoryJournal([QUESTION])
        model = ScriptedModel([calls_response(call("c1", "send", to="x"), call("c2", "read"))])
        outcome = await run_agent(AGENT, model=model, tools=[send, read], journal=journal)
        assert outcome.end is RunEnd.WAITING_FOR_APPROVAL
        assert (send.runs, len(read.runs)) == ([], 1)
        assert kinds(journal.appended) == ["ToolCall", "ToolCall", "ToolResult", "ApprovalRequest"]

    @pytest.mark.parametrize("is_approved", [True, False])
    async def test_the_decision_goes_on_on_any_process(self, is_approved: bool) -> None:
        tool, journal, inbox = FunctionTool("send", confirm=True), MemoryJournal([QUESTION]), MemoryInbox()
        model = ScriptedModel([calls_response(call("c1", "send", to="x"))], [answer()])
        await run_agent(AGENT, model=model, tools=[tool], journal=journal, inbox=inbox.of(journal))
        inbox.decision(_request(journal), approved=is_approved, reason="" if is_approved else "Too early")
        outcome = await run_agent(AGENT, model=model, tools=[tool], journal=journal, inbox=inbox.of(journal), first_step=2)
        assert outcome.end is RunEnd.ANSWERED
        assert tool.runs == ([{"to": "x"}] if is_approved else [])
        expected = "ok" if is_approved else "The user did not allow this call. Reason: Too early"
        assert model.requests[1].entries[-1] == ToolResult("c1", "send", expected, is_error=not is_approved, denied=not is_approved)

    async def test_an_allowed_call_that_may_have_begun_is_not_run_again(self) -> None:
        tool = FunctionTool("send", confirm=True)
        request = ApprovalRequest("a1", "c1")
        journal = MemoryJournal([QUESTION, call("c1", "send"), request, ApprovalResponse("a1", "c1", approved=True)])
        await run_agent(AGENT, model=ScriptedModel([answer()]), tools=[tool], journal=journal, first_step=2)
        assert tool.runs == []
        assert results(journal.appended)[0].output == OUTCOME_UNKNOWN

    async def test_a_run_that_died_before_it_asked_asks_now(self) -> None:
        tool, journal = FunctionTool("send", confirm=True), MemoryJournal([QUESTION, call("c1", "send")])
        outcome = await run_agent(AGENT, model=ScriptedModel(), tools=[tool], journal=journal, first_step=2)
        assert outcome.end is RunEnd.WAITING_FOR_APPROVAL
        assert (tool.runs, kinds(journal.appended)) == ([], ["ApprovalRequest"])

    async def test_a_message_instead_of_a_decision_is_a_refusal(self) -> None:
        tool, journal, inbox = FunctionTool("send", confirm=True), MemoryJournal([QUESTION]), MemoryInbox()
        model = ScriptedModel([calls_response(call("c1", "send"))], [answer()])
        await run_agent(AGENT, model=model, tools=[tool], journal=journal, inbox=inbox.of(journal))
        inbox.message("No, wait.")
        await run_agent(AGENT, model=model, tools=[tool], journal=journal, inbox=inbox.of(journal), first_step=2)
        assert tool.runs == []
        assert model.requests[1].entries[-2:] == (
            ToolResult("c1", "send", UNDECIDED, is_error=True, denied=True),
            UserMessage("No, wait.", "m1"),
        )


def _request(journal: MemoryJournal) -> ApprovalRequest:
    return next(entry for entry in journal.entries if isinstance(entry, ApprovalRequest))


class TestLimits:
    async def test_the_same_call_again_and_again_is_intercepted_visibly_and_then_ends_the_run(self) -> None:
        journal, tool = MemoryJournal([QUESTION]), FunctionTool()
        model = ScriptedModel(*([calls_response(call("c", word="x"))] for _ in range(20)))
        agent = replace(AGENT, max_steps=20, max_equal_calls=2)
        outcome = await run_agent(agent, model=model, tools=[tool], journal=journal)
        assert outcome.end is RunEnd.LOOP
        assert (len(tool.runs), outcome.step) == (2, 2 + MAX_INTERCEPTIONS)
        reminders = [entry for entry in journal.appended if isinstance(entry, Reminder)]
        assert [reminder.code for reminder in reminders] == ["loop"] * MAX_INTERCEPTIONS
        assert journal.appended[-1] == LOOP

    async def test_no_setting_lets_a_call_come_more_often_than_the_ceiling(self) -> None:
        tool = FunctionTool()
        model = ScriptedModel(*([calls_response(call("c", word="x"))] for _ in range(20)))
        agent = replace(AGENT, max_steps=20, max_equal_calls=50)
        outcome = await run_agent(agent, model=model, tools=[tool], journal=MemoryJournal([QUESTION]))
        assert (outcome.end, len(tool.runs)) == (RunEnd.LOOP, MAX_EQUAL_CALLS)
        assert OPTIONS["max_equal_calls"].high == MAX_EQUAL_CALLS

    async def test_other_arguments_are_no_loop(self) -> None:
        tool = FunctionTool()
        model = ScriptedModel(*([calls_response(call("c", number=number))] for number in range(4)), [answer()])
        outcome = await run_agent(replace(AGENT, max_equal_calls=1), model=model, tools=[tool], journal=MemoryJournal([QUESTION]))
        assert (outcome.end, len(tool.runs)) == (RunEnd.ANSWERED, 4)

    @pytest.mark.parametrize("budget", [RunBudget(max_tokens=20), RunBudget(max_cost_usd=0.02, price=lambda model, usage: 0.01)])
    async def test_a_spent_budget_ends_the_run_before_the_next_request(self, budget: RunBudget) -> None:
        journal = MemoryJournal([QUESTION])
        model = ScriptedModel(*([calls_response(call(f"c{number}", number=number))] for number in range(4)))
        outcome = await run_agent(AGENT, model=model, tools=[FunctionTool()], journal=journal, budget=budget)
        assert (outcome.end, len(model.requests), journal.appended[-1]) == (RunEnd.BUDGET, 2, BUDGET)

    async def test_children_spend_the_parents_budget(self) -> None:
        budget = RunBudget(max_tokens=1000)

        async def delegate(arguments: dict[str, Any], context: ToolContext) -> ToolOutcome:
            child = ScriptedModel([answer()])
            await run_agent(AGENT, model=child, tools=[], journal=MemoryJournal([QUESTION]), budget=context.budget)
            return ToolOutcome("done")

        model = ScriptedModel([calls_response(call())], [answer()])
        await run_agent(AGENT, model=model, tools=[FunctionTool(run=delegate)], journal=MemoryJournal([QUESTION]), budget=budget)
        assert budget.usage == Usage(30, 7)

    async def test_no_agent_gets_more_steps_than_the_engines_ceiling(self) -> None:
        model = ScriptedModel(*([calls_response(call(f"c{number}", number=number))] for number in range(MAX_STEPS + 5)))
        agent = replace(AGENT, max_steps=MAX_STEPS + 5)
        outcome = await run_agent(agent, model=model, tools=[FunctionTool()], journal=MemoryJournal([QUESTION]))
        assert (outcome.end, outcome.step) == (RunEnd.STEP_LIMIT, MAX_STEPS)

    async def test_a_tool_may_end_the_run(self) -> None:
        agent = replace(AGENT, stop_on_tool_call=frozenset({"look_up"}))
        journal = MemoryJournal([QUESTION])
        outcome = await run_agent(agent, model=ScriptedModel([calls_response(call())]), tools=[FunctionTool()], journal=journal)
        assert (outcome.end, kinds(journal.appended)) == (RunEnd.TOOL_STOP, ["ToolCall", "ToolResult"])


class TestCutAnswers:
    async def test_the_calls_of_an_answer_that_was_cut_are_not_run(self) -> None:
        tool, journal = FunctionTool(), MemoryJournal([QUESTION])
        model = ScriptedModel([ModelResponse((call("c1"),), FinishReason.LENGTH)], [answer()])
        outcome = await run_agent(AGENT, model=model, tools=[tool], journal=journal)
        assert (tool.runs, outcome.end) == ([], RunEnd.ANSWERED)
        assert results(journal.appended) == [ToolResult("c1", "look_up", ANSWER_CUT, is_error=True)]

    async def test_the_calls_of_an_answer_that_the_filter_ended_are_not_run_and_end_it(self) -> None:
        tool, journal = FunctionTool(), MemoryJournal([QUESTION])
        model = ScriptedModel([ModelResponse((AssistantText("Hm"), call("c1")), FinishReason.CONTENT_FILTER)])
        await run_agent(AGENT, model=model, tools=[tool], journal=journal)
        assert tool.runs == []
        assert isinstance(journal.appended[-1], Notice)
        assert journal.appended[-1].code == "content_filter"

    async def test_a_call_that_could_not_be_read_is_asked_for_again_a_few_times(self) -> None:
        journal = MemoryJournal([QUESTION])
        malformed_response = ModelResponse((), FinishReason.OTHER, malformed_call="the arguments are no JSON object.")
        outcome = await run_agent(
            replace(AGENT, max_reminders=1), model=ScriptedModel([malformed_response], [malformed_response]), tools=[], journal=journal
        )
        assert outcome.end is RunEnd.EMPTY
        assert [entry.code for entry in journal.appended if isinstance(entry, (Reminder, Notice))] == ["malformed_call", "empty_answer"]


async def test_text_after_a_tool_call_stays_in_its_place() -> None:
    journal = MemoryJournal([QUESTION])
    response = ModelResponse((AssistantText("First."), call("c1"), AssistantText("Then.")), FinishReason.TOOL_CALLS)
    await run_agent(AGENT, model=ScriptedModel([response], [answer()]), tools=[FunctionTool()], journal=journal)
    assert kinds(journal.appended) == ["AssistantText", "ToolCall", "AssistantText", "ToolResult", "AssistantText"]


async def test_arguments_are_recorded_as_they_are_run() -> None:
    tool = FunctionTool(schema={"type": "object", "properties": {"count": {"type": "integer"}}})
    journal = MemoryJournal([QUESTION])
    await run_agent(AGENT, model=ScriptedModel([calls_response(call("c1", count="3"))], [answer()]), tools=[tool], journal=journal)
    assert tool.runs == [{"count": 3}]
    assert journal.appended[0] == ToolCall("c1", "look_up", {"count": 3})


async def test_the_step_limit_offers_to_go_on_and_a_new_message_gives_new_steps() -> None:
    journal, inbox = MemoryJournal([QUESTION]), MemoryInbox()
    model = ScriptedModel([calls_response(call("c1"))], [calls_response(call("c2", n=2))], [answer()])
    agent = replace(AGENT, max_steps=2)
    outcome = await run_agent(agent, model=model, tools=[FunctionTool()], journal=journal, inbox=inbox.of(journal))
    assert (outcome.end, journal.appended[-1]) == (RunEnd.STEP_LIMIT, STEP_LIMIT)
    inbox.message("Go on.")
    outcome = await run_agent(agent, model=model, tools=[FunctionTool()], journal=journal, inbox=inbox.of(journal), first_step=3)
    assert (outcome.end, outcome.step) == (RunEnd.ANSWERED, 3)


class TestPromptTooLong:
    """The provider counts more tokens than Parley estimated."""

    async def test_older_turns_become_lines_and_the_model_is_asked_again(self) -> None:
        journal = MemoryJournal([*LONG_CHAT, QUESTION])
        model = ScriptedModel([PromptTooLong()], [answer()])
        agent = replace(AGENT, context=ContextPolicy(window_tokens=8000))
        outcome = await run_agent(agent, model=model, tools=[], journal=journal)
        assert outcome.end is RunEnd.ANSWERED
        assert kinds(journal.appended) == ["CompactedHistory", "AssistantText"]
        before, after = (request.entries for request in model.requests)
        assert (len(before), before[-1], after[-1]) == (41, QUESTION, QUESTION)
        assert len(after) < 15

    async def test_once_only(self) -> None:
        model = ScriptedModel([PromptTooLong()], [PromptTooLong()])
        agent = replace(AGENT, context=ContextPolicy(window_tokens=8000))
        with pytest.raises(PromptTooLong):
            await run_agent(agent, model=model, tools=[], journal=MemoryJournal([*LONG_CHAT, QUESTION]))

    async def test_a_question_alone_is_not_asked_again(self) -> None:
        model = ScriptedModel([PromptTooLong()])
        with pytest.raises(PromptTooLong):
            await run_agent(AGENT, model=model, tools=[], journal=MemoryJournal([QUESTION]))
        assert len(model.requests) == 1

    async def test_files_become_text_when_nothing_else_can_be_left_out(self) -> None:
        model = ScriptedModel([PromptTooLong()], [calls_response(call("c1"))], [answer()])
        paper = File("f1", "tea.pdf", "application/pdf", 1000, "All about tea.", pages=90)
        agent = replace(AGENT, settings=ModelSettings(native_files=("image", "pdf")))
        outcome = await run_agent(agent, model=model, tools=[FunctionTool()], journal=MemoryJournal([QUESTION, paper]))
        assert outcome.end is RunEnd.ANSWERED
        native_files = [request.settings.native_files for request in model.requests]
        assert native_files == [("image", "pdf"), (), ()], "the next step does not try it again"
        assert model.requests[1].entries == (QUESTION, paper)
