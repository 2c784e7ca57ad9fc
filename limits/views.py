"""REST view of the limits and budgets that a member's messages meet (docs/rest.md)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from math import ceil
from typing import get_args
from uuid import UUID

from admin_config.defaults.platform import agent_label
from limits.allowances import MICRO, Allowance, Holder, Measure, Sender, Window
from limits.budget_accounts import budgets_load
from limits.budgets import BudgetState, States
from limits.counters import LimitUsage, limit_usages
from limits.periods import PERIODS, Period, next_start, utc_today
from tenants.context import tenant_tx
from tenants.models import MemberGroup
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class RemainingLimit(ResponseSchema):
    """`count`: messages, runs, tokens or US dollars within the window. `left`: what may still be used; null while it can't be read.

    `resetsInS`: the seconds until more is allowed when nothing is left, else until this minute, hour, day or 30 days end.
    """

    holder: Holder
    agent: str  # of the holder "agent": its name, by which other agents call it; else empty
    agent_label: str  # what people read of it
    measure: Measure
    window: Window
    count: float
    left: float | None
    resets_in_s: int | None


class RemainingBudget(ResponseSchema):
    """`spent_usd`, `left_usd`: what is spent in the period, and may still be, in US dollars. More than `amount_usd` can be spent: nothing is left then.

    `begins_anew`: on which day (UTC); null: never.
    """

    holder: Holder
    group: str  # of the holder "group": its name; else empty
    period: Period
    amount_usd: float
    spent_usd: float
    left_usd: float
    begins_anew: date | None


class Limits(ResponseSchema):
    limits: list[RemainingLimit]
    budgets: list[RemainingBudget]


class LimitsView(RestView):
    """Says what is left of each limit and budget that applies to the caller's messages."""

    @operation("getLimits", "What you may still send, use and spend", tag="usage", answer=Limits)
    def get(self, request: ActorRequest) -> Limits:
        actor, token_id = request.actor, request.token.token_id if request.token else None
        with tenant_tx(actor.organization_id):
            member_budgets = budgets_load(membership_id=actor.membership_id, token_id=token_id)
            groups = _group_names(member_budgets.states)
        agent_limits = (limit for agent in member_budgets.agents.values() for limit in agent.limits if limit not in member_budgets.limits)
        limits = (*member_budgets.limits, *agent_limits)
        usages = limit_usages(Sender(actor.organization_id, actor.membership_id, token_id), limits)
        remaining_limits = [_remaining_limit(limit, usages[place] if usages else None) for place, limit in enumerate(limits)]
        return Limits(
            limits=remaining_limits, budgets=[_remaining_budget(budget, groups) for budget in sorted(member_budgets.states, key=_place)]
        )


def _remaining_limit(limit: Allowance, usage: LimitUsage | None) -> RemainingLimit:
    unit = MICRO if limit.measure == "cost" else 1
    return RemainingLimit(
        holder=limit.holder,
        agent=limit.agent,
        agent_label=agent_label(limit.agent),
        measure=limit.measure,
        window=limit.window,
        count=limit.count / unit,
        left=None if usage is None else max(0, limit.count - usage.amount) / unit,
        resets_in_s=None if usage is None else ceil(usage.resets_in_s),
    )


def _place(budget: BudgetState) -> tuple[int, int, str]:
    """Return the key by which the member's own budgets are first and those of all members last, each by period."""
    return -get_args(Holder).index(budget.holder), PERIODS.index(budget.period), str(budget.key.budget_id)


def _group_names(budgets: States) -> dict[UUID, str]:
    """Return the names of the groups whose budgets are among these. One statement if there are any."""
    ids = [budget.key.subject_id for budget in budgets if budget.holder == "group"]
    return dict(MemberGroup.objects.filter(pk__in=ids).values_list("pk", "name"))


def _remaining_budget(budget: BudgetState, groups: Mapping[UUID, str]) -> RemainingBudget:
    return RemainingBudget(
        holder=budget.holder,
        group=groups.get(budget.key.subject_id, ""),
        period=budget.period,
        amount_usd=float(budget.amount_usd),
        spent_usd=float(budget.spent_usd),
        left_usd=float(budget.left_usd),
        begins_anew=next_start(budget.period, utc_today()),
    )
