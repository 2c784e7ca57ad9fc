"""Which ways a run's state may go (SPEC 3.2)."""

from __future__ import annotations

import asyncio
from itertools import product

import pytest

from agents.engine.lifecycle import TRANSITIONS, IllegalTransition, RunState, RunStates

WAYS = {(start, end) for start, ends in TRANSITIONS.items() for end in ends}
TO_STATE = {  # a legal way from the beginning to each state
    RunState.INITIALIZING: [],
    RunState.THINKING: [RunState.THINKING],
    RunState.EXECUTING_TOOL: [RunState.EXECUTING_TOOL],
    RunState.WAITING_FOR_APPROVAL: [RunState.EXECUTING_TOOL, RunState.WAITING_FOR_APPROVAL],
    RunState.WAITING_FOR_REPLY: [RunState.EXECUTING_TOOL, RunState.WAITING_FOR_REPLY],
    RunState.WAITING_FOR_CLIENT: [RunState.EXECUTING_TOOL, RunState.WAITING_FOR_CLIENT],
    RunState.FINALIZING: [RunState.FINALIZING],
    RunState.DONE: [RunState.FINALIZING, RunState.DONE],
    RunState.FAILED: [RunState.FAILED],
    RunState.STOPPED: [RunState.STOPPED],
}


def states_at(state: RunState) -> RunStates:
    states = RunStates()
    for step in TO_STATE[state]:
        states.change_to(step)
    return states


@pytest.mark.parametrize(("start", "end"), sorted(WAYS))
def test_a_listed_transition_is_allowed(start: RunState, end: RunState) -> None:
    states = states_at(start)
    states.change_to(end)
    assert states.current is end


@pytest.mark.parametrize(("start", "end"), sorted(set(product(RunState, RunState)) - WAYS))
def test_every_other_transition_raises_and_changes_nothing(start: RunState, end: RunState) -> None:
    states = states_at(start)
    with pytest.raises(IllegalTransition):
        states.change_to(end)
    assert states.current is start


def test_every_state_is_listed_and_only_the_three_ends_lead_nowhere() -> None:
    assert set(TRANSITIONS) == set(RunState)
    assert {state for state, ends in TRANSITIONS.items() if not ends} == {RunState.DONE, RunState.FAILED, RunState.STOPPED}


@pytest.mark.parametrize(
    ("error", "state"), [(ValueError, RunState.FAILED), (asyncio.CancelledError, RunState.STOPPED), (KeyboardInterrupt, RunState.FAILED)]
)
def test_leaving_by_an_exception_ends_the_run(error: type[BaseException], state: RunState) -> None:
    states = RunStates()
    with pytest.raises(error), states:
        raise error
    assert states.current is state


def test_an_error_after_the_end_leaves_the_end_as_it_is() -> None:
    states = states_at(RunState.DONE)
    with pytest.raises(ValueError), states:
        raise ValueError
    assert states.current is RunState.DONE
