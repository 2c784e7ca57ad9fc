"""What the organization has spent this month beside its budget for the month, and where it will end at this pace (design 40)."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import accumulate

from django.utils.formats import date_format
from django.utils.translation import gettext

from chat.overview.chart_drawing import Chart, Series, chart
from chat.overview.sums import Sums
from limits.spending import Spending
from tenants.localization.figures import money

DAY = timedelta(days=1)


def budget_chart(own: Sequence[Spending], month: Mapping[datetime, Sums], now: datetime) -> Chart | None:
    """Return the chart of the month; None where the organization has no budget for months. `month`: what each day cost until today."""
    spending = next((candidate for candidate in own if candidate.account.budget.period == "month"), None)
    if spending is None:
        return None
    budget, first = float(spending.amount_usd), min(month)
    days = [first + number * DAY for number in range(monthrange(first.year, first.month)[1])]
    begins = _counted_since(month, spending.account.created_at)
    totals = _daily_totals(month, begins, float(spending.account.spent_usd))
    pace = totals[-1] / max(1.0, (now - begins) / DAY)
    ahead = len(days) - len(totals)
    coming = [totals[-1] + pace * number for number in range(ahead + 1)]
    month_chart = chart(
        "budget",
        gettext("Cost against budget, this month"),
        labels=[date_format(day, "j M") for day in days],
        series=[
            Series(gettext("Spent"), "1", [*totals, *[None] * ahead]),
            Series(gettext("At this pace"), "pace", [*[None] * (len(totals) - 1), *coming]),
            Series(gettext("Budget"), "budget", [budget] * len(days)),
        ],
        words=money,
        is_bars=False,
    )
    return replace(month_chart, note=_note(budget, days, totals, coming))


def _counted_since(month: Mapping[datetime, Sums], first_counted: datetime) -> datetime:
    """Return since when the budget counts: from the month's beginning, unless something was spent on the days before its first call."""
    was_spent = any(_cost_usd(sums) for day, sums in month.items() if day + DAY <= first_counted)
    return first_counted if was_spent else min(month)


def _daily_totals(month: Mapping[datetime, Sums], begins: datetime, total_usd: float) -> list[float]:
    """Return what the budget had counted at the end of each day. It counts no calls with members' own keys: each day has the same share of them."""
    costs = [_cost_usd(sums) if day + DAY > begins else 0.0 for day, sums in month.items()]
    share = total_usd / (sum(costs) or 1.0)
    return [*(cost * share for cost in accumulate(costs[:-1])), total_usd]


def _cost_usd(sums: Sums) -> float:
    return sums.cost_usd + sums.trial_cost_usd


def _note(budget: float, days: Sequence[datetime], totals: Sequence[float], coming: Sequence[float]) -> str:
    if totals[-1] >= budget:
        return gettext("The budget of %(budget)s is spent.") % {"budget": money(budget)}
    crossing = next((number for number, value in enumerate(coming) if value >= budget), None)
    if crossing is None:
        values = {"percent": round(100 * totals[-1] / budget) if budget else 100, "budget": money(budget)}
        return gettext("%(percent)s %% of %(budget)s. At this pace it lasts for the month.") % values
    day = date_format(days[len(totals) - 1 + crossing], "j F")
    return gettext("At this pace the budget of %(budget)s is spent about %(day)s.") % {"budget": money(budget), "day": day}
