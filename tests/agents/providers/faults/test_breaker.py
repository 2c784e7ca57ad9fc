"""The circuit breaker of an endpoint, over a real Redis: when it opens, who probes, when it closes, who it is for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from uuid import UUID, uuid4

import pytest
from asgiref.sync import async_to_sync
from django.test import override_settings
from hypothesis import HealthCheck, given, settings, strategies as st

from admin_config.services.breakers import (
    FAILED,
    PAUSED,
    SUCCEEDED,
    WORKING_AGAIN,
    BreakerState,
    BreakerStatus,
    breaker_key,
    breaker_statuses,
    breakers_read,
    open_breaker_count,
)
from agents.errors import CircuitOpen, KeyRejected, ProviderError, ProviderUnavailable, RequestRefused
from agents.providers.circuit_breaker import INCONCLUSIVE, CircuitBreaker, CircuitBreakerPolicy, EndpointCall
from tenants.redis.clients import close_redis, redis_client
from tests.agents.providers.faults.breaker_model import BreakerModel

pytestmark = pytest.mark.redis

START_MS = 1_800_000_000_000
DOWN = ProviderUnavailable("Down.")
ENDS = (ProviderError, ValueError, asyncio.CancelledError)


class Clock:
    def __init__(self) -> None:
        self.now_ms = START_MS

    def pass_by(self, seconds: float) -> None:
        self.now_ms += round(seconds * 1000)

    def __call__(self) -> int:
        return self.now_ms


class Endpoint:
    """One endpoint as processes meet it: each has its own CircuitBreaker, all have one clock."""

    def __init__(self, organization_id: UUID | None = None, endpoint_id: UUID | None = None) -> None:
        self.organization_id, self.endpoint_id = organization_id or uuid4(), endpoint_id or uuid4()
        self.clock = Clock()

    def breaker(self) -> CircuitBreaker:
        return CircuitBreaker(self.organization_id, self.endpoint_id, "Main", now_ms=self.clock)

    async def call(self, error: BaseException | None = None) -> None:
        """One call that ends like this; raises CircuitOpen when it may not be made."""
        call = await self.breaker().acquire()
        with suppress(*ENDS):
            async with call:
                if error:
                    raise error

    async def calls(self, outcomes: str) -> None:
        for outcome in outcomes:
            await self.call(DOWN if outcome == FAILED else None)

    async def rests(self) -> bool:
        return await self.breaker().is_open()


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.mark.parametrize(
    ("outcomes", "rests"),
    [
        ("xxxx", False),  # too few to judge
        ("xxxxx", True),
        ("....x", False),
        (".....xxxx", False),
        (".....xxxxx", True),
        ("x" * 4 + "." * 20 + "x" * 9, False),  # of the last twenty, nine
        ("." * 20 + "x" * 10, True),
    ],
)
async def test_the_breaker_opens_when_half_of_the_last_calls_failed(endpoint: Endpoint, outcomes: str, rests: bool) -> None:
    await endpoint.calls(outcomes)
    assert await endpoint.rests() is rests


async def test_an_open_breaker_lets_no_call_through_and_says_for_how_long(endpoint: Endpoint) -> None:
    open_before = await asyncio.to_thread(open_breaker_count)
    await endpoint.calls("xxxxx")
    endpoint.clock.pass_by(10.5)
    assert await asyncio.to_thread(open_breaker_count) == open_before + 1  # by Redis' own clock, which is behind this test's
    with pytest.raises(CircuitOpen, match=r"Main failed again and again .* Try again in 20 s\."):
        await endpoint.breaker().acquire()


async def test_faults_of_the_request_or_the_key_are_not_counted(endpoint: Endpoint) -> None:
    for error in [RequestRefused("Bad."), KeyRejected("No."), ValueError("a bug")] * 4:
        await endpoint.call(error)
    assert not await endpoint.rests()


async def test_after_the_rest_one_call_probes_and_a_good_answer_closes_the_breaker(endpoint: Endpoint) -> None:
    await endpoint.calls("xxxxx")
    endpoint.clock.pass_by(30)
    async with await endpoint.breaker().acquire() as probe:
        for _ in range(3):
            with pytest.raises(CircuitOpen, match=r"in a moment\.$"):
                await endpoint.breaker().acquire()
        await probe.report_first_event()
        await endpoint.breaker().acquire()  # at the first event, not at the end of a long answer
    await endpoint.calls("...xxx")
    assert not await endpoint.rests(), "it began anew"


async def test_of_many_calls_at_once_one_probes(endpoint: Endpoint) -> None:
    await endpoint.calls("xxxxx")
    endpoint.clock.pass_by(30)
    outcomes = await asyncio.gather(*(endpoint.breaker().acquire() for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(call, EndpointCall) for call in outcomes) == 1
    assert sum(isinstance(call, CircuitOpen) for call in outcomes) == 19


async def test_each_failed_probe_doubles_the_rest_up_to_a_limit(endpoint: Endpoint) -> None:
    await endpoint.calls("xxxxx")
    for rest_s in [30, 60, 120, 240, 300, 300]:
        endpoint.clock.pass_by(rest_s - 1)
        assert await endpoint.rests()
        endpoint.clock.pass_by(1)
        assert not await endpoint.rests()
        await endpoint.call(DOWN)


async def test_a_failed_probe_begins_no_new_pause_in_the_history(endpoint: Endpoint) -> None:
    await endpoint.calls(FAILED * 5)
    for _ in range(3):
        endpoint.clock.pass_by(300)
        await endpoint.call(DOWN)
    endpoint.clock.pass_by(300)
    await endpoint.call()
    [breaker] = await asyncio.to_thread(breakers_read, [(endpoint.organization_id, endpoint.endpoint_id)])
    assert [event.kind for event in breaker.history] == [WORKING_AGAIN, PAUSED]


async def test_a_probe_that_decided_nothing_leaves_it_to_the_next(endpoint: Endpoint) -> None:
    await endpoint.calls("xxxxx")
    endpoint.clock.pass_by(30)
    await endpoint.call(RequestRefused("Bad."))
    await endpoint.call()
    assert not await endpoint.rests()


async def test_a_probe_whose_process_died_is_waited_for_only_so_long(endpoint: Endpoint) -> None:
    await endpoint.calls("xxxxx")
    endpoint.clock.pass_by(30)
    dead = await endpoint.breaker().acquire()
    endpoint.clock.pass_by(89)
    assert await endpoint.rests()
    endpoint.clock.pass_by(1)
    async with await endpoint.breaker().acquire():
        await dead.__aexit__(None, None, None)  # it was only slow: another one probes now
        assert await endpoint.rests()


async def test_a_call_that_began_before_it_opened_says_nothing(endpoint: Endpoint) -> None:
    async with await endpoint.breaker().acquire():
        await endpoint.calls("xxxxx")
    assert await endpoint.rests()


async def test_a_stopped_call_is_not_counted(endpoint: Endpoint) -> None:
    for _ in range(6):
        await endpoint.call(asyncio.CancelledError())
    assert breaker_statuses(organization_id=endpoint.organization_id, endpoint_ids=[endpoint.endpoint_id]) == {
        endpoint.endpoint_id: BreakerStatus(BreakerState.CLOSED, 0, 0)
    }


async def test_each_organization_has_its_own_breaker(endpoint: Endpoint) -> None:
    other = Endpoint(endpoint_id=endpoint.endpoint_id)
    await endpoint.calls("xxxxx")
    assert (await endpoint.rests(), await other.rests()) == (True, False)


async def test_the_breakers_state_expires_some_time_after_the_last_call(endpoint: Endpoint) -> None:
    await endpoint.calls("x")
    ttl_ms = await redis_client().pttl(breaker_key(endpoint.organization_id, endpoint.endpoint_id))
    assert 3_590_000 < ttl_ms <= 3_600_000


async def test_without_redis_calls_go_through(endpoint: Endpoint) -> None:
    with override_settings(REDIS_URL="redis://127.0.0.1:9/0"):
        await endpoint.calls("xxxxxx")
        assert not await endpoint.rests()


async def test_a_redis_that_forgot_the_scripts_goes_on_counting(endpoint: Endpoint) -> None:
    await endpoint.calls("xxx")
    await redis_client().script_flush()
    await asyncio.gather(endpoint.call(DOWN), endpoint.call(DOWN))
    assert await endpoint.rests()


async def test_redis_time_is_the_clock(endpoint: Endpoint) -> None:
    breaker = CircuitBreaker(endpoint.organization_id, endpoint.endpoint_id, "Main")
    for _ in range(5):
        await breaker.report("", FAILED)
    [view] = breaker_statuses(organization_id=endpoint.organization_id, endpoint_ids=[endpoint.endpoint_id]).values()
    assert (view.state, view.calls, view.failures) == (BreakerState.OPEN, 5, 5)
    assert 25 < view.rest_s <= 30


RULES = CircuitBreakerPolicy(calls=4, min_calls=2, rest_s=1, max_rest_s=5, probe_s=2)
OUTCOMES = {True: FAILED, False: SUCCEEDED, None: INCONCLUSIVE}
# How a call ends and which of those that run it is, the beginning of another, milliseconds that pass.
ENDS_OF_CALLS = st.tuples(st.sampled_from([True, True, True, False, None]), st.integers(0, 3))
ACTIONS = st.one_of(st.just("admit"), st.just("admit"), ENDS_OF_CALLS, ENDS_OF_CALLS, st.sampled_from([1, 500, 999, 1000, 2000]))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(ACTIONS, min_size=20, max_size=40))
def test_the_scripts_do_what_the_model_does(actions: list[str | int | tuple[bool | None, int]]) -> None:
    async_to_sync(_compare)(actions)


async def _compare(actions: list[str | int | tuple[bool | None, int]]) -> None:
    clock, model = Clock(), BreakerModel(RULES)
    breaker = CircuitBreaker(uuid4(), uuid4(), "Main", rules=RULES, now_ms=clock)
    running: list[str] = []
    try:
        for action in actions:
            match action:
                case int():
                    clock.now_ms += action
                case "admit":
                    running += await _admitted(breaker, model, clock())
                case (failed, place) if running:
                    token = running.pop(place % len(running))
                    model.report(clock(), token, failed)
                    await breaker.report(token, OUTCOMES[failed])
    finally:
        await close_redis()


async def _admitted(breaker: CircuitBreaker, model: BreakerModel, now_ms: int) -> list[str]:
    """The token of the call that both let through, if they did."""
    try:
        token = (await breaker.acquire())._token
    except CircuitOpen:
        token = None
    assert model.admit(now_ms, token or "probe") == token
    return [] if token is None else [token]
