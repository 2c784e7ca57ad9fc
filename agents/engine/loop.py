"""The agent loop: alternates model calls and tool calls until the run ends (SPEC 3.3, 3.4; docs/engine.md).

The model's part of a step is in agents.engine.step_model, the tools' part in agents.engine.step_tools. Here is what each
leads to: another step, a pause or an end.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.engine.agent import AgentSpec, CompletionMode
from agents.engine.answers import call_ids
from agents.engine.call_runner import StepOutcome
from agents.engine.lifecycle import RunEnd, RunOutcome, RunState, RunStates, closing_notice, run_unless_interrupted
from agents.engine.open_calls import pending_calls
from agents.engine.ports import Agent, RunPorts
from agents.engine.run_progress import (
    MALFORMED_CALL,
    count_reminders,
    decided_call_ids,
    entries_after_last_step,
    last_step,
    since_last_message,
    steps_since_message,
)
from agents.engine.step_model import StepModel
from agents.engine.step_tools import StepTools
from agents.engine.taint import TaintRule
from agents.engine.toolset import Toolset
from agents.messages import (
    ClientData,
    FinishReason,
    ModelResponse,
    NextStep,
    NoToolCallRetry,
    Reminder,
    ToolCall,
    Usage,
    UserMessage,
)

MAX_STEPS = 25  # of one run, whatever is configured (SECURITY 25)
NO_TOOL_CALL_TEXT = (
    "You answered without calling a tool. The user sees your answer only when you send it with the tool `message`, type `result`."
)
MALFORMED_CALL_TEXT = "Your tool call could not be read: {problem} Call the tool again with well-formed arguments, or answer without it."


async def run_agent(agent: Agent, ports: RunPorts, *, first_step: int = 1) -> RunOutcome:
    """Run the agent until it ends (SPEC 3.4) or pauses; everything that happens goes through the journal.

    A run that was taken over, or that waited, continues from the journal's entries: calls without results are settled
    first, then step `first_step` begins.

    Raises the model's ProviderError, ContextTooLong and the journal's errors; the caller records them. Cancelling the
    task closes the model's stream and ends the tools before the cancellation is raised.
    """
    with RunStates(agent.hooks.state_changed) as states:
        run = _Run(agent, ports, states)
        agent.hooks.run_started()
        outcome = await run.run_to_end(first_step)
        if outcome.end.is_pause:
            return outcome
        states.change_to(RunState.FINALIZING)
        await run.finalize(outcome)
        states.change_to(RunState.DONE)
        return outcome


class _Run:
    """One execution of a run. What it needs to know about earlier executions it reads from the journal's entries."""

    def __init__(self, agent: Agent, ports: RunPorts, states: RunStates) -> None:
        self._agent, self._hooks, self._budget, self._states = agent.spec, agent.hooks, agent.budget, states
        self._journal, self._inbox, caller = ports.journal, ports.inbox, ports.caller
        self._just_approved = caller.just_approved if caller else frozenset[str]()
        known_call_ids = caller.call_ids if caller else call_ids(ports.journal.entries)
        toolset = Toolset(agent.tools)
        taint = TaintRule(toolset.reads_of, caller.taint if caller else None)
        self._model = StepModel(agent, ports, toolset, taint, known_call_ids)
        self._tools = StepTools(agent, toolset, ports.journal, known_call_ids, taint)

    async def run_to_end(self, first_step: int) -> RunOutcome:
        step = first_step - 1
        end = await self._resume(step)
        steps_used = steps_since_message(self._journal.entries, step)
        while end is None or (self._inbox.has_messages and not end.is_pause):
            if await self._deliver_messages():
                steps_used = 0
            end = self._limit_reached(step, steps_used)
            if end is not None:
                break
            step, steps_used = step + 1, steps_used + 1
            end = await self._step(step)
        return RunOutcome(end, self._model.last_response.finish_reason, self._model.usage, step)

    async def finalize(self, outcome: RunOutcome) -> None:
        # What an earlier execution recorded that died in this method, newest first: nothing is appended twice.
        recorded_entries = entries_after_last_step(self._journal.entries)
        if (notice := closing_notice(outcome.end, self._model.last_response)) and notice not in recorded_entries:
            await self._journal.append(notice)
        part_keys = {(entry.name, entry.id) for entry in recorded_entries if isinstance(entry, ClientData)}
        for part in await self._hooks.finished(outcome):
            if part.transient:
                self._journal.data(part)
            elif (part.name, part.id) not in part_keys:
                await self._journal.append(ClientData(part.name, part.data, part.id))

    async def _resume(self, step: int) -> RunEnd | None:
        """Continue where an earlier execution ended: settle its calls without results first.

        Returns the end that this led to, or None when the next step is due.
        """
        calls = pending_calls(self._journal.entries)
        entry_count = len(self._journal.entries)
        await self._inbox.deliver_decisions()
        if not calls:
            return await self._end_of_last_step(StepOutcome())
        just_approved = self._just_approved | (
            decided_call_ids(self._journal.entries[entry_count:]) - decided_call_ids(self._journal.entries[:entry_count])
        )
        self._states.change_to(RunState.EXECUTING_TOOL)
        # A message that is already waiting is delivered next: of the calls, only those the user has approved are still started.
        has_messages = self._inbox.has_messages
        work = self._tools.resume_calls(calls, self._agent.at_step(step), just_approved=just_approved, has_messages=has_messages)
        outcome = await work if has_messages else await run_unless_interrupted(work, self._inbox.arrival())
        if outcome is None:
            await self._close_interrupted_calls(of_new_step=False)
            return None
        return await self._end_of_last_step(outcome)

    async def _end_of_last_step(self, outcome: StepOutcome) -> RunEnd | None:
        """Return what the last step led to. Considers all its calls, also those that an earlier execution recorded."""
        calls, results, text = last_step(self._journal.entries)
        if text is not None:
            return await self._without_calls(ModelResponse((text,), FinishReason.STOP))
        for result in results:
            outcome.set_next_step(result.next_step)
        if outcome.next_step is NextStep.WAIT_FOR_REPLY and self._states.current is RunState.INITIALIZING and not self._inbox.has_messages:
            self._states.change_to(RunState.EXECUTING_TOOL)
        return await self._after_tools(outcome, calls)

    async def _deliver_messages(self) -> bool:
        entry_count = len(self._journal.entries)
        if not self._inbox.has_messages or not await self._inbox.deliver_messages():
            return False
        for entry in self._journal.entries[entry_count:]:
            if isinstance(entry, UserMessage):
                self._hooks.message_received(entry)
        return True

    def _limit_reached(self, step: int, steps_used: int) -> RunEnd | None:
        if step >= MAX_STEPS or steps_used >= self._agent.max_steps:
            return RunEnd.STEP_LIMIT
        return RunEnd.BUDGET if self._budget.is_spent else None

    async def _step(self, step: int) -> RunEnd | None:
        """Make one model call and run its tools. Returns the end of the run, or None when it continues."""
        agent = self._agent.at_step(step)
        self._states.change_to(RunState.THINKING)
        await self._journal.step_start(step)
        self._hooks.step_started(step)
        response = await self._model.answer(agent, step)
        end = None if response is None else await self._after_answer(response, agent, step)
        usage = response.usage if response else Usage()
        await self._journal.step_finish(step, usage)
        self._hooks.step_finished(step, usage)
        return end

    async def _after_answer(self, response: ModelResponse, agent: AgentSpec, step: int) -> RunEnd | None:
        """Run the answer's calls, or decide what an answer without calls means. Returns the end of the run, or None when it continues."""
        reminder = await self._hooks.response_complete(response, step)
        calls = response.tool_calls
        if not calls:
            if not reminder:
                return await self._without_calls(response)
            await self._append_reminders([reminder])
            return None
        if response.may_be_cut:
            return RunEnd.ANSWERED if response.finish_reason is FinishReason.CONTENT_FILTER else None
        self._states.change_to(RunState.EXECUTING_TOOL)
        outcome = await run_unless_interrupted(self._tools.run(calls, agent), self._inbox.arrival())
        if outcome is None:
            await self._close_interrupted_calls(of_new_step=True)
            return None
        if reminder:
            outcome.reminders.insert(0, reminder)
        return await self._after_tools(outcome, calls)

    async def _without_calls(self, response: ModelResponse) -> RunEnd | None:
        """Handle an answer without tool calls: it ends the run, or gets a reminder if the agent must call a tool (SPEC 3.4)."""
        entries = self._journal.entries
        if response.malformed_call and count_reminders(entries, MALFORMED_CALL) < self._agent.max_reminders:
            await self._journal.append(Reminder(MALFORMED_CALL_TEXT.format(problem=response.malformed_call), MALFORMED_CALL))
            return None
        if self._agent.completion is CompletionMode.MESSAGE_TOOL and response.finish_reason is FinishReason.STOP:
            attempt = sum(isinstance(entry, NoToolCallRetry) for entry in since_last_message(entries)) + 1
            if attempt > self._agent.max_reminders:
                return RunEnd.NO_TOOL_CALL if response.has_content else RunEnd.EMPTY
            await self._journal.append(NoToolCallRetry(NO_TOOL_CALL_TEXT, attempt))
            return None
        return RunEnd.ANSWERED if response.has_content else RunEnd.EMPTY

    async def _after_tools(self, outcome: StepOutcome, calls: Sequence[ToolCall]) -> RunEnd | None:
        """Return the end that the results of a step led to. None when another step is due, perhaps with reminders of plugins."""
        if outcome.waits_for_approval:
            return self._pause(RunEnd.WAITING_FOR_APPROVAL)
        if outcome.waits_for_client:
            return self._pause(RunEnd.WAITING_FOR_CLIENT)
        if outcome.is_loop:
            return RunEnd.LOOP
        if outcome.reminders:
            await self._append_reminders(outcome.reminders)
            return None
        if outcome.next_step is NextStep.FINISH:
            return RunEnd.ANSWERED
        if outcome.next_step is NextStep.WAIT_FOR_REPLY:
            return None if self._inbox.has_messages else self._pause(RunEnd.WAITING_FOR_REPLY)
        return RunEnd.TOOL_STOP if any(call.name in self._agent.stop_on_tool_call for call in calls) else None

    def _pause(self, end: RunEnd) -> RunEnd:
        self._states.change_to(RunState(end.value))
        return end

    async def _append_reminders(self, reminders: Sequence[str]) -> None:
        await self._journal.append(*(Reminder(text, "next_round") for text in reminders))

    async def _close_interrupted_calls(self, *, of_new_step: bool) -> None:
        """Settle the open calls of a step that a message interrupted."""
        await self._inbox.deliver_decisions()
        await self._tools.close_interrupted(pending_calls(self._journal.entries), of_new_step=of_new_step)
