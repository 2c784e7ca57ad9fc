"""Errors of limits."""

from __future__ import annotations

from datetime import UTC, date, datetime
from math import ceil
from typing import Final

from limits.allowances import IN_WORDS, MICRO, SECONDS, Allowance, Measure
from limits.budgets import BudgetState, States, fullest
from limits.periods import next_start, seconds_until
from tenants.errors import ParleyError


class LimitReached(ParleyError):
    """A limit on messages, runs, tokens or cost is used up."""

    status = 429

    def __init__(self, allowance: Allowance, wait_s: float) -> None:
        super().__init__(_text(allowance, wait_s))
        self.code = CODES[allowance.measure]
        self.headers = {"Retry-After": str(ceil(wait_s)), **rate_limit_fields(allowance, 0, wait_s)}


CODES: Final[dict[Measure, str]] = {
    "messages": "message_limit_reached",
    "runs": "run_limit_reached",
    "tokens": "token_limit_reached",
    "cost": "cost_limit_reached",
}


def rate_limit_fields(allowance: Allowance, left: int, resets_in_s: float) -> dict[str, str]:
    """Return the header fields that tell a limit (draft-ietf-httpapi-ratelimit-headers-10). Costs are millionths of a US dollar."""
    name = f"{allowance.holder}-{allowance.window}"
    name = name if allowance.measure == "messages" else f"{allowance.measure}-{name}"
    unit = {"messages": "", "runs": ';pu="runs"', "tokens": ';pu="tokens"', "cost": ';pu="micro-usd"'}[allowance.measure]
    return {
        "RateLimit-Policy": f'"{name}";q={allowance.count};w={SECONDS[allowance.window]}{unit}',
        "RateLimit": f'"{name}";r={left};t={ceil(resets_in_s)}',
    }


class BudgetUsedUp(ParleyError):
    """A model call, or a message, for which no money is left."""

    code = "budget_used_up"
    status = 429

    def __init__(self, budget: BudgetState, now: datetime | None = None) -> None:
        now = now or datetime.now(UTC)
        super().__init__(_budget_text(budget, now.date()), action=None if budget.is_used_up else "retry")
        anew = next_start(budget.period, now.date())
        self.headers = {"Retry-After": str(seconds_until(anew, now))} if anew and budget.is_used_up else {}


def budgets_check(states: States) -> None:
    """Raises BudgetUsedUp when one of the budgets is, before a message is stored that it would pay for."""
    spent = [state for state in states if state.is_used_up]
    if spent:
        raise BudgetUsedUp(fullest(spent))


class LimitsChanged(ParleyError):
    """The limits changed again and again while a message was stored."""

    code = "limits_changed"
    status = 503
    message = "The limits were changed just now. Nothing was sent; please send it again."
    action = "retry"


def _text(allowance: Allowance, wait_s: float) -> str:
    who = {"organization": "Your organization", "member": "You", "token": "This API token", "assistant": "This assistant"}[allowance.holder]
    if not allowance.count:
        return f"{who} may not send messages. An admin of your organization can change that."
    may = {"messages": "send", "runs": "start", "tokens": "use", "cost": "spend"}[allowance.measure]
    number = f"{who} may {may} {amount_words(allowance)} {IN_WORDS[allowance.window]}."
    return f"{number} You can send the next {'one' if allowance.measure == 'messages' else 'message'} in {duration(wait_s)}."


def amount_words(allowance: Allowance, amount: int | None = None) -> str:
    """Return "60 messages", "1 answer", "5,000 tokens" or "$2.50"; of the limit, or of another amount in its units."""
    number = allowance.count if amount is None else amount
    if allowance.measure == "cost":
        return f"${number / MICRO:,.2f}"
    noun = {"messages": "message", "runs": "answer", "tokens": "token"}[allowance.measure]
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _budget_text(budget: BudgetState, today: date) -> str:
    name = _budget_name(budget)
    if not budget.is_used_up:
        return f"All that is left of {name[0].lower()}{name[1:]} is reserved for answers under way. Try again when they are done."
    anew = next_start(budget.period, today)
    when = "" if anew is None else " It begins anew at midnight UTC." if budget.period == "day" else f" It begins anew on {anew:%-d %B}."
    return f"{name} is used up.{when} Ask an admin."


def _budget_name(budget: BudgetState) -> str:
    """Return the budget in words, at the beginning of a sentence."""
    if budget.holder == "member":
        return "Your budget" + {"day": " for today", "month": " for this month", "total": ""}[budget.period]
    whose = {"organization": "your organization", "token": "this API token", "assistant": "this assistant"}[budget.holder]
    return {"day": "Today's", "month": "This month's", "total": "The"}[budget.period] + f" budget of {whose}"


def duration(seconds: float) -> str:
    """Return a time to wait in words, rounded up to a whole unit."""
    for name, size in (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds > 2 * size or size == 1 or (name == "minute" and seconds > 60):
            number = max(1, ceil(seconds / size))
            return f"{number} {name}" if number == 1 else f"{number} {name}s"
    raise AssertionError("seconds are the smallest unit")
