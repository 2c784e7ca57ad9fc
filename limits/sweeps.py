"""Sweeps over the budgets of all organizations: holds of lost calls, and accounts that go to their end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

from django.db.models import F, Q
from django.db.models.functions import Now

from limits.models import BudgetAccount, Hold
from limits.periods import FIRST_DAY, period_start, utc_today


def holds_expired(limit: int) -> Mapping[UUID, set[UUID]]:
    """Return the ids of the calls whose process is lost, by organization, the oldest holds first, at most `limit`."""
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    expired = Hold.unscoped.using("system").filter(until__lt=Now()).order_by("until")
    for organization_id, call_id in expired.values_list("organization_id", "call_id")[:limit]:
        found[organization_id].add(call_id)
    return found


def organizations_to_warn() -> list[UUID]:
    """Return the organizations with an account that goes to its end, of which their owners have not been told."""
    now = Q(starts_on__gte=period_start("month", utc_today())) | Q(starts_on=FIRST_DAY)
    near = BudgetAccount.unscoped.using("system").filter(
        now, warned_at=None, spent_usd__gt=0, spent_usd__gte=F("budget__amount_usd") * F("budget__warn_percent") / 100
    )
    found = near.filter(budget__is_active=True, organization__is_active=True).order_by("organization_id")
    return list(found.values_list("organization_id", flat=True).distinct())
