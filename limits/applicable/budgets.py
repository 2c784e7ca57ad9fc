"""Reads the budgets that apply to a member's messages, and what is spent of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from django.db.models import Q

from limits.applicable.limits import NAME_RELATIONS, is_in_force
from limits.budgets import Budgets
from limits.models import Budget, BudgetAccount, Scope
from limits.spending import current_accounts
from tenants.models import ApiToken


@dataclass(frozen=True, slots=True)
class ApplicableBudget:
    """A budget that applies, and what is spent and held of it in US dollars. `token`: the name of the API token whose it is, else ""."""

    row: Budget
    spent_usd: Decimal
    held_usd: Decimal
    token: str = ""


def budgets_of(member_budgets: Budgets, tokens: Sequence[ApiToken]) -> list[ApplicableBudget]:
    """Return the budgets that pay for the member's messages, and those of the assistants and API tokens that may be used. Two statements.

    `member_budgets`: what decides for the member's messages.
    """
    subject_ids = {state.key.budget_id: state.key.subject_id for state in member_budgets.states if state.scope != Scope.EACH_TOKEN}
    of_others = Q(is_in_force(), is_active=True, scope__in=(Scope.ASSISTANT, Scope.EACH_TOKEN))
    rows = list(Budget.objects.filter(Q(pk__in=subject_ids) | of_others).select_related(*NAME_RELATIONS))
    holders = [(row, subject, token) for row in rows for subject, token in _subjects(row, subject_ids, tokens)]
    accounts = current_accounts().filter(budget__in=rows, subject_id__in={subject for _, subject, _ in holders})
    accounts_by_key = {(account.budget_id, account.subject_id): account for account in accounts}
    return [_budget(row, accounts_by_key.get((row.pk, subject)), token) for row, subject, token in holders]


def _subjects(row: Budget, subject_ids: dict[UUID, UUID], tokens: Sequence[ApiToken]) -> Iterator[tuple[UUID, str]]:
    """Yield whose accounts of the budget the member's messages are charged to, and the names of API tokens."""
    if row.scope == Scope.EACH_TOKEN:
        yield from ((token.pk, token.name) for token in tokens)
    elif row.assistant_id is not None:
        yield row.assistant_id, ""
    else:
        yield subject_ids[row.pk], ""


def _budget(row: Budget, account: BudgetAccount | None, token: str) -> ApplicableBudget:
    spent_usd, held_usd = (account.spent_usd, account.held_usd) if account else (Decimal(), Decimal())
    return ApplicableBudget(row, spent_usd, held_usd, token)
