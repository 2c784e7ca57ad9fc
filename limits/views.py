"""REST view of the limits and budgets that a member's messages meet (docs/rest.md)."""

from __future__ import annotations

from datetime import date

from limits.accounts import budgets_load
from limits.allowances import Holder, Window
from limits.budgets import BudgetHolder, BudgetState
from limits.counters import Sender, messages_used
from limits.periods import Period, next_start, utc_today
from limits.selectors import allowances_load
from tenants.context import tenant_tx
from tenants.rest.schemas import ResponseSchema, operation
from tenants.rest.views import ActorRequest, RestView


class MessageLimitLeft(ResponseSchema):
    """`left`: how many messages of the `count` within the window may still be sent; null while the counters can't be read."""

    holder: Holder
    window: Window
    count: int
    left: int | None


class BudgetLeft(ResponseSchema):
    """`left_usd`: what may still be spent in the period, in US dollars. `begins_anew`: on which day (UTC); null: never."""

    holder: BudgetHolder
    period: Period
    amount_usd: float
    left_usd: float
    begins_anew: date | None


class MessageLimits(ResponseSchema):
    limits: list[MessageLimitLeft]
    budgets: list[BudgetLeft]


class MessageLimitsView(RestView):
    """Says what is left of each limit and budget that applies to the caller's messages."""

    @operation("getMessageLimits", "How many messages you may still send, and what they may cost", tag="usage", answer=MessageLimits)
    def get(self, request: ActorRequest) -> MessageLimits:
        actor, token_id = request.actor, request.token.token_id if request.token else None
        with tenant_tx(actor.organization_id):
            limits = allowances_load(actor, with_token=token_id is not None)
            budgets = budgets_load(membership_id=actor.membership_id, token_id=token_id)
        used = messages_used(Sender(actor.organization_id, actor.membership_id, token_id), limits)
        shown = [
            MessageLimitLeft(
                holder=limit.holder,
                window=limit.window,
                count=limit.count,
                left=None if used is None else max(0, limit.count - used[place]),
            )
            for place, limit in enumerate(limits)
        ]
        return MessageLimits(limits=shown, budgets=[_left(budget) for budget in budgets])


def _left(budget: BudgetState) -> BudgetLeft:
    return BudgetLeft(
        holder=budget.holder,
        period=budget.period,
        amount_usd=float(budget.amount_usd),
        left_usd=float(budget.left_usd),
        begins_anew=next_start(budget.period, utc_today()),
    )
