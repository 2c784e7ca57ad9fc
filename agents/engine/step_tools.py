"""The tool calls of one step: which of them run, which the user or the client is asked about (SPEC 3.3, 3.5, 4.11).

What becomes of a call that does not simply run is decided by the table of agents.engine.open_calls. Those that run are
run by agents.engine.call_runner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agents.engine.agent import AgentSpec, ToolPolicy
from agents.engine.call_runner import CallRunner, StepOutcome
from agents.engine.open_calls import (
    ACTIONS,
    NOT_BEGUN,
    OUTCOME_UNKNOWN,
    UNDECIDED_INSIDE,
    CallAction,
    CallRecords,
    CallState,
    Occasion,
    action_entries,
    approval_request,
    recorded_state,
    refusal,
)
from agents.engine.ports import Agent, Journal
from agents.engine.run_progress import (
    LOOP_CODE,
    LOOP_REMINDER_TEXT,
    MAX_INTERCEPTIONS,
    REPEATED_CALL_TEXT,
    call_ids_within,
    count_reminders,
    count_run_calls,
    has_pending_approval,
    repeated_calls,
)
from agents.engine.taint import TAINT_REASON, TaintRule, must_ask
from agents.engine.toolset import Toolset
from agents.messages import ApprovalRequest, ClientRequest, Entry, Reminder, ToolCall

MAX_RUN_CALLS = 40  # of one run (SECURITY 25)

DEFERRED = "Not run: one tool call is run per step. Ask for it again if it is still needed."
TOO_MANY_CALLS = "Not run: this run has used all its tool calls. Answer with what you have."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Findings:
    """What is known of some open calls, besides what this execution has done with them."""

    records: CallRecords
    problems: Mapping[str, str]  # why a call is invalid
    leaks: Collection[str]  # ids of calls that may leak data
    new_ids: Collection[str]  # ids of calls that have certainly not begun


class StepTools:
    """Settles the calls of a run's steps. Only journal errors and cancellation are raised."""

    def __init__(self, agent: Agent, toolset: Toolset, journal: Journal, call_ids: set[str], taint: TaintRule) -> None:
        self._toolset, self._journal, self._budget, self._taint = toolset, journal, agent.budget, taint
        self._runner = CallRunner(agent, toolset, journal, call_ids, taint)
        self._shared = agent.budget.root
        self._shared.calls = max(self._shared.calls, count_run_calls(journal.entries))

    async def run(self, calls: Sequence[ToolCall], spec: AgentSpec) -> StepOutcome:
        """Run a step's calls. Each result is appended as soon as it and all results before it are there."""
        problems = self._problems(calls, spec, self._shared.calls)
        self._shared.calls += sum(call.id not in problems for call in calls)
        repeat_counts = repeated_calls(calls, self._journal.entries, max_equal=spec.max_equal_calls)
        problems = {call_id: REPEATED_CALL_TEXT.format(count=count) for call_id, count in repeat_counts.items()} | problems
        findings = _Findings(records=CallRecords(), problems=problems, leaks=self._leaks(calls), new_ids={call.id for call in calls})
        call_actions = self._actions(calls, Occasion.STEP, findings)
        step_outcome = await self._runner.run_all(_with_action(call_actions, CallAction.RUN, CallAction.REFUSE), problems)
        if repeat_counts:
            names = ", ".join(sorted({call.name for call in calls if call.id in repeat_counts}))
            await self._journal.append(Reminder(LOOP_REMINDER_TEXT.format(names=names), LOOP_CODE))
            step_outcome.is_loop = count_reminders(self._journal.entries, LOOP_CODE) >= MAX_INTERCEPTIONS
        await self._ask_user(_with_action(call_actions, CallAction.ASK_USER), findings, step_outcome)
        await self._ask_client(step_outcome)
        return step_outcome

    async def resume_calls(
        self, calls: Sequence[ToolCall], spec: AgentSpec, *, just_approved: frozenset[str], has_messages: bool
    ) -> StepOutcome:
        """Settle the open calls of an earlier execution.

        `just_approved`: calls, including those of sub-agents, whose approval was delivered just now, so that they have
        not run before. `has_messages`: a message is waiting, which comes next.
        """
        self._runner.just_approved = just_approved
        findings = self._findings(calls, spec)
        records = findings.records
        call_actions = self._actions(calls, Occasion.RESUME_TO_MESSAGE if has_messages else Occasion.RESUME, findings)
        await self._journal.append(*_entries_of(call_actions, records, CallAction.DENY))
        settled_calls = _with_action(call_actions, CallAction.RUN, CallAction.REFUSE, CallAction.UNKNOWN)
        refusals = dict(findings.problems)
        for call in _with_action(call_actions, CallAction.UNKNOWN):
            refusals[call.id] = UNDECIDED_INSIDE if has_pending_approval(self._journal.entries, call.id) else OUTCOME_UNKNOWN
        step_outcome = await self._runner.run_all(settled_calls, refusals)
        await self._journal.append(*_entries_of(call_actions, records, CallAction.WITHDRAW))
        await self._ask_user(_with_action(call_actions, CallAction.ASK_USER), findings, step_outcome)
        await self._journal.append(*_entries_of(call_actions, records, CallAction.NO_ANSWER))
        waiting_calls = _with_action(call_actions, CallAction.WAIT)
        step_outcome.waits_for_approval |= any(map(records.waits_for_user, waiting_calls))
        step_outcome.waits_for_client = any(map(records.waits_for_client, waiting_calls))
        await self._ask_client(step_outcome, has_messages=has_messages)
        return step_outcome

    async def close_interrupted(self, calls: Sequence[ToolCall], *, of_new_step: bool) -> None:
        """Give the open calls of a step that a message interrupted a result. `of_new_step`: no earlier execution knew them."""
        records = CallRecords.of(self._journal.entries)
        new_ids = {call.id for call in calls} if of_new_step else set[str]()
        findings = _Findings(records=records, problems={}, leaks=self._leaks(calls), new_ids=new_ids)
        call_actions = self._actions(calls, Occasion.INTERRUPTED, findings)
        await self._journal.append(*_entries_of(call_actions, records, CallAction.NO_ANSWER))
        await self._runner.run_all(_with_action(call_actions, CallAction.RUN), {})
        for call, action in call_actions:
            if action not in (CallAction.NO_ANSWER, CallAction.RUN):
                await self._journal.append(*action_entries(call, action, records))

    def _findings(self, calls: Sequence[ToolCall], spec: AgentSpec) -> _Findings:
        """Return what is known of calls that an earlier execution left open."""
        records = CallRecords.of(self._journal.entries)
        here = [call for call in calls if not records.waits_for_client(call)]
        unasked_calls = [call for call in here if records.was_never_asked_about(call)]
        return _Findings(
            records=records,
            problems=self._problems(unasked_calls, spec, self._calls_before(here)),
            leaks=self._leaks(here),
            new_ids={call.id for call in here if self._was_just_approved(call)},
        )

    def _actions(self, calls: Iterable[ToolCall], occasion: Occasion, findings: _Findings) -> Sequence[tuple[ToolCall, CallAction]]:
        """Return what becomes of each call."""
        return [(call, ACTIONS[occasion][self._state(call, findings)]) for call in calls]

    def _state(self, call: ToolCall, findings: _Findings) -> CallState:
        tool, state = self._toolset.find(call.name), recorded_state(call, findings.records)
        if state is CallState.ASKED_CLIENT or (state is CallState.CLIENT_ANSWERED and tool is not None):
            return state
        if call.id in self._runner.started_ids:
            return CallState.CUT_BEFORE_CLIENT if call.by_client else CallState.CUT
        if call.id in findings.problems:
            return CallState.INVALID
        if state in (CallState.ASKED_USER, CallState.DENIED):
            return state
        if call.id not in findings.records.decisions and tool is not None and (tool.traits.needs_approval or call.id in findings.leaks):
            return CallState.MUST_ASK
        if call.id in findings.new_ids:
            return CallState.NEW
        return CallState.REPEATABLE if tool is not None and tool.traits.repeatable else CallState.UNKNOWN

    def _was_just_approved(self, call: ToolCall) -> bool:
        """Return whether the user has just allowed the call, or one that a sub-agent made for it."""
        if not self._runner.just_approved or self._toolset.find(call.name) is None:
            return False
        return not self._runner.just_approved.isdisjoint(call_ids_within(self._journal.entries, call.id))

    async def _ask_user(self, calls: Sequence[ToolCall], findings: _Findings, step_outcome: StepOutcome) -> None:
        """Append the approval requests, with a reason for calls that the tool itself would not ask about."""
        if calls:
            step_outcome.waits_for_approval = True
            await self._journal.append(*(self._request(call, leaks=call.id in findings.leaks) for call in calls))

    def _request(self, call: ToolCall, *, leaks: bool) -> ApprovalRequest:
        tool = self._toolset.find(call.name)
        assert tool is not None, "nobody is asked about a tool that is not there"
        host = tool.traits.host_of(call.arguments)
        return approval_request(
            call, TAINT_REASON if leaks else "", host=host, may_last=leaks and bool(host) and not tool.traits.needs_approval
        )

    async def _ask_client(self, step_outcome: StepOutcome, *, has_messages: bool = False) -> None:
        """Append the client requests. They come last, so that a client that answers them sees all later entries as new."""
        if has_messages:
            await self._journal.append(*(refusal(call, NOT_BEGUN) for call, _ in step_outcome.for_client))
        elif step_outcome.for_client:
            step_outcome.waits_for_client = True
            await self._journal.append(*(ClientRequest(call.id, call.name, arguments) for call, arguments in step_outcome.for_client))

    def _problems(self, calls: Sequence[ToolCall], spec: AgentSpec, call_count: int) -> dict[str, str]:
        """Return, by call id, why calls do not run. `call_count`: how many calls the whole run made before these."""
        candidates = calls[:1] if spec.tool_policy is ToolPolicy.SINGLE else calls
        problems = {call.id: DEFERRED for call in calls[len(candidates) :]}
        problems |= {call.id: text for call in candidates if (text := self._toolset.refusal(call, spec))}
        valid = [call for call in candidates if call.id not in problems]
        return problems | {call.id: TOO_MANY_CALLS for call in valid[max(0, MAX_RUN_CALLS - call_count) :]}

    def _calls_before(self, calls: Sequence[ToolCall]) -> int:
        """Return how many calls the whole run made before these, which are already recorded and counted."""
        if self._budget.parent is not None:  # the calls of the parent runs are not in this journal
            return self._shared.calls - len(calls)
        entries = self._journal.entries
        return count_run_calls(entries[: next((place for place, entry in enumerate(entries) if entry in calls), len(entries))])

    def _leaks(self, calls: Sequence[ToolCall]) -> frozenset[str]:
        """Return the ids of the calls that may leak data in a run that has read both private and untrusted data (SECURITY 27)."""
        sending_calls = [(call, tool) for call in calls if (tool := self._toolset.find(call.name)) and tool.traits.sends]
        return frozenset(
            call.id for call, tool in sending_calls if must_ask(call, tool.traits, self._taint.before_call(self._journal.entries, call))
        )


CallActions = Iterable[tuple[ToolCall, CallAction]]


def _with_action(call_actions: CallActions, *actions: CallAction) -> Sequence[ToolCall]:
    return [call for call, action in call_actions if action in actions]


def _entries_of(call_actions: CallActions, records: CallRecords, action: CallAction) -> Iterator[Entry]:
    """Yield what is recorded for the calls with this action."""
    return (entry for call in _with_action(call_actions, action) for entry in action_entries(call, action, records))
