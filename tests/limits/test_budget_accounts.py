"""Money is held before a call and settled after it, exactly, however many calls there are at once (SPEC 8.6)."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, connections
from django.utils import timezone

from chat.storage.lost_holds import lost_holds_settle
from limits.budget_accounts import SettledCall, budgets_load, hold_take, holds_settle
from limits.budget_errors import BudgetUsedUp
from limits.budgets import NO_BUDGETS, BudgetKey
from limits.models import Budget, BudgetAccount, Hold
from limits.periods import period_start, utc_today
from tenants.context import tenant_tx
from tenants.models import GroupMember, MemberGroup, Membership
from tests.support.accounts.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "system"])

ONE = Decimal(1)


def budget(cast: Cast, amount: float, scope: str = "organization", **values: Any) -> BudgetKey:
    with tenant_tx(cast.acme.pk):
        row = Budget.objects.create(scope=scope, amount_usd=Decimal(str(amount)), **values)
    return BudgetKey(row.pk, cast.acme.pk)


def take(cast: Cast, *keys: BudgetKey, amount: Decimal | None = ONE) -> UUID:
    """Hold money for a new call and return its id. Raises BudgetUsedUp."""
    call_id = uuid4()
    with tenant_tx(cast.acme.pk):
        if full := hold_take(keys, call_id=call_id, amount_usd=amount):
            raise BudgetUsedUp(full[0])
    return call_id


def settle(cast: Cast, *calls: SettledCall) -> None:
    with tenant_tx(cast.acme.pk):
        holds_settle(calls)


def account(cast: Cast, key: BudgetKey) -> BudgetAccount:
    with tenant_tx(cast.acme.pk):
        return BudgetAccount.objects.get(budget_id=key.budget_id)


def figures(cast: Cast, key: BudgetKey) -> tuple[Any, Any]:
    """What is spent and what is held."""
    row = account(cast, key)
    return row.spent_usd, row.held_usd


def membership_of(cast: Cast, name: str) -> Membership:
    with tenant_tx(cast.acme.pk):
        return Membership.objects.get(user=getattr(cast, name), organization=cast.acme)


def in_threads(count: int, work: Callable[[], object]) -> list[bool]:
    """Do the work in so many threads at once, each with a connection of its own; return which were not refused."""

    def one(_: int) -> bool:
        try:
            work()
        except BudgetUsedUp:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def test_a_call_is_held_and_then_booked_by_what_it_has_cost(cast: Cast) -> None:
    key = budget(cast, 5)
    call = take(cast, key)
    assert figures(cast, key) == (0, 1)
    assert account(cast, key).starts_on == period_start("month", utc_today())
    settle(cast, SettledCall(call, 0.25))
    assert figures(cast, key) == (Decimal("0.25"), 0)


def test_a_call_is_booked_once(cast: Cast) -> None:
    key = budget(cast, 5)
    call = take(cast, key)
    for _ in range(2):
        settle(cast, SettledCall(call, 0.25, is_estimated=True), SettledCall(uuid4(), 9))
    assert figures(cast, key) == (Decimal("0.25"), 0)
    assert account(cast, key).estimated_usd == Decimal("0.25")


def test_a_call_of_unknown_cost_is_booked_as_an_estimate_of_what_was_held(cast: Cast) -> None:
    key = budget(cast, 5)
    settle(cast, SettledCall(take(cast, key), None))
    assert figures(cast, key) == (1, 0)
    assert account(cast, key).estimated_usd == 1


def test_a_call_leaves_while_anything_is_left(cast: Cast) -> None:
    key = budget(cast, 0.01)
    call = take(cast, key)
    with pytest.raises(BudgetUsedUp, match="reserved for answers under way"):
        take(cast, key)
    settle(cast, SettledCall(call, 0.004))
    settle(cast, SettledCall(take(cast, key), 0.02))
    with pytest.raises(BudgetUsedUp, match="This month's budget of your organization is used up"):
        take(cast, key)
    assert figures(cast, key) == (Decimal("0.024"), 0)


def test_a_call_that_one_budget_refuses_is_held_in_none(cast: Cast) -> None:
    wide, narrow = budget(cast, 5), budget(cast, 0, period="day")
    with pytest.raises(BudgetUsedUp):
        take(cast, wide, narrow)
    with tenant_tx(cast.acme.pk):
        assert not BudgetAccount.objects.exists()
        assert not Hold.objects.exists()


def test_a_call_without_a_price_is_counted_and_holds_nothing(cast: Cast) -> None:
    key = budget(cast, 5)
    call = take(cast, key, amount=None)
    assert (account(cast, key).unpriced_calls, figures(cast, key)) == (1, (0, 0))
    settle(cast, SettledCall(call, None))
    assert figures(cast, key) == (0, 0)


def test_a_budget_that_was_switched_off_or_deleted_in_mid_run_holds_nothing(cast: Cast) -> None:
    inactive_budget, deleted_budget = budget(cast, 0), budget(cast, 0, period="day")
    with tenant_tx(cast.acme.pk):
        Budget.objects.filter(pk=inactive_budget.budget_id).update(is_active=False)
        Budget.objects.filter(pk=deleted_budget.budget_id).delete()
    take(cast, inactive_budget, deleted_budget)


def test_parallel_calls_never_pass_a_budget(cast: Cast) -> None:
    """Each holds one dollar of twenty."""
    key, day = budget(cast, 20), budget(cast, 25, period="day")
    assert sum(in_threads(60, lambda: take(cast, key, day))) == 20
    assert figures(cast, key) == figures(cast, day) == (0, 20)


def test_calls_that_share_accounts_do_not_wait_for_each_other_in_a_circle(cast: Cast) -> None:
    keys = [budget(cast, 1000), budget(cast, 1000, period="day"), budget(cast, 1000, period="total")]
    orders = iter([keys, keys[::-1]] * 20)

    def work() -> None:
        order = next(orders)
        for _ in range(3):
            settle(cast, SettledCall(take(cast, *order), 0.5))

    assert all(in_threads(20, work))
    assert [figures(cast, key) for key in keys] == [(30, 0)] * 3


def test_what_a_killed_process_held_is_settled(cast: Cast) -> None:
    key = budget(cast, 5)
    connections.close_all()
    child = multiprocessing.get_context("fork").Process(target=_hold_and_die, args=(cast, key))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    assert figures(cast, key) == (0, 1)
    assert lost_holds_settle() == 0, "the call may still be made"
    with tenant_tx(cast.acme.pk):
        Hold.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert lost_holds_settle() == 1
    assert figures(cast, key) == (1, 0)
    assert account(cast, key).estimated_usd == 1
    assert lost_holds_settle() == 0


def _hold_and_die(cast: Cast, key: BudgetKey) -> None:
    take(cast, key)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_member_meets_the_budgets_that_are_for_the_member(cast: Cast) -> None:
    bob, alice, token = membership_of(cast, "bob"), membership_of(cast, "alice"), uuid4()
    with tenant_tx(cast.acme.pk):
        group = MemberGroup.objects.create(name="Sales")
        GroupMember.objects.create(group=group, membership=bob)
    budget(cast, 9, "group", group=group)
    budget(cast, 9, "each_token")
    budget(cast, 9, "role", role="owner", period="day")
    budget(cast, 9, "member", membership=alice, period="total")
    budget(cast, 9, "organization", is_active=False)
    budget(cast, 9, "organization", period="day", last_day=utc_today() - timedelta(days=1))
    with tenant_tx(cast.acme.pk):
        [of_group] = budgets_load(membership_id=bob.pk).states
        assert (of_group.scope, of_group.key.subject_id) == ("group", bob.pk)
        assert {state.key.subject_id for state in budgets_load(membership_id=bob.pk, token_id=token).states} == {bob.pk, token}
        assert {state.scope for state in budgets_load(membership_id=alice.pk).states} == {"role", "member"}


def test_the_members_of_a_group_share_its_budget_beside_their_own(cast: Cast) -> None:
    bob, vera, alice = (membership_of(cast, name) for name in ("bob", "vera", "alice"))
    with tenant_tx(cast.acme.pk):
        group = MemberGroup.objects.create(name="Sales")
        for membership in (bob, vera):
            GroupMember.objects.create(group=group, membership=membership)
    key = budget(cast, 2, "all_of_group", group=group)
    budget(cast, 9, "each_member")

    def states_of(membership: Membership) -> dict[str, UUID]:
        with tenant_tx(cast.acme.pk):
            return {state.scope: state.key.subject_id for state in budgets_load(membership_id=membership.pk).states}

    assert states_of(bob) == {"all_of_group": group.pk, "each_member": bob.pk}
    assert states_of(vera) == {"all_of_group": group.pk, "each_member": vera.pk}
    assert states_of(alice) == {"each_member": alice.pk}
    of_group = BudgetKey(key.budget_id, group.pk)
    for _ in (bob, vera):
        take(cast, of_group)
    with tenant_tx(cast.acme.pk):
        [used_up] = hold_take([of_group], call_id=uuid4(), amount_usd=ONE)
    assert used_up.holder == "group"
    assert used_up.held_usd == 2
    assert str(BudgetUsedUp(replace(used_up, spent_usd=used_up.amount_usd))).startswith("This month's budget of your group is used up.")


def test_the_other_organization_has_nothing_to_do_with_it(cast: Cast) -> None:
    key = budget(cast, 5)
    call = take(cast, key)
    with tenant_tx(cast.other.pk):
        charlie = Membership.objects.get(user=cast.charlie, organization=cast.other)
        assert budgets_load(membership_id=charlie.pk) == NO_BUDGETS
        assert budgets_load(membership_id=membership_of_acme(cast)) == NO_BUDGETS
        assert hold_take([key], call_id=uuid4(), amount_usd=ONE) == []
        holds_settle([SettledCall(call, 3)])
    assert figures(cast, key) == (0, 1)
    connection.close()


def membership_of_acme(cast: Cast) -> UUID:
    return cast.actor(cast.bob).membership_id
