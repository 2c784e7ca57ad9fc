"""The states of a run and the legal ways between them (SPEC 3.2); everything else raises."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import TracebackType
from typing import Self


class RunState(StrEnum):
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
_FAILURE_STATES = frozenset({_State.FAILED, _State.STOPPED})

# The one list. A run that was taken over may begin with tools (calls without results) or with its end (no step is left); thinking
# follows thinking when a message came in between or the model was reminded. A waiting run begins again where it is answered.
TRANSITIONS: Mapping[RunState, frozenset[RunState]] = {
    _State.INITIALIZING: _FAILURE_STATES | {_State.THINKING, _State.EXECUTING_TOOL, _State.FINALIZING},
    _State.THINKING: _FAILURE_STATES | {_State.THINKING, _State.EXECUTING_TOOL, _State.FINALIZING},
    _State.EXECUTING_TOOL: _FAILURE_STATES
    | {_State.THINKING, _State.FINALIZING, _State.WAITING_FOR_APPROVAL, _State.WAITING_FOR_REPLY, _State.WAITING_FOR_CLIENT},
    _State.WAITING_FOR_APPROVAL: _FAILURE_STATES | {_State.INITIALIZING, _State.DONE},
    _State.WAITING_FOR_REPLY: _FAILURE_STATES | {_State.INITIALIZING, _State.DONE},
    _State.WAITING_FOR_CLIENT: _FAILURE_STATES | {_State.INITIALIZING, _State.DONE},
    _State.FINALIZING: _FAILURE_STATES | {_State.DONE},
    _State.DONE: frozenset(),
    _State.FAILED: frozenset(),
    _State.STOPPED: frozenset(),
}


class IllegalTransition(Exception):
    """The engine tried a way that TRANSITIONS does not list: a bug."""


class RunStates:
    """The state of one run, as a context: leaving it by cancellation is `stopped`, by an exception `failed`.

    `on_change` is called with each new state, after it was checked.
    """

    def __init__(self, on_change: Callable[[RunState], None] | None = None) -> None:
        self.current = RunState.INITIALIZING
        self._on_change = on_change

    def change_to(self, state: RunState) -> None:
        """Raises IllegalTransition."""
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
