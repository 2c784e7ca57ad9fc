"""The lifecycle of a run: its states, its ends, the hooks into it, and work that a cancellation must not interrupt.

- `RunState` and `TRANSITIONS`: the legal state changes (SPEC 3.2); any other raises.
- `RunEnd` and `RunOutcome`: how a run ended or paused.
- `closing_notice`: what the user is told when a run ends without a complete answer (SPEC 3.4).
- `RunHooks`: how plugins observe and influence a run (SPEC 3.15).
- `finish_before_cancel`: delays a cancellation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any, Self, TypeVar

from agents.messages import (
    DataPart,
    FinishReason,
    ModelResponse,
    Notice,
    ReasoningDelta,
    SystemPrompt,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)

Result = TypeVar("Result")

STEP_LIMIT = Notice("step_limit", "Step limit reached. Continue?", "info", "continue")
BUDGET = Notice("budget", "This answer has used up what one answer may use. What was written so far is kept.", "warning", "continue")
LOOP = Notice("loop", "The agent kept repeating the same call, so the answer was stopped.", "warning", "retry")
NO_TOOL_CALL = Notice("no_tool_call", "The agent did not mark its answer as final; what it wrote last is kept.", "info")
EMPTY_ANSWER = Notice("empty_answer", "The model returned an empty answer.", "warning", "retry")
LENGTH_LIMIT = Notice("length_limit", "The answer reached its maximum length.", "warning", "continue")
CONTENT_FILTER = Notice("content_filter", "The provider's safety filter ended the answer.", "warning")
ENDED_EARLY = Notice("ended_early", "The provider ended the answer early, without saying why.", "warning", "continue")


class RunState(StrEnum):
    """The state of a run (SPEC 3.2)."""

    INITIALIZING = "initializing"
    THINKING = "thinking"
    EXECUTING_TOOL = "executing_tool"
    FINALIZING = "finalizing"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    WAITING_FOR_REPLY = "waiting_for_reply"
    WAITING_FOR_CLIENT = "waiting_for_client"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


_State = RunState
_BROKEN_OFF_STATES = frozenset({_State.FAILED, _State.STOPPED})

# All legal transitions. A run that was taken over may start with tools (calls without results) or with its end (no step is left).
# THINKING follows THINKING when a message arrived in between or the model was reminded. A waiting run is initialized again when it
# gets its answer.
TRANSITIONS: Mapping[RunState, frozenset[RunState]] = {
    _State.INITIALIZING: _BROKEN_OFF_STATES | {_State.THINKING, _State.EXECUTING_TOOL, _State.FINALIZING},
    _State.THINKING: _BROKEN_OFF_STATES | {_State.THINKING, _State.EXECUTING_TOOL, _State.FINALIZING},
    _State.EXECUTING_TOOL: _BROKEN_OFF_STATES
    | {_State.THINKING, _State.FINALIZING, _State.WAITING_FOR_APPROVAL, _State.WAITING_FOR_REPLY, _State.WAITING_FOR_CLIENT},
    _State.WAITING_FOR_APPROVAL: _BROKEN_OFF_STATES | {_State.INITIALIZING, _State.DONE},
    _State.WAITING_FOR_REPLY: _BROKEN_OFF_STATES | {_State.INITIALIZING, _State.DONE},
    _State.WAITING_FOR_CLIENT: _BROKEN_OFF_STATES | {_State.INITIALIZING, _State.DONE},
    _State.FINALIZING: _BROKEN_OFF_STATES | {_State.DONE},
    _State.DONE: frozenset(),
    _State.FAILED: frozenset(),
    _State.STOPPED: frozenset(),
}


class IllegalTransition(Exception):
    """The engine tried a transition that TRANSITIONS does not list: a bug."""


class RunStates:
    """The state of one run, as a context manager.

    Leaving the context by cancellation changes the state to `stopped`, by any other exception to `failed`. `on_change`
    is called with each new state, after it was checked.
    """

    def __init__(self, on_change: Callable[[RunState], None] | None = None) -> None:
        self.current = RunState.INITIALIZING
        self._on_change = on_change

    def change_to(self, state: RunState) -> None:
        """Change the state. Raises IllegalTransition."""
        if state not in TRANSITIONS[self.current]:
            raise IllegalTransition(f"A run cannot go from {self.current} to {state}.")
        self.current = state
        if self._on_change:
            self._on_change(state)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None or _State.FAILED not in TRANSITIONS[self.current]:
            return
        self.change_to(RunState.STOPPED if issubclass(kind, asyncio.CancelledError) else RunState.FAILED)


class RunEnd(StrEnum):
    """How an execution ended that neither failed nor was stopped.

    The WAITING members are pauses: the answer to what the run waits for starts it again.
    """

    ANSWERED = "answered"
    EMPTY = "empty"
    STEP_LIMIT = "step_limit"
    BUDGET = "budget"
    LOOP = "loop"
    NO_TOOL_CALL = "no_tool_call"
    TOOL_STOP = "tool_stop"  # a tool of the agent's `stop_on_tool_call` was called
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    WAITING_FOR_REPLY = "waiting_for_reply"
    WAITING_FOR_CLIENT = "waiting_for_client"

    @property
    def is_pause(self) -> bool:
        return self in (RunEnd.WAITING_FOR_APPROVAL, RunEnd.WAITING_FOR_REPLY, RunEnd.WAITING_FOR_CLIENT)


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How an execution ended, with its usage."""

    end: RunEnd
    finish_reason: FinishReason  # of the last model call
    usage: Usage  # the sum over this execution
    step: int  # number of the last step


_NOTICE_BY_END: Mapping[RunEnd, Notice] = {
    RunEnd.STEP_LIMIT: STEP_LIMIT,
    RunEnd.BUDGET: BUDGET,
    RunEnd.LOOP: LOOP,
    RunEnd.NO_TOOL_CALL: NO_TOOL_CALL,
    RunEnd.EMPTY: EMPTY_ANSWER,
}


def closing_notice(end: RunEnd, last: ModelResponse) -> Notice | None:
    """Return the notice for this end, or None.

    For an answer that is empty or complete, the finish reason of the last model call takes precedence: it says more.
    """
    if end in (RunEnd.ANSWERED, RunEnd.EMPTY):
        if last.finish_reason is FinishReason.LENGTH:
            return LENGTH_LIMIT
        if last.finish_reason is FinishReason.CONTENT_FILTER:
            return CONTENT_FILTER
        if last.finish_reason is FinishReason.OTHER and end is RunEnd.ANSWERED:
            return ENDED_EARLY
    return _NOTICE_BY_END.get(end)


class RunHooks:
    """What observes and influences a run (SPEC 3.15); here nothing does. No method of a subclass raises.

    The plain methods return immediately, and their listeners work in the background; the coroutines are awaited.
    """

    needs_stored_answer = False  # whether a listener passes on what it sees, so that it must not see an answer that may be lost

    def run_started(self) -> None: ...

    def message_received(self, message: UserMessage) -> None: ...

    def state_changed(self, state: RunState) -> None: ...

    def step_started(self, step: int) -> None: ...

    async def prompt(self, system: SystemPrompt, step: int) -> SystemPrompt:
        """Return the system prompt that step `step` sends."""
        return system

    def response_update(self, delta: TextDelta | ReasoningDelta) -> None: ...

    async def response_complete(self, response: ModelResponse, step: int) -> str | None:
        """Return the text of a reminder that asks the model for another step, or None. The reminder becomes a visible entry."""
        return None

    def tool_started(self, call: ToolCall) -> None: ...

    async def tool_executed(self, call: ToolCall, result: ToolResult) -> str | None:
        """Like `response_complete`, after a tool's result was appended."""
        return None

    def step_finished(self, step: int, usage: Usage) -> None: ...

    async def finished(self, outcome: RunOutcome) -> Sequence[DataPart]:
        """Return data parts for the client, which are sent before the answer ends. Those that are not transient are stored."""
        return ()


async def run_unless_interrupted(work: Coroutine[Any, Any, Result], interruption: Coroutine[Any, Any, None]) -> Result | None:
    """Return the result of `work`, or None when `interruption` returned first; then `work` has been cancelled and has ended."""
    task, first = asyncio.create_task(work), asyncio.create_task(interruption)
    try:
        await asyncio.wait({task, first}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        task.cancel()
        first.cancel()
        await asyncio.gather(task, first, return_exceptions=True)
    if task.cancelled() and not first.cancelled():
        first.result()
    return None if task.cancelled() else task.result()


async def finish_before_cancel(work: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of `work`, or raise its exception.

    A cancellation is delayed until `work` is done, and is then raised unless `work` has failed.
    """
    task = asyncio.ensure_future(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    result = task.result()
    if cancellation is not None:
        raise cancellation
    return result
