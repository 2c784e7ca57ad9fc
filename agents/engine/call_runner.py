"""Runs calls in parallel and records their results in call order (SPEC 3.3). agents.engine.step_tools decides which ones run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.engine.lifecycle import finish_before_cancel
from agents.engine.nested_runs import NestedJournal
from agents.engine.open_calls import CallRecords
from agents.engine.ports import Agent, Journal, ToolContext, ToolOutcome
from agents.engine.taint import PRIVATE, Reads, TaintRule
from agents.engine.toolset import Toolset, failure, run_tool
from agents.errors import JournalError
from agents.messages import Entry, NextStep, ToolCall, ToolResult

MAX_PARALLEL_CALLS = 4  # SECURITY 25


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

    def set_next_step(self, next_step: NextStep) -> None:
        """Keep the stronger of both next steps: waiting for a reply over finishing, finishing over going on."""
        self.next_step = max(self.next_step, next_step, key=list(NextStep).index)


class CallRunner:
    """Runs the calls of one run. A failing tool gives an error result; only journal errors and cancellation are raised."""

    def __init__(self, agent: Agent, toolset: Toolset, journal: Journal, call_ids: set[str], taint: TaintRule) -> None:
        self._toolset, self._journal, self._hooks, self._budget = toolset, journal, agent.hooks, agent.budget
        self._call_ids, self._taint = call_ids, taint
        self.started_ids: set[str] = set()  # of calls that this execution began
        self.just_approved: frozenset[str] = frozenset()  # see ToolContext

    async def run_all(self, calls: Sequence[ToolCall], refusals: Mapping[str, str]) -> StepOutcome:
        """Run the calls in parallel, except those with a refusal, and record all results in call order.

        On cancellation, the results of calls that have finished are still recorded.
        """
        step_outcome, slots = StepOutcome(), asyncio.Semaphore(MAX_PARALLEL_CALLS)

        async def outcome_of(call: ToolCall) -> ToolOutcome:
            if call.id in refusals:
                return failure(refusals[call.id])
            async with slots:
                return await self._run_call(call)

        tasks = {call.id: asyncio.create_task(outcome_of(call)) for call in calls}
        try:
            for call in calls:
                outcome = await tasks[call.id]
                del tasks[call.id]
                await self._record(call, outcome, step_outcome)
        except asyncio.CancelledError:
            await _cancel(tasks.values())
            await finish_before_cancel(self._record_finished(calls, tasks))
            raise
        finally:
            await _cancel(tasks.values())
        return step_outcome

    async def _run_call(self, call: ToolCall) -> ToolOutcome:
        tool = self._toolset.find(call.name)
        assert tool is not None, "refused otherwise"
        self.started_ids.add(call.id)
        self._hooks.tool_started(call)
        try:
            return await run_tool(tool, call, self._context(call))
        except JournalError as journal_error:
            if isinstance(self._journal, NestedJournal):
                raise
            raise journal_error.error from None  # unwrapped, because the caller handles its own journal's errors

    def _context(self, call: ToolCall) -> ToolContext:
        taint = self._taint.before_call(self._journal.entries, call)
        output = CallRecords.of(self._journal.entries).outputs.get(call.id) if call.by_client else None
        return ToolContext(call.id, self._journal, self._budget, self._call_ids, self.just_approved, taint, output)

    async def _record(self, call: ToolCall, outcome: ToolOutcome, step_outcome: StepOutcome) -> None:
        if outcome.waits:
            step_outcome.waits_for_approval = True
            return
        if outcome.for_client is not None:
            step_outcome.for_client.append((call, outcome.for_client))
            return
        result, *others = self._entries(call, outcome)
        await self._journal.append(result, *others)
        step_outcome.set_next_step(outcome.next_step)
        if isinstance(result, ToolResult) and (reminder := await self._hooks.tool_executed(call, result)):
            step_outcome.reminders.append(reminder)

    async def _record_finished(self, calls: Sequence[ToolCall], tasks: Mapping[str, asyncio.Task[ToolOutcome]]) -> None:
        finished_calls = [(call, tasks[call.id]) for call in calls if call.id in tasks and _is_finished(tasks[call.id])]
        await self._journal.append(*(entry for call, task in finished_calls for entry in self._entries(call, task.result())))

    def _entries(self, call: ToolCall, outcome: ToolOutcome) -> tuple[Entry, ...]:
        """Return the result and the entries that follow it.

        The result records what the tool reads according to its current traits, so a later change by an admin does not
        affect it.
        """
        reads: Reads = frozenset()
        origin, tool = "", self._toolset.find(call.name)
        if tool is not None and call.id in self.started_ids:
            reads = tool.traits.reads | PRIVATE if outcome.private else tool.traits.reads
            origin = tool.traits.host_of(call.arguments)
        result = ToolResult(
            call.id, call.name, outcome.output, outcome.is_error, next_step=outcome.next_step, reads=sorted(reads), origin=origin
        )
        return (result, *outcome.entries)


def _is_finished(task: asyncio.Task[ToolOutcome]) -> bool:
    if not task.done() or task.cancelled() or task.exception() is not None:
        return False
    return not task.result().waits and task.result().for_client is None


async def _cancel(tasks: Iterable[asyncio.Task[ToolOutcome]]) -> None:
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
