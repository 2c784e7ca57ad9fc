"""Refusals of budgets, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, override

from limits.budgets import BudgetState, States, fullest
from limits.errors import FOR_ADMINS
from limits.periods import next_start, seconds_until
from tenants.errors import ParleyError
from tenants.localization.figures import us_dollars
from tenants.localization.language import date_in_words


class BudgetUsedUp(ParleyError):
    """A model call, or a message, for which no money is left."""

    code = "budget_used_up"
    status = 429

    def __init__(self, budget: BudgetState, now: datetime | None = None) -> None:
        now = now or datetime.now(UTC)
        super().__init__(_budget_text(budget, now.date()), action=None if budget.is_used_up else "retry")
        anew = _room_from(budget, now.date())
        self.headers = {"Retry-After": str(seconds_until(anew, now))} if anew and budget.is_used_up else {}
        with override("en"):
            words = f"{us_dollars(budget.amount_usd)} {_PERIOD_WORDS[budget.period]}, {FOR_ADMINS[budget.holder]}"
        self.refused_by = (f"budget-{budget.key.budget_id}", words)


def budgets_check(states: States) -> None:
    """Raises BudgetUsedUp when one of the budgets is used up. Called before a message is stored that they would pay for."""
    used_up_states = [state for state in states if state.is_used_up]
    if used_up_states:
        raise BudgetUsedUp(fullest(used_up_states))


def _room_from(budget: BudgetState, today: date) -> date | None:
    """Return the day on which the budget has room again. None: it never has, because it ends never or allows nothing."""
    return next_start(budget.period, today) if budget.amount_usd else None


_PERIOD_WORDS: Final[Mapping[str, str]] = {"day": "a day", "month": "a month", "total": "in total"}


def _budget_text(budget: BudgetState, today: date) -> str:
    if budget.for_visitor:
        return str(_BUDGET_FOR_VISITORS[budget.period if budget.is_used_up else None])
    name = str(_BUDGETS[budget.holder, budget.period])
    if not budget.is_used_up:
        return gettext("%(budget)s is all reserved for answers under way. Try again when they are done.") % {"budget": name}
    sentences = [gettext("%(budget)s is used up.") % {"budget": name}]
    anew = _room_from(budget, today)
    if anew is not None and budget.period == "day":
        sentences.append(gettext("It begins anew at midnight UTC."))
    elif anew is not None:
        sentences.append(gettext("It begins anew on %(day)s.") % {"day": date_in_words(anew, "j F")})
    return " ".join([*sentences, gettext("Ask an admin.")])


# The budget in words, at the beginning of a sentence.
_BUDGETS = {
    ("member", "day"): gettext_lazy("Your budget for today"),
    ("member", "month"): gettext_lazy("Your budget for this month"),
    ("member", "total"): gettext_lazy("Your budget"),
    ("organization", "day"): gettext_lazy("Today's budget of your organization"),
    ("organization", "month"): gettext_lazy("This month's budget of your organization"),
    ("organization", "total"): gettext_lazy("The budget of your organization"),
    ("group", "day"): gettext_lazy("Today's budget of your group"),
    ("group", "month"): gettext_lazy("This month's budget of your group"),
    ("group", "total"): gettext_lazy("The budget of your group"),
    ("token", "day"): gettext_lazy("Today's budget of this API token"),
    ("token", "month"): gettext_lazy("This month's budget of this API token"),
    ("token", "total"): gettext_lazy("The budget of this API token"),
    ("assistant", "day"): gettext_lazy("Today's budget of this assistant"),
    ("assistant", "month"): gettext_lazy("This month's budget of this assistant"),
    ("assistant", "total"): gettext_lazy("The budget of this assistant"),
}


_BUDGET_FOR_VISITORS: Mapping[str | None, Promise] = {
    None: gettext_lazy("This chat is busy with other answers. Try again when they are done."),
    "day": gettext_lazy("This chat has answered all that it may today."),
    "month": gettext_lazy("This chat has answered all that it may this month."),
    "total": gettext_lazy("This chat has answered all that it may."),
}
