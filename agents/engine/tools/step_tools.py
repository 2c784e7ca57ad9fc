"""Runs the tool calls of one step: checks first, then the calls in parallel, results in call order (SPEC 3.3, 3.5, 4.11)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.engine.agent import AgentSpec, RunBudget, ToolPolicy
from agents.engine.cancellation import finish_before_cancel
from agents.engine.errors import JournalError
from agents.engine.history import MAX_INTERCEPTIONS, REPEATED_CALL_TEXT, count_interceptions, count_run_calls, loop_reminder, repeated_calls
from agents.engine.lifecycle import RunHooks
from agents.engine.messages import ApprovalResponse, ClientRequest, Entry, NextStep, ToolCall, ToolResult
from agents.engine.nested_runs import NestedJournal, call_ids_within, has_pending_approval
from agents.engine.ports import Journal, RunTaint, ToolContext, ToolOutcome
from agents.engine.tools.taint import TAINT_REASON, TaintRule, may_leak
from agents.engine.tools.toolset import Toolset, failure, run_tool
from agents.engine.tools.waiting_calls import Approvals, ClientCalls, approval_request, unanswered_call_results

MAX_PARALLEL_CALLS = 4  # SECURITY 25
MAX_RUN_CALLS = 40  # of one run (SECURITY 25)

DEFERRED = "Not run: one tool call is run per step. Ask for it again if it is still needed."
TOO_MANY_CALLS = "Not run: this run has used all its tool calls. Answer with what you have."
OUTCOME_UNKNOWN = "The run was interrupted while this tool worked, so its outcome is unknown. Find out before you run it again."
NOT_BEGUN = "Not run: a new message of the user came first."
INTERRUPTED = "Interrupted by a new message of the user before there was a result. The outcome is unknown."
ANSWER_CUT = "Not run: your answer ended before it was complete, so this call may be cut. Ask again, with less at once."
REFUSED = "The user did not allow this call."
WROTE_INSTEAD = "A message was written instead."
UNDECIDED = "Not run: the user was asked to allow this call and wrote a message instead."
UNDECIDED_INSIDE = "Not finished: the user was asked to allow something that it wanted to do, and wrote a message instead."


@dataclass(slots=True)
class StepOutcome:
    """What the calls of a step led to."""

    next_step: NextStep = NextStep.GO_ON
    waits_for_approval: bool = False
    waits_for_client: bool = False
    is_loop: bool = False
    reminders: list[str] = field(default_factory=list)  # of plugins that ask for another step
    # calls, with arguments, that the client must execute
    for_client: list[tuple[ToolCall, Mapping[str, Any]]] = field(default_factory=list)

    @property
    def waits(self) -> bool:
        return self.waits_for_approval or self.waits_for_client

    def set_next_step(self, next_step: NextStep) -> None:
        """Keep the stronger of both next steps: waiting for a reply over finishing, finishing over going on."""
        self.next_step = max(self.next_step, next_step, key=list(NextStep).index)


class StepTools:
    """Runs the calls of a run's steps. A failing tool gives an error result; only journal errors and cancellation are raised."""

    def __init__(
        self, toolset: Toolset, journal: Journal, hooks: RunHooks, budget: RunBudget, call_ids: set[str], taint: RunTaint | None = None
    ) -> None:
        self._toolset, self._journal, self._hooks, self._budget, self._call_ids = toolset, journal, hooks, budget, call_ids
        self._shared = budget.root
        self._shared.calls = max(self._shared.calls, count_run_calls(journal.entries))
        self._rule = TaintRule(toolset.reads_of, taint)
        self._started_ids: set[str] = set()
        self._just_approved: frozenset[str] = frozenset()

    async def run(self, calls: Sequence[ToolCall], agent: AgentSpec) -> StepOutcome:
        """Run a step's calls. Each result is appended as soon as it and all results before it are there."""
        refused = self._refusals(calls, agent, self._shared.calls)
        self._shared.calls += sum(call.id not in refused for call in calls)
        repeated = repeated_calls(calls, self._journal.entries, max_equal=agent.max_equal_calls)
        refused = {id: REPEATED_CALL_TEXT.format(count=count) for id, count in repeated.items()} | refused  # noqa: A001
        leaks = self._leaks(calls)
        needs_approval = [call for call in calls if call.id not in refused and self._asks(call, leaks)]
        end = await self._run_all([call for call in calls if call not in needs_approval], refused)
        if repeated:
            await self._journal.append(loop_reminder(call for call in calls if call.id in repeated))
            end.is_loop = count_interceptions(self._journal.entries) >= MAX_INTERCEPTIONS
        if needs_approval:
            end.waits_for_approval = True
            await self._journal.append(*_approval_requests(needs_approval, leaks))
        await self._ask_client(end)
        return end

    async def cancel_calls(self, calls: Sequence[ToolCall], otherwise: str) -> None:
        """Give the calls of an interrupted step an error result. `otherwise`: the text for calls that were not started here."""
        approvals, clients = Approvals.of(self._journal.entries), ClientCalls.of(self._journal.entries)
        calls_with_output = [call for call in calls if call.id in clients.outputs and self._may_run(call, answered=True)]
        await self._journal.append(*unanswered_call_results(calls, self._journal.entries))
        await self._run_all(calls_with_output, {})
        calls = [call for call in calls if call not in calls_with_output and not clients.waits(call)]
        leaks = self._leaks(calls)
        for call in calls:
            if call.by_client and call.id in self._started_ids:
                await self._journal.append(refused(call, NOT_BEGUN))
            elif call.id in self._started_ids:
                await self._journal.append(refused(call, INTERRUPTED))
            elif self._asks(call, leaks) and call.id not in approvals.answers:
                await self._journal.append(*withdraw_approval(call, approvals))
            elif call.id in approvals.refused:
                await self._journal.append(_denied_result(call, _refusal_text(approvals.answers[call.id])))
            else:
                await self._journal.append(refused(call, otherwise))

    async def resume_calls(
        self, calls: Sequence[ToolCall], agent: AgentSpec, *, just_approved: frozenset[str], has_messages: bool
    ) -> StepOutcome:
        """Give the calls of an interrupted or waiting step their results.

        `just_approved`: calls, including those of sub-agents, whose approval was delivered just now, so that they have
        not run before. Other calls that may have started run again only if their tool is repeatable and no message is
        waiting. A call that waits for the user's decision or for the client continues to wait, unless a message came
        instead.
        """
        self._just_approved = just_approved
        approvals, clients = Approvals.of(self._journal.entries), ClientCalls.of(self._journal.entries)
        silent = [call for call in calls if clients.waits(call)]
        calls = [call for call in calls if call not in silent]
        decided = approvals.answers.keys() | approvals.asked | clients.asked
        never = self._refusals([call for call in calls if call.id not in decided], agent, self._calls_before(calls))
        waiting = [call for call in calls if call.id not in approvals.answers and call.id not in never]
        leaks = self._leaks(calls)
        needs_approval = [call for call in waiting if call.id in approvals.asked or self._asks(call, leaks)]
        denied = [call for call in calls if call.id in approvals.refused]
        left = [call for call in calls if call not in needs_approval and call not in denied]
        await self._journal.append(*(_denied_result(call, _refusal_text(approvals.answers[call.id])) for call in denied))
        again = {call.id for call in left if self._may_run(call, answered=call.id in clients.outputs, has_messages=has_messages)}
        end = await self._run_all(left, {call.id: self._not_run_reason(call) for call in left if call.id not in again} | never)
        if needs_approval and has_messages:
            await self._withdraw(needs_approval)
        elif needs_approval:
            end.waits_for_approval = True
            await self._journal.append(*_approval_requests([call for call in needs_approval if call.id not in approvals.asked], leaks))
        end.waits_for_client = bool(silent) and not has_messages
        await self._journal.append(*(unanswered_call_results(silent, self._journal.entries) if has_messages else ()))
        await self._ask_client(end, has_messages=has_messages)
        return end

    async def _ask_client(self, end: StepOutcome, *, has_messages: bool = False) -> None:
        """Append the client requests. They come last, so that a client that answers them sees all later entries as new."""
        if has_messages:
            await self._journal.append(*(refused(call, NOT_BEGUN) for call, _ in end.for_client))
        elif end.for_client:
            end.waits_for_client = True
            await self._journal.append(*(ClientRequest(call.id, call.name, arguments) for call, arguments in end.for_client))

    def _not_run_reason(self, call: ToolCall) -> str:
        """Return the error text for a call that may have started and does not run again."""
        return UNDECIDED_INSIDE if has_pending_approval(self._journal.entries, call.id) else OUTCOME_UNKNOWN

    async def _withdraw(self, calls: Sequence[ToolCall]) -> None:
        """Withdraw the approval requests of these calls, because a message came instead."""
        approvals = Approvals.of(self._journal.entries)
        await self._journal.append(*(entry for call in calls for entry in withdraw_approval(call, approvals)))

    def _may_run(self, call: ToolCall, *, answered: bool, has_messages: bool = True) -> bool:
        """Return whether a call may run now. `answered`: the client has executed it, and only its result is missing."""
        tool = self._toolset.find(call.name)
        is_fresh = not self._just_approved.isdisjoint(call_ids_within(self._journal.entries, call.id))
        return tool is not None and (is_fresh or answered or (tool.traits.repeatable and not has_messages))

    def _refusals(self, calls: Sequence[ToolCall], agent: AgentSpec, used: int) -> dict[str, str]:
        """Return, by call id, why calls do not run. `used`: how many calls the whole run made before these."""
        wanted = calls[:1] if agent.tool_policy is ToolPolicy.SINGLE else calls
        refused = {call.id: DEFERRED for call in calls[len(wanted) :]}
        refused |= {call.id: text for call in wanted if (text := self._toolset.refusal(call, agent))}
        running = [call for call in wanted if call.id not in refused]
        return refused | {call.id: TOO_MANY_CALLS for call in running[max(0, MAX_RUN_CALLS - used) :]}

    def _calls_before(self, calls: Sequence[ToolCall]) -> int:
        """Return how many calls the whole run made before these, which are already recorded and counted."""
        if self._budget.parent is not None:  # the calls of the parent runs are not in this journal
            return self._shared.calls - len(calls)
        entries = self._journal.entries
        return count_run_calls(entries[: next((place for place, entry in enumerate(entries) if entry in calls), len(entries))])

    def _asks(self, call: ToolCall, leaks: frozenset[str]) -> bool:
        tool = self._toolset.find(call.name)
        return tool is not None and (tool.traits.needs_approval or call.id in leaks)

    def _leaks(self, calls: Sequence[ToolCall]) -> frozenset[str]:
        """Return the ids of the calls that may leak data in a run that has read both private and untrusted data (SECURITY 27).

        Those are the calls that would send out anything that the user did not type.
        """
        sending = [(call, tool) for call in calls if (tool := self._toolset.find(call.name)) and tool.traits.sends]
        taint = self._taint_before(calls) if sending else RunTaint()
        return frozenset(call.id for call, tool in sending if may_leak(call, tool.definition.input_schema, taint))

    def _taint_before(self, calls: Sequence[ToolCall]) -> RunTaint:
        """Return what the model had read when it made these calls. Does not change when one of them has run."""
        entries, ids = self._journal.entries, {call.id for call in calls}
        last = max((place for place, entry in enumerate(entries) if isinstance(entry, ToolCall) and entry.id in ids), default=len(entries))
        return self._rule.of(entries[:last])

    async def _run_all(self, calls: Sequence[ToolCall], refused: Mapping[str, str]) -> StepOutcome:
        """Run the calls that are not refused, in parallel, and record all results in call order.

        On cancellation, the results of calls that have finished are still recorded.
        """
        end, slots = StepOutcome(), asyncio.Semaphore(MAX_PARALLEL_CALLS)

        async def outcome_of(call: ToolCall) -> ToolOutcome:
            if call.id in refused:
                return failure(refused[call.id])
            async with slots:
                return await self._run_call(call)

        running = {call.id: asyncio.create_task(outcome_of(call)) for call in calls}
        try:
            for call in calls:
                outcome = await running[call.id]
                del running[call.id]
                await self._record(call, outcome, end)
        except asyncio.CancelledError:
            await _cancel(running.values())
            await finish_before_cancel(self._keep_finished(calls, running))
            raise
        finally:
            await _cancel(running.values())
        return end

    async def _run_call(self, call: ToolCall) -> ToolOutcome:
        tool = self._toolset.find(call.name)
        assert tool is not None, "refused otherwise"
        self._started_ids.add(call.id)
        self._hooks.tool_started(call)
        try:
            return await run_tool(tool, call, self._context(call))
        except JournalError as failed:
            if isinstance(self._journal, NestedJournal):
                raise
            raise failed.error from None  # unwrapped, because the caller handles its own journal's errors

    def _context(self, call: ToolCall) -> ToolContext:
        taint = self._taint_before([call])
        output = ClientCalls.of(self._journal.entries).outputs.get(call.id) if call.by_client else None
        return ToolContext(call.id, self._journal, self._budget, self._call_ids, self._just_approved, taint, output)

    async def _record(self, call: ToolCall, outcome: ToolOutcome, end: StepOutcome) -> None:
        if outcome.waits:
            end.waits_for_approval = True
            return
        if outcome.for_client is not None:
            end.for_client.append((call, outcome.for_client))
            return
        result, *others = self._entries(call, outcome)
        await self._journal.append(result, *others)
        end.set_next_step(outcome.next_step)
        if isinstance(result, ToolResult) and (reminder := await self._hooks.tool_executed(call, result)):
            end.reminders.append(reminder)

    async def _keep_finished(self, calls: Sequence[ToolCall], running: Mapping[str, asyncio.Task[ToolOutcome]]) -> None:
        finished = [(call, running[call.id]) for call in calls if call.id in running and _is_finished(running[call.id])]
        await self._journal.append(*(entry for call, task in finished for entry in self._entries(call, task.result())))

    def _entries(self, call: ToolCall, outcome: ToolOutcome) -> tuple[Entry, ...]:
        """Return the result and the entries that follow it.

        The result records what the tool reads according to its current traits, so a later change by an admin does not
        affect it.
        """
        reads = sorted(self._toolset.reads_of(call.name) or ()) if call.id in self._started_ids else ()
        result = ToolResult(call.id, call.name, outcome.output, outcome.is_error, next_step=outcome.next_step, reads=reads)
        return (result, *outcome.entries)


def _approval_requests(calls: Sequence[ToolCall], leaks: frozenset[str]) -> Iterator[Entry]:
    """Yield the approval requests, with a reason for calls that the tool itself would not ask about."""
    yield from (approval_request(call, TAINT_REASON if call.id in leaks else "") for call in calls)


def refused(call: ToolCall, text: str) -> ToolResult:
    """Return the result of a call that does not run."""
    return ToolResult(call.id, call.name, text, is_error=True, reads=())


def _denied_result(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(call.id, call.name, text, is_error=True, denied=True, reads=())


def withdraw_approval(call: ToolCall, approvals: Approvals) -> Iterator[Entry]:
    """Yield what is recorded for a call that nobody decided about because a message came instead."""
    was_asked = call.id in approvals.asked and call.id not in approvals.answers
    if was_asked:
        yield ApprovalResponse(approval_request(call).approval_id, call.id, approved=False, reason=WROTE_INSTEAD)
    yield replace(_denied_result(call, UNDECIDED), denied=was_asked)


def _refusal_text(answer: ApprovalResponse) -> str:
    return f"{REFUSED} Reason: {answer.reason}" if answer.reason else REFUSED


def _is_finished(task: asyncio.Task[ToolOutcome]) -> bool:
    if not task.done() or task.cancelled() or task.exception() is not None:
        return False
    return not task.result().waits and task.result().for_client is None


async def _cancel(tasks: Iterable[asyncio.Task[ToolOutcome]]) -> None:
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
