"""The retry policy: only before anything was shown, a few times, politely."""

from __future__ import annotations

import pytest

from agents.errors import (
    AnswerCut,
    KeyRejected,
    PromptTooLong,
    ProviderBusy,
    ProviderError,
    ProviderUnavailable,
    QuotaSpent,
    RequestRefused,
)
from agents.messages import TextDelta
from tests.agents.engine.scripted import ScriptedModel, Step, answer
from tests.agents.providers.harness import collect, request
from tests.support.agents.model_calls import OpenedModel

DOWN = ProviderUnavailable("Down.")


class Run:
    """A model that plays `steps`, one for each attempt; `slept`: the waits in seconds."""

    def __init__(self, *steps: Step, attempts: int = 3) -> None:
        self.slept: list[float] = []
        self.scripted = ScriptedModel(*steps)
        self.model = OpenedModel(self.scripted, attempts=attempts, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    @property
    def attempts(self) -> int:
        return len(self.scripted.requests)


async def test_a_good_answer_is_passed_on_as_it_is() -> None:
    run = Run([TextDelta("A"), answer()])
    assert await collect(run.model, request()) == [TextDelta("A"), answer()]
    assert (run.attempts, run.slept) == (1, [])


@pytest.mark.parametrize("error", [DOWN, ProviderBusy("Busy."), AnswerCut("Cut.")])
async def test_a_passing_fault_before_the_first_event_is_tried_again(error: ProviderError) -> None:
    run = Run([error], [error], [answer()])
    assert await collect(run.model, request()) == [answer()]
    assert run.slept == [0.5, 1.0]
    assert run.scripted.closed == 3


async def test_the_last_attempts_error_is_raised() -> None:
    run = Run([DOWN], [DOWN], [ProviderUnavailable("Still down.")])
    with pytest.raises(ProviderUnavailable, match="Still"):
        await collect(run.model, request())
    assert run.attempts == 3


async def test_with_one_attempt_nothing_is_waited_for() -> None:
    run = Run([DOWN], [answer()], attempts=1)
    with pytest.raises(ProviderUnavailable):
        await collect(run.model, request())
    assert (run.attempts, run.slept) == (1, [])


async def test_nothing_is_tried_again_after_the_first_event() -> None:
    run = Run([TextDelta("A"), DOWN], [answer()])
    with pytest.raises(ProviderUnavailable):
        await collect(run.model, request())
    assert run.attempts == 1


@pytest.mark.parametrize("error", [KeyRejected("No."), QuotaSpent("Spent."), RequestRefused("Bad."), PromptTooLong()])
async def test_a_fault_that_stays_is_not_tried_again(error: ProviderError) -> None:
    run = Run([error], [answer()])
    with pytest.raises(type(error)):
        await collect(run.model, request())
    assert run.attempts == 1


@pytest.mark.parametrize(("asked_s", "slept"), [(3.0, [3.0]), (0.1, [0.5]), (20.0, [20.0])])
async def test_the_retry_waits_as_long_as_the_provider_asks(asked_s: float, slept: list[float]) -> None:
    run = Run([ProviderBusy("Busy.", asked_s)], [answer()])
    await collect(run.model, request())
    assert run.slept == slept


async def test_a_provider_that_asks_for_too_long_is_not_waited_for() -> None:
    run = Run([ProviderBusy("Busy.", 21.0)], [answer()])
    with pytest.raises(ProviderBusy):
        await collect(run.model, request())
    assert (run.attempts, run.slept) == (1, [])


async def test_closing_the_retry_closes_the_model() -> None:
    run = Run([TextDelta("A"), answer()])
    events = run.model.stream(request())
    await anext(events)
    await events.aclose()
    assert run.scripted.closed == 1
