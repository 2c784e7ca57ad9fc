"""Holds what a model call may cost in the budgets of the member it is made for, before its request leaves (docs/decisions/0049)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import ClassVar, Final, Literal
from uuid import UUID

from django.utils.translation import gettext

from admin_config.defaults.platform import agent_name
from admin_config.services.currencies import currency_on
from agents.engine.run_progress import count_steps
from agents.errors import RunError
from agents.messages import Usage
from agents.providers.usage_estimates import prompt_tokens
from agents.runtime.call_recording import CallKind, CallRecord
from limits.budget_accounts import hold_take
from limits.budget_errors import BudgetUsedUp
from limits.budgets import NO_BUDGETS, Budgets, call_estimate, fullest
from limits.call_limits import AgentLimits
from limits.counters import message_count
from limits.errors import LimitReached, LimitsUnavailable
from security.audit.refusals import refusal_count
from tenants.db import in_db

SHORT_ANSWER_TOKENS: Final = 4096  # of a call that sets no limit for its answer, such as a title


class OutOfBudget(RunError):
    """A budget has no room for another model call."""

    code = "budget_used_up"
    action: ClassVar[Literal["retry", "continue", "settings"] | None] = None


class LimitSpent(OutOfBudget):
    """A limit on tokens or cost is used up."""

    code = "limit_reached"


class AgentLimitSpent(LimitSpent):
    """A limit of one agent is used up. Other agents go on."""


class BudgetReserved(OutOfBudget):
    """What is left of a budget is held for other calls, which end soon."""

    action = "retry"


@dataclass(frozen=True, slots=True)
class CallBudgets:
    """The budgets that pay for a run's model calls, or for one call outside of a run, and the limits on tokens and cost."""

    organization_id: UUID
    budgets: Budgets = NO_BUDGETS
    run_id: UUID | None = None  # None: a call outside of a run

    async def hold(self, call: CallRecord) -> None:
        """Hold what the call may cost. Raises OutOfBudget, and LimitSpent when the last call used a limit up, or the agent has one without room.

        Without budgets and limits, nothing is asked.
        """
        call.charges = self.budgets.charges_of(call.origin.agent_key)
        for charge in call.charges:
            if charge.reached:
                raise await self._refusal(charge.reached, call)
        agent = self.budgets.agents.get(agent_name(call.origin.agent_key)) if self.budgets.agents else None
        if agent and call.origin.kind == CallKind.SUB_AGENT:
            await self._count_start(agent, call)
        if not self.budgets.states:
            return
        call.is_held = True  # first, because a hold that is taken while this is cancelled must be settled as well
        try:
            await in_db(partial(self._hold, call), organization_id=self.organization_id)
        except BudgetUsedUp as error:
            call.is_held = False
            refusal_count(error, organization_id=self.organization_id)
            raise (BudgetReserved if error.action else OutOfBudget)(error.message) from error

    async def _count_start(self, agent: AgentLimits, call: CallRecord) -> None:
        """Count a run of a sub-agent with its first call. The run of the agent that answers was counted with the message."""
        if count_steps(call.request.entries):
            return  # counted with its first call, in another process or long before a person decided about a tool call
        parent = call.origin.parent_call_id
        counted_as = f"{self.run_id}-{parent}" if parent and self.run_id else call.id.hex
        try:
            await message_count(agent.sender, agent.limits, message=counted_as)
        except LimitReached as error:
            raise await self._refusal(error, call) from error
        except LimitsUnavailable as error:
            raise AgentLimitSpent(gettext("Answers of this agent can't be counted at the moment. Try again in a minute.")) from error

    async def _refusal(self, limit: LimitReached, call: CallRecord) -> LimitSpent:
        """Return what refuses a call, in the organization's currency. It is counted among the violations."""
        refusal_count(limit, organization_id=self.organization_id)
        limit.say_in(await in_db(currency_on, organization_id=self.organization_id))
        if limit.allowance.holder != "agent":
            return LimitSpent(limit.message)
        if limit.allowance.for_visitor and call.origin.kind == CallKind.SUB_AGENT:
            # The chat goes on, and what the calling agent reads here it may tell the visitor.
            return AgentLimitSpent(gettext("This agent can't work at the moment. Go on without it."))
        return AgentLimitSpent(limit.message)

    def _hold(self, call: CallRecord) -> None:
        """Raises BudgetUsedUp, which rolls the transaction back."""
        keys = [state.key for state in self.budgets.states]
        full = hold_take(keys, call_id=call.id, amount_usd=most_cost(call))
        if full:
            raise BudgetUsedUp(replace(fullest(full), for_visitor=self.budgets.states[0].for_visitor))


def most_cost(call: CallRecord) -> Decimal | None:
    """Return the most that the call may cost in US dollars, or None when its price is unknown."""

    def price(prompt: int, output: int, thinking: int) -> float | None:
        return call.price(call.request.model, Usage(input_tokens=prompt, output_tokens=output, thinking_tokens=thinking))

    limit = call.request.settings.max_output_tokens or SHORT_ANSWER_TOKENS
    return call_estimate(prompt_tokens=prompt_tokens(call.request), output_tokens=limit, price=price)
