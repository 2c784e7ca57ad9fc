"""Messages are counted exactly, for all limits together, whoever counts at the same time (docs/decisions/0046)."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from pytest_django import Settings

from limits.allowances import Allowance
from limits.counters import Sender, message_count, messages_forget, messages_used
from limits.errors import MessageLimitReached
from tenants.redis.clients import close_redis, key, sync_client

pytestmark = pytest.mark.redis

MEMBER = Allowance("member", "month", 10)
ORGANIZATION = Allowance("organization", "month", 15)


def new_sender(organization: Sender | None = None) -> Sender:
    return Sender(organization.organization_id if organization else uuid4(), uuid4())


async def count(sender: Sender, *limits: Allowance, message: str = "") -> bool:
    """Whether the message was let through."""
    try:
        await message_count(sender, limits, message=message or uuid4().hex)
    except MessageLimitReached:
        return False
    return True


async def test_of_many_messages_at_once_exactly_the_limit_passes() -> None:
    alice = new_sender()
    bob = new_sender(alice)
    passed = await asyncio.gather(*(count(sender, MEMBER, ORGANIZATION) for _ in range(25) for sender in (alice, bob)))
    assert (sum(passed), messages_used(alice, (ORGANIZATION,))) == (15, [15])
    used = [(messages_used(sender, (MEMBER,)) or [0])[0] for sender in (alice, bob)]
    assert sum(used) == 15, "a message that the organization's limit refused counts for no member"
    assert max(used) <= 10
    await close_redis()


async def test_a_message_that_is_sent_again_counts_once() -> None:
    sender = new_sender()
    assert [await count(sender, MEMBER, message="same") for _ in range(12)] == [True] * 12
    assert messages_used(sender, (MEMBER,)) == [1]
    await close_redis()


async def test_another_organization_and_another_member_have_their_own_counters() -> None:
    full = new_sender()
    assert [await count(full, MEMBER) for _ in range(11)] == [True] * 10 + [False]
    assert await count(new_sender(full), MEMBER)
    assert await count(Sender(uuid4(), full.membership_id), MEMBER)
    await close_redis()


async def test_the_window_slides() -> None:
    """A counter that was full in the period before frees one place after another, instead of all at once."""
    sender, limit = new_sender(), Allowance("member", "month", 1000)
    name = key(f"{{limits-{sender.organization_id}}}", "messages", sender.membership_id, "month")
    assert await count(sender, limit)
    period = int(sync_client().hget(name, "n"))  # type: ignore[arg-type]
    sync_client().hset(name, mapping={"n": period - 1, "c": 1000, "p": 0})
    [used] = messages_used(sender, (limit,)) or [0]
    assert 0 < used < 1000
    sync_client().hset(name, mapping={"n": period - 2})
    assert messages_used(sender, (limit,)) == [0]
    await close_redis()


async def test_a_refusal_says_how_long_it_holds() -> None:
    sender, limit = new_sender(), Allowance("member", "minute", 1)
    assert await count(sender, limit)
    with pytest.raises(MessageLimitReached) as refused:
        await message_count(sender, (limit,), message="second")
    assert 0 < int(refused.value.headers["Retry-After"]) <= 60
    assert refused.value.headers["RateLimit-Policy"] == '"member-minute";q=1;w=60'
    await close_redis()


async def test_an_admin_lets_somebody_begin_anew() -> None:
    sender = new_sender()
    for _ in range(10):
        await count(sender, MEMBER)
    messages_forget(sender.organization_id, sender.membership_id)
    assert await count(sender, MEMBER)
    await close_redis()


async def test_without_redis_messages_go_through(settings: Settings) -> None:
    sender = new_sender()
    await close_redis()
    settings.REDIS_URL = "redis://127.0.0.1:1"
    sync_client.cache_clear()
    try:
        assert [await count(sender, Allowance("member", "hour", 0)) for _ in range(2)] == [True, True]
        assert messages_used(sender, (MEMBER,)) is None
    finally:
        await close_redis()
        sync_client.cache_clear()
