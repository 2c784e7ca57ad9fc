"""Reads what was spent of budgets in their current periods, for admins' pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db.models import F, IntegerField, Q, QuerySet
from django.db.models.expressions import RawSQL

from limits.models import NEAR_OVER, Budget, BudgetAccount, Scope
from limits.periods import PERIODS, period_start, utc_today
from tenants.models import ApiToken, Membership

MAX_SHOWN = 20  # accounts on a budget's page
# What the names of accounts' budgets need.
ACCOUNT_NAMES: Final = ("budget__group", "budget__membership__user", "budget__assistant", "budget__embed_site")
# SQL: from which share on budget {0} goes to its end, as limits.models.budgets.Amount.near_percent.
NEAR_PERCENT: Final = f"COALESCE((SELECT min(p) FROM unnest({{0}}.alert_percents) AS p WHERE p > {NEAR_OVER}), 100)"  # noqa: S608
IS_NEAR_END = Q(spent_usd__gt=0, spent_usd__gte=F("budget__amount_usd") * F("near_percent") / 100)
IS_OF_ALL = Q(budget__scope=Scope.ORGANIZATION)


@dataclass(frozen=True, slots=True)
class Spending:
    """What one holder has spent of a budget. `who`: "" for a budget with one account."""

    who: str
    account: BudgetAccount
    amount_usd: Decimal

    @property
    def percent(self) -> int:
        return share_percent(self.account.spent_usd, self.amount_usd)

    @property
    def is_near_end(self) -> bool:
        return self.account.spent_usd > 0 and self.percent >= self.account.budget.near_percent


def current_accounts() -> QuerySet[BudgetAccount]:
    """Return the accounts of the periods that run now, those with the most spent first."""
    today = utc_today()
    runs = Q()
    for period in PERIODS:
        runs |= Q(budget__period=period, starts_on=period_start(period, today))
    return BudgetAccount.objects.filter(runs).order_by("-spent_usd")


def spending_of(budget: Budget) -> list[Spending]:
    """Return the holders with the most spent, at most MAX_SHOWN. Two statements."""
    accounts = list(current_accounts().filter(budget=budget)[:MAX_SHOWN])
    names = holder_names(budget, [account.subject_id for account in accounts])
    return [Spending(names.get(account.subject_id, ""), account, budget.amount_usd) for account in accounts]


def accounts_to_watch() -> QuerySet[BudgetAccount]:
    """Return the accounts of active budgets that go to their end, and those of the organization as a whole: of each budget the fullest."""
    accounts = current_accounts().filter(Q(budget__last_day=None) | Q(budget__last_day__gte=utc_today()), budget__is_active=True)
    near: Any = RawSQL(NEAR_PERCENT.format(Budget._meta.db_table), (), output_field=IntegerField())  # noqa: S611 - no value is in it
    watched_accounts = accounts.annotate(near_percent=near).filter(IS_NEAR_END | IS_OF_ALL)
    return watched_accounts.order_by("budget_id", "-spent_usd").distinct("budget_id").select_related(*ACCOUNT_NAMES)


def share_percent(spent_usd: Decimal, amount: Decimal) -> int:
    """Return how much of the amount is spent; 100 for an amount of zero."""
    return int(spent_usd * 100 / amount) if amount else 100


def holder_names(budget: Budget, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the names of the members or tokens with these accounts; none for who is gone, and of a budget for one. One statement at most."""
    if budget.is_for_one:
        return {}
    if budget.scope == Scope.EACH_TOKEN:
        return dict(ApiToken.objects.filter(pk__in=ids).values_list("pk", "name"))
    members = Membership.objects.filter(pk__in=ids, organization_id=budget.organization_id).select_related("user")
    return {member.pk: str(member.user) for member in members}
