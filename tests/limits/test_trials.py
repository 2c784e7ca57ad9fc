"""Limits and budgets at random: many at once, processes that are killed, and what must hold whatever happens (SPEC 8.5, 8.6).

A few trials in each run; more of them with LIMIT_TRIALS and LIMIT_SEED (CONTRIBUTING.md), which print what they found.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from random import Random
from typing import Final
from uuid import uuid4

import pytest
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.models import Sum
from django.utils import timezone

from chat.storage.lost_holds import lost_holds_settle
from limits.allowances import Allowance, Sender
from limits.budget_accounts import SettledCall
from limits.budget_errors import BudgetUsedUp
from limits.budgets import BudgetKey
from limits.counters import limit_usages, message_count
from limits.errors import LimitReached
from limits.models import Budget, BudgetAccount, Hold
from tenants.context import tenant_tx
from tenants.redis.clients import close_redis
from tests.limits.test_budget_accounts import budget, in_threads, settle, take
from tests.support.accounts.cast import Cast

TRIALS: Final = int(os.environ.get("LIMIT_TRIALS", "0"))
SEED: Final = int(os.environ.get("LIMIT_SEED", "1"))
RUNS: Final = 50
PROCESSES: Final = 3


def trials(few: int) -> Iterator[Random]:
    for number in range(TRIALS or few):
        yield Random(f"{SEED} {number}")


@pytest.mark.redis
async def test_of_any_messages_at_once_exactly_what_the_limits_allow_passes() -> None:
    for random in trials(few=15):
        organization_id = uuid4()
        together = Allowance("organization", "month", random.randint(0, 40))
        own = Allowance("member", "month", random.randint(0, 20))
        message_counts = {Sender(organization_id, uuid4()): random.randint(1, 25) for _ in range(random.randint(1, 4))}
        messages = [(sender, uuid4().hex) for sender, count in message_counts.items() for _ in range(count)]
        random.shuffle(messages)
        outcomes = await asyncio.gather(*(_passes(sender, message, own, together) for sender, message in messages))
        expected = min(together.count, sum(min(count, own.count) for count in message_counts.values()))
        assert sum(outcomes) == expected, (together, own, message_counts)
        usages = [_usage(sender, own) for sender in message_counts]
        assert sum(usages) == _usage(next(iter(message_counts)), together) == expected
        assert max(usages) <= own.count
    await close_redis()


async def _passes(sender: Sender, message: str, *limits: Allowance) -> bool:
    try:
        await message_count(sender, limits, message=message)
    except LimitReached:
        return False
    return True


def _usage(sender: Sender, limit: Allowance) -> int:
    [usage] = limit_usages(sender, (limit,)) or []
    return usage.amount


@dataclass(slots=True)
class Overshoot:
    """By how much budgets were passed, and the most that a hold could be beside it."""

    worst: Decimal = Decimal()
    largest_hold: Decimal = Decimal()
    trials: int = 0
    killed: int = 0
    left: int = 0  # holds of killed processes


@pytest.mark.nightly  # it forks, and PostgreSQL may still commit what a killed process has sent
@pytest.mark.django_db(transaction=True, databases=["default", "system"])
def test_runs_at_once_pass_a_budget_by_less_than_one_hold_and_kills_leak_nothing(cast: Cast, capsys: pytest.CaptureFixture[str]) -> None:
    overshoot = Overshoot()
    for random in trials(few=1):
        keys = [budget(cast, random.randint(1, 40), period=period) for period in random.sample(["day", "month", "total"], 2)]
        most = Decimal(random.randint(1, 300)) / 100
        in_threads(RUNS, partial(_run_of_any, cast, keys, most, iter([random.random() for _ in range(RUNS)])))
        _check(cast, keys, most, overshoot)
        with tenant_tx(cast.acme.pk):
            Budget.objects.update(amount_usd=10_000)
        _kill_some(cast, keys, most, random, overshoot)
        _check(cast, keys, most, overshoot)
        _recover(cast, overshoot)
        with tenant_tx(cast.acme.pk):
            assert not Hold.objects.exists()
            assert not BudgetAccount.objects.exclude(held_usd=0).exists()
            Budget.objects.all().delete()
        overshoot.trials += 1
    if TRIALS:
        with capsys.disabled():
            print(
                f"\n{overshoot.trials} trials of {RUNS} runs at once: budgets passed by at most ${overshoot.worst}, holds of at most ${overshoot.largest_hold}; "
                f"{overshoot.killed} processes killed, {overshoot.left} holds of theirs settled, none left"
            )


def _run_of_any(cast: Cast, keys: list[BudgetKey], most: Decimal, seeds: Iterator[float]) -> None:
    _run(cast, keys, most, Random(next(seeds)))


def _run(cast: Cast, keys: list[BudgetKey], most: Decimal, random: Random, *, calls: int = 3) -> None:
    """Make calls one after the other, each with a hold that it costs a part of; now and then its process is lost."""
    for _ in range(calls):
        amount = (most * random.randint(1, 100) / 100).quantize(Decimal("0.0001"))
        call_id = take(cast, *random.sample(keys, len(keys)), amount=amount)
        if random.random() < 0.1:
            return
        settle(cast, SettledCall(call_id, amount * random.randint(0, 100) / 100))


def _check(cast: Cast, keys: list[BudgetKey], most: Decimal, overshoot: Overshoot) -> None:
    """What holds at any moment: the holds are what the accounts say, and no budget is passed by a whole call."""
    with tenant_tx(cast.acme.pk):
        for key in keys:
            row = BudgetAccount.objects.select_related("budget").get(budget_id=key.budget_id)
            hold_total = row.holds.aggregate(sum=Sum("amount_usd"))["sum"] or 0
            assert row.held_usd == hold_total
            over = row.spent_usd + row.held_usd - row.budget.amount_usd
            assert over < most
            overshoot.worst, overshoot.largest_hold = max(overshoot.worst, over), max(overshoot.largest_hold, most)


def _kill_some(cast: Cast, keys: list[BudgetKey], most: Decimal, random: Random, overshoot: Overshoot) -> None:
    """Let processes make calls without end, and kill each at some moment: between a hold and its booking, or inside of one."""
    connections.close_all()
    for database in connections.all():
        assert isinstance(database, DatabaseWrapper)
        database.close_pool()  # a child would use its sockets
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=_call_for_ever, args=(cast, keys, most, random.random())) for _ in range(PROCESSES)]
    for child in children:
        child.start()
    with tenant_tx(cast.acme.pk):
        before = _spending(keys)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with tenant_tx(cast.acme.pk):
            if _spending(keys) > before:
                break
    for child in children:
        time.sleep(random.random() / 20)  # the moment is what is random
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join(60)
        overshoot.killed += child.exitcode == -signal.SIGKILL


def _spending(keys: list[BudgetKey]) -> Decimal:
    total = BudgetAccount.objects.filter(budget_id__in=[key.budget_id for key in keys]).aggregate(sum=Sum("spent_usd"))["sum"]
    return total or Decimal()


def _call_for_ever(cast: Cast, keys: list[BudgetKey], most: Decimal, seed: float) -> None:
    random = Random(f"{seed} {os.getpid()}")
    while True:
        try:
            _run(cast, keys, most, random, calls=100)
        except BudgetUsedUp:
            os.kill(os.getpid(), signal.SIGKILL)


def _recover(cast: Cast, overshoot: Overshoot) -> None:
    """Wait until the holds of the dead have expired, and let the job settle them."""
    with tenant_tx(cast.acme.pk):
        spending = {row.pk: row.spent_usd + row.held_usd for row in BudgetAccount.objects.all()}
        overshoot.left += Hold.objects.values("call_id").distinct().count()
        Hold.objects.update(until=timezone.now() - timedelta(seconds=1))
    while lost_holds_settle():
        pass
    with tenant_tx(cast.acme.pk):
        assert {row.pk: row.spent_usd for row in BudgetAccount.objects.all()} == spending, "what was held counts as spent"
