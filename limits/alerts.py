"""What owners are to be told of budgets: each share that an admin chose and the whole, once in a period for each account (docs/decisions/0112).

An account remembers what was spent when owners were last told, and which share that was. A share is due when so much is spent, unless they
were told of as much money and of as large a share already. So a changed amount or other shares say nothing twice, and hide nothing that is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connection

from limits.models import BudgetAccount
from limits.periods import FIRST_DAY
from limits.spending import ACCOUNT_NAMES, holder_names, share_percent
from tenants.context import current_organization_id

USED_UP: Final = 100  # percent: a share of each budget, whatever shares an admin chose
LATE: Final = "interval '1 hour'"  # so long after its end a period is still told of: calls that began in it are booked in it
LOCK_SPACE: Final = 112  # of the advisory locks of alerts
_TODAY: Final = "(%(now)s AT TIME ZONE 'UTC')::date"
_LATEST: Final = f"((%(now)s - {LATE}) AT TIME ZONE 'UTC')::date"  # the last day of a period that is told of
_STARTS: Final = f"CASE b.period WHEN 'day' THEN {{day}} WHEN 'month' THEN date_trunc('month', {{day}})::date ELSE DATE '{FIRST_DAY}' END"
# The accounts of which owners are to be told.
DUE: Final = f"""\
SELECT a.organization_id, a.budget_id, a.id
FROM limits_budgetaccount a
JOIN limits_budget b ON b.organization_id = a.organization_id AND b.id = a.budget_id
CROSS JOIN LATERAL (
    SELECT max(p) AS percent FROM unnest(b.alert_percents || {USED_UP}) AS p WHERE a.spent_usd * 100 >= b.amount_usd * p
) AS due
WHERE a.starts_on IN ({_STARTS.format(day=_TODAY)}, {_STARTS.format(day=_LATEST)}) AND b.is_active AND a.spent_usd > 0 AND due.percent IS NOT NULL
    AND (b.last_day IS NULL OR b.last_day >= {_LATEST})
    AND (a.alerted_usd IS NULL OR a.alerted_usd * 100 < b.amount_usd * due.percent OR a.alerted_percent < due.percent)"""  # noqa: S608 - no value is in it

_DUE_HERE: Final = f"SELECT id FROM ({DUE}) AS due WHERE organization_id = %(organization)s AND budget_id = %(budget)s"  # noqa: S608 - no value is in it


@dataclass(frozen=True, slots=True)
class Alert:
    """An account of which owners are to be told. `who`: the member or token whose it is; "" for a budget with one account."""

    account: BudgetAccount
    who: str

    @property
    def percent(self) -> int:
        """How much is spent."""
        return share_percent(self.account.spent_usd, self.account.budget.amount_usd)

    @property
    def reached(self) -> int:
        """The highest of the budget's shares, or USED_UP, that is spent; 0: none any more, as an admin has just changed it."""
        return max((percent for percent in (*self.account.budget.alert_percents, USED_UP) if self.percent >= percent), default=0)


def alerts_claim(budget_id: UUID, now: datetime) -> list[Alert]:
    """Return what is due of a budget of the current organization, the most spent first; nothing while another worker has it.

    No other worker has it until the caller's transaction ends, in which it tells owners and calls `alerts_note`. Four statements at most.
    `now`: of the caller.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s))", [str(budget_id), LOCK_SPACE])
        if not cursor.fetchone()[0]:
            return []
        cursor.execute(_DUE_HERE, {"now": now, "organization": current_organization_id(), "budget": budget_id})
        due = [account_id for (account_id,) in cursor.fetchall()]
    accounts = list(BudgetAccount.objects.filter(pk__in=due).select_related(*ACCOUNT_NAMES).order_by("-spent_usd", "pk"))
    names = holder_names(accounts[0].budget, [account.subject_id for account in accounts]) if accounts else {}
    alerts = [Alert(account, names.get(account.subject_id, "")) for account in accounts]
    return [alert for alert in alerts if alert.reached]


def alerts_note(alerts: Sequence[Alert]) -> None:
    """Note that owners are told. Accounts are locked in the order in which model calls lock them (limits.budget_accounts). Two statements."""
    for alert in alerts:
        alert.account.alerted_usd = alert.account.spent_usd
        alert.account.alerted_percent = min(100, alert.percent)
    accounts = [alert.account for alert in alerts]
    locked = BudgetAccount.objects.filter(pk__in=[account.pk for account in accounts]).order_by("budget_id", "subject_id", "starts_on")
    list(locked.select_for_update().values_list("pk"))
    BudgetAccount.objects.bulk_update(accounts, ["alerted_usd", "alerted_percent"])
