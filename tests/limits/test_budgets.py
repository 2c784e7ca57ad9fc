"""Which budgets a call is charged to, when they begin anew, what a call may cost and what a refusal says."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from limits.budget_errors import BudgetUsedUp, budgets_check
from limits.budgets import BudgetState, call_estimate, fullest, states_from
from limits.periods import next_start, period_start

NOW = datetime(2026, 11, 23, 18, 0, tzinfo=UTC)


def row(scope: str, amount: str, *, period: str = "month", spent_usd: str = "0", held_usd: str = "0") -> list[Any]:
    return [str(uuid4()), str(uuid4()), scope, period, False, amount, spent_usd, held_usd]


def state(scope: str = "organization", amount: str = "5", **values: str) -> BudgetState:
    return states_from([row(scope, amount, **values)])[0]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([row("each_member", "10")], ["10"]),
        ([row("each_member", "10"), row("role", "20")], ["20"]),
        ([row("each_member", "10"), row("role", "20"), row("group", "30"), row("group", "40")], ["40"]),
        ([row("each_member", "10"), row("group", "30"), row("member", "5")], ["5"]),
        ([row("each_member", "10"), row("each_member", "2", period="day")], ["10", "2"]),
        ([row("organization", "90"), row("each_member", "10"), row("each_token", "3"), row("member", "5")], ["90", "3", "5"]),
    ],
)
def test_for_a_member_the_narrowest_budget_of_a_period_decides(rows: list[list[Any]], expected: list[str]) -> None:
    assert [str(each.amount_usd) for each in states_from(rows)] == expected
    assert states_from(None) == ()


@pytest.mark.parametrize(
    ("period", "start", "following"),
    [("day", NOW.date(), date(2026, 11, 24)), ("month", date(2026, 11, 1), date(2026, 12, 1)), ("total", date(2000, 1, 1), None)],
)
def test_periods_begin_at_midnight_utc(period: Any, start: date, following: date | None) -> None:
    assert (period_start(period, NOW.date()), next_start(period, NOW.date())) == (start, following)
    assert next_start("month", date(2026, 12, 31)) == date(2027, 1, 1)


def test_a_call_may_cost_its_prompt_and_the_longest_answer_as_text_or_as_thought() -> None:
    estimate = call_estimate(prompt_tokens=1000, output_tokens=100, price=lambda p, o, t: (p + 2 * o + 5 * t) / 1_000_000)
    assert estimate == Decimal("0.0015")
    assert call_estimate(prompt_tokens=1, output_tokens=1, price=lambda p, o, t: None) is None


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (state(spent_usd="5"), "This month's budget of your organization is used up. It begins anew on 1 December. Ask an admin."),
        (
            state(spent_usd="6", period="day"),
            "Today's budget of your organization is used up. It begins anew at midnight UTC. Ask an admin.",
        ),
        (state("member", spent_usd="5", period="total"), "Your budget is used up. Ask an admin."),
        (state("member", "0"), "Your budget for this month is used up. Ask an admin."),
        (state("role", spent_usd="5"), "Your budget for this month is used up. It begins anew on 1 December. Ask an admin."),
        (
            state("each_token", spent_usd="5"),
            "This month's budget of this API token is used up. It begins anew on 1 December. Ask an admin.",
        ),
        (
            state("group", spent_usd="4", held_usd="2"),
            "Your budget for this month is all reserved for answers under way. Try again when they are done.",
        ),
    ],
)
def test_a_refusal_says_whose_budget_it_is_and_when_to_go_on(budget: BudgetState, text: str) -> None:
    error = BudgetUsedUp(budget, NOW)
    assert (error.message, error.action) == (text, None if budget.is_used_up else "retry")


def test_programs_are_told_when_to_go_on() -> None:
    assert BudgetUsedUp(state(spent_usd="5", period="day"), NOW).headers == {"Retry-After": str(6 * 3600)}
    assert BudgetUsedUp(state(spent_usd="5", period="total"), NOW).headers == {}
    assert BudgetUsedUp(state(amount="0"), NOW).headers == {}, "no time at which it allows more"


def test_a_message_is_refused_by_what_is_spent_and_not_by_what_is_held() -> None:
    budgets_check((state(spent_usd="4.99", held_usd="3"),))
    spent_state, held_state = state(spent_usd="5"), state(held_usd="9")
    with pytest.raises(BudgetUsedUp):
        budgets_check((held_state, spent_state))
    assert fullest([held_state, spent_state]) is spent_state


def test_of_several_used_up_a_refusal_names_the_one_that_stays_so_longest() -> None:
    day, month, total, nothing = (
        state(spent_usd="5", period="day"),
        state(spent_usd="6"),
        state(spent_usd="5", period="total"),
        state(amount="0"),
    )
    assert fullest([day, month]) is fullest([month, day]) is month
    assert fullest([month, total, day]) is total
    assert fullest([total, nothing]) is nothing
