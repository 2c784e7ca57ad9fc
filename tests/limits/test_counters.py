"""Messages are counted exactly, for all limits together, whoever counts at the same time (docs/decisions/0046)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest
from pytest_django import Settings

from limits.allowances import Allowance, Sender
from limits.call_limits import Charge
from limits.counters import call_charge, counters_forget, limit_usages, message_count
from limits.errors import LimitReached, LimitsUnavailable
from tenants.redis.clients import close_redis, key, sync_client
from tenants.redis.pauses import QuestionPause
from tests.support.stores.redis_servers import redis_away

pytestmark = pytest.mark.redis

MEMBER = Allowance("member", "month", 10)
ORGANIZATION = Allowance("organization", "month", 15)


def new_sender(organization: Sender | None = None) -> Sender:
    return Sender(organization.organization_id if organization else uuid4(), uuid4())


def used_of(sender: Sender, limits: tuple[Allowance, ...]) -> list[int] | None:
    usages = limit_usages(sender, limits)
    return None if usages is None else [one.amount for one in usages]


async def count(sender: Sender, *limits: Allowance, message: str = "") -> bool:
    """Whether the message was let through."""
    try:
        await message_count(sender, limits, message=message or uuid4().hex)
    except LimitReached:
        return False
    return True


async def test_of_many_messages_at_once_exactly_the_limit_passes() -> None:
    alice = new_sender()
    bob = new_sender(alice)
    outcomes = await asyncio.gather(*(count(sender, MEMBER, ORGANIZATION) for _ in range(25) for sender in (alice, bob)))
    assert (sum(outcomes), used_of(alice, (ORGANIZATION,))) == (15, [15])
    counts = [(used_of(sender, (MEMBER,)) or [0])[0] for sender in (alice, bob)]
    assert sum(counts) == 15, "a message that the organization's limit refused counts for no member"
    assert max(counts) <= 10
    await close_redis()


async def test_what_calls_used_is_charged_whatever_the_limit_says_and_then_refuses_all_at_once() -> None:
    sender = new_sender()
    tokens, cost = Allowance("member", "hour", 1000, "tokens"), Allowance("organization", "day", 500_000, "cost")
    charge = Charge(sender, (tokens, cost))
    assert await count(sender, MEMBER, tokens, cost)
    call_charge(charge, tokens=999, cost_usd=0.25)
    assert (charge.reached, used_of(sender, (tokens, cost))) == (None, [999, 250_000])
    outcomes = await asyncio.gather(*(count(sender, MEMBER, tokens, cost) for _ in range(50)))
    assert sum(outcomes) == 9, "the limit on messages is the only one that these use"
    call_charge(charge, tokens=2000, cost_usd=None)
    assert charge.reached is not None
    assert charge.reached.code == "token_limit_reached"
    assert used_of(sender, (MEMBER, tokens, cost)) == [10, 2999, 250_000]
    with pytest.raises(LimitReached) as refusal:
        await message_count(sender, (tokens, cost), message=uuid4().hex)
    assert refusal.value.message.startswith("You may use 1,000 tokens in an hour. ")
    assert refusal.value.headers["RateLimit-Policy"] == '"tokens-member-hour";q=1000;w=3600;qu="tokens"'
    await close_redis()


async def test_a_call_is_charged_although_messages_do_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    sender, cost = new_sender(), Allowance("member", "day", 500_000, "cost", refuses_uncounted=True)
    pause = QuestionPause(600)
    with suppress(TimeoutError), pause.question():
        raise TimeoutError
    with monkeypatch.context() as patch:
        patch.setattr("limits.counters._pause", pause)
        with pytest.raises(LimitsUnavailable):
            await message_count(sender, (cost,), message=uuid4().hex)
        assert used_of(sender, (cost,)) is None
        call_charge(Charge(sender, (cost,)), tokens=1, cost_usd=0.25)
    assert used_of(sender, (cost,)) == [250_000]
    await close_redis()


async def test_a_message_into_an_answer_starts_no_run() -> None:
    sender, runs, messages = new_sender(), Allowance("member", "day", 1, "runs"), Allowance("member", "day", 3)
    assert await count(sender, runs, messages)
    assert not await count(sender, runs, messages)
    await message_count(sender, (runs, messages), message="into it", starts_run=False)
    assert used_of(sender, (runs, messages)) == [1, 2]
    await close_redis()


async def test_a_message_that_is_sent_again_counts_once() -> None:
    sender = new_sender()
    assert [await count(sender, MEMBER, message="same") for _ in range(12)] == [True] * 12
    assert used_of(sender, (MEMBER,)) == [1]
    await close_redis()


async def test_another_organization_and_another_member_have_their_own_counters() -> None:
    full = new_sender()
    assert [await count(full, MEMBER) for _ in range(11)] == [True] * 10 + [False]
    assert await count(new_sender(full), MEMBER)
    assert await count(Sender(uuid4(), full.membership_id), MEMBER)
    await close_redis()


def period_of(name: str) -> int:
    redis: Any = sync_client()  # its types are those of both kinds of clients
    return int(redis.hget(name, "n"))


async def test_the_window_slides() -> None:
    """A counter that was full in the period before frees one place after another, instead of all at once."""
    sender, limit = new_sender(), Allowance("member", "month", 1000)
    name = key(f"{{limits-{sender.organization_id}}}", "messages", sender.membership_id, "month")
    assert await count(sender, limit)
    period = period_of(name)
    sync_client().hset(name, mapping={"n": period - 1, "c": 1000, "p": 0})
    [usage] = used_of(sender, (limit,)) or [0]
    assert 0 < usage < 1000
    sync_client().hset(name, mapping={"n": period - 2})
    assert used_of(sender, (limit,)) == [0]
    await close_redis()


async def test_a_clock_that_steps_back_over_the_turn_of_a_window_clears_nothing() -> None:
    sender, limit = new_sender(), Allowance("member", "month", 10)
    name = key(f"{{limits-{sender.organization_id}}}", "messages", sender.membership_id, "month")
    assert await count(sender, limit)
    period = period_of(name)
    sync_client().hset(name, mapping={"n": period + 1, "c": 8, "p": 1})
    assert used_of(sender, (limit,)) == [9], "as at the begin of the newer window"
    assert [await count(sender, limit) for _ in range(2)] == [True, False]
    assert period_of(name) == period + 1
    sync_client().hset(name, mapping={"n": period + 2})
    assert used_of(sender, (limit,)) == [0], "a clock that was far ahead refuses nobody for years"
    await close_redis()


async def test_a_refusal_says_how_long_it_holds() -> None:
    sender, limit = new_sender(), Allowance("member", "minute", 1)
    assert await count(sender, limit)
    with pytest.raises(LimitReached) as refusal:
        await message_count(sender, (limit,), message="second")
    assert 0 < int(refusal.value.headers["Retry-After"]) <= 60
    assert refusal.value.headers["RateLimit-Policy"] == '"member-minute";q=1;w=60'
    await close_redis()


async def test_an_admin_lets_somebody_begin_anew() -> None:
    sender = new_sender()
    for _ in range(10):
        await count(sender, MEMBER)
    counters_forget(sender.organization_id, sender.membership_id, "messages")
    assert await count(sender, MEMBER)
    await close_redis()


async def test_without_redis_messages_go_through(settings: Settings) -> None:
    sender = new_sender()
    await close_redis()
    with redis_away(settings):
        try:
            assert [await count(sender, Allowance("member", "hour", 0)) for _ in range(2)] == [True, True]
            assert used_of(sender, (MEMBER,)) is None
        finally:
            await close_redis()
