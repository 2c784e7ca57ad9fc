"""Which budgets a member's model calls are charged to, and what a call may cost. Pure functions, no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from admin_config.defaults.platform import agent_name
from limits.allowances import PERSONAL, Allowances, Holder
from limits.call_limits import AgentLimits, Charge
from limits.periods import PERIODS, Period

_NARROWEST_FIRST: Final = tuple(PERSONAL)
DECIMALS: Final = Decimal("0.00000001")  # of amounts in accounts


@dataclass(frozen=True, slots=True)
class BudgetKey:
    """Names an account: a budget, and who it is for (the organization, a group, a membership, an API token, an assistant or an embedded chat)."""

    budget_id: UUID
    subject_id: UUID


@dataclass(frozen=True, slots=True)
class BudgetState:
    """A budget that applies to a member's calls, with its account of the current period."""

    key: BudgetKey
    scope: str  # one of limits.models.Scope, or "plan_member"
    period: Period
    amount_usd: Decimal
    spent_usd: Decimal
    held_usd: Decimal  # for calls under way
    for_visitor: bool = False  # as in limits.allowances.Allowance

    @property
    def holder(self) -> Holder:
        match self.scope:
            case "organization" | "assistant" | "embed":
                return self.scope
            case "all_of_group":
                return "group"
            case "each_token":
                return "token"
        return PERSONAL[self.scope]

    @property
    def left_usd(self) -> Decimal:
        """What can be spent, without what is held; never below zero."""
        return max(self.amount_usd - self.spent_usd, Decimal())

    @property
    def is_used_up(self) -> bool:
        return self.spent_usd >= self.amount_usd


States = tuple[BudgetState, ...]


@dataclass(frozen=True, slots=True)
class Budgets:
    """What pays for a member's model calls, and what limits them."""

    states: States = ()
    limits: Allowances = ()
    charge: Charge | None = None  # of the limits on tokens and cost, but for those of agents; None without any
    agents: Mapping[str, AgentLimits] = field(default_factory=dict)  # by the agents' names

    def charges_of(self, agent_key: str) -> tuple[Charge, ...]:
        """Return what a call of this agent is charged to."""
        own = self.agents.get(agent_name(agent_key)) if self.agents else None
        return tuple(charge for charge in (self.charge, own and own.charge) if charge)


NO_BUDGETS: Final = Budgets()


def states_from(rows: Iterable[Sequence[Any]] | None) -> States:
    """Return the budgets from rows as limits.budget_accounts reads them."""
    return _deciding_states([_state(row) for row in rows or ()])


def _state(row: Sequence[Any]) -> BudgetState:
    budget_id, subject_id, scope, period, for_visitor, *amounts = row
    amount_usd, spent_usd, held_usd = map(Decimal, amounts)
    return BudgetState(BudgetKey(UUID(budget_id), UUID(subject_id)), scope, period, amount_usd, spent_usd, held_usd, for_visitor)


def _deciding_states(states: Sequence[BudgetState]) -> States:
    """Return those that count: of a period's budgets for the member, the narrowest; of several groups', the most generous."""
    own: dict[Period, BudgetState] = {}
    for state in states:
        if state.scope in PERSONAL and (state.period not in own or _rank(state) < _rank(own[state.period])):
            own[state.period] = state
    return tuple(state for state in states if state.scope not in PERSONAL or own[state.period] is state)


def _rank(state: BudgetState) -> tuple[int, Decimal]:
    return _NARROWEST_FIRST.index(state.scope), -state.amount_usd


def call_estimate(*, prompt_tokens: int, output_tokens: int, price: Callable[[int, int, int], float | None]) -> Decimal | None:
    """Return the most that a call may cost in US dollars, or None when its price is unknown.

    `price(prompt, output, thinking)`: of these numbers of tokens. Nothing is taken to come from the provider's cache. The answer may be
    text or thinking, whichever costs more.
    """
    costs = [price(prompt_tokens, output_tokens, 0), price(prompt_tokens, 0, output_tokens)]
    known_costs = [cost for cost in costs if cost is not None]
    return Decimal(str(max(known_costs))).quantize(DECIMALS) if known_costs else None


def fullest(states: Sequence[BudgetState]) -> BudgetState:
    """Return the one that a refusal names, of budgets without room: one that is used up, before one whose rest is held.

    Of several used up, the one that stays so longest: what allows nothing, then by the length of its period.
    """
    return max(states, key=lambda state: (state.is_used_up, not state.amount_usd, PERIODS.index(state.period)))
