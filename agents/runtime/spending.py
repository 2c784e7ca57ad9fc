"""Holds what a model call may cost in the budgets of the member it is made for, before its request leaves (docs/decisions/0049)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import ClassVar, Final, Literal
from uuid import UUID

from admin_config.services.currencies import currency_on
from agents.engine.errors import RunError
from agents.engine.messages import Usage
from agents.providers.usage_estimates import prompt_tokens
from agents.runtime.call_recording import CallRecord
from limits.accounts import hold_take
from limits.budgets import NO_BUDGETS, Budgets, call_estimate, fullest
from limits.errors import BudgetUsedUp
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


class BudgetReserved(OutOfBudget):
    """What is left of a budget is held for other calls, which end soon."""

    action = "retry"


@dataclass(frozen=True, slots=True)
class CallBudgets:
    """The budgets that pay for a run's model calls, or for one call outside of a run, and the limits on tokens and cost."""

    organization_id: UUID
    budgets: Budgets = NO_BUDGETS

    async def hold(self, call: CallRecord) -> None:
        """Hold what the call may cost. Raises OutOfBudget, and LimitSpent when the last call used a limit up.

        Without budgets, nothing is asked.
        """
        call.charge = self.budgets.charge
        if call.charge and call.charge.reached:
            reached = call.charge.reached
            refusal_count(reached, organization_id=self.organization_id)
            reached.say_in(await in_db(currency_on, organization_id=self.organization_id))
            raise LimitSpent(reached.message)
        if not self.budgets.states:
            return
        call.is_held = True  # first, because a hold that is taken while this is cancelled must be settled as well
        try:
            await in_db(partial(self._hold, call), organization_id=self.organization_id)
        except BudgetUsedUp as error:
            call.is_held = False
            refusal_count(error, organization_id=self.organization_id)
            raise (BudgetReserved if error.action else OutOfBudget)(error.message) from error

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
