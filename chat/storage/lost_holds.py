"""Settles what budgets hold for model calls whose process died before it wrote their row in the call log (docs/decisions/0049)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from chat.models import ModelCall
from limits.budget_accounts import SettledCall, holds_settle
from limits.sweeps import expired_holds
from tenants.context import tenant_tx

BATCH = 1000


def lost_holds_settle() -> int:
    """Settle expired holds of any organization, at most BATCH; return of how many calls.

    By what the call log says, else all that was held is taken for spent, as an estimate.
    """
    expired = expired_holds(BATCH)
    for organization_id, call_ids in expired.items():
        with tenant_tx(organization_id):
            holds_settle(_settled_calls(call_ids))
    return sum(map(len, expired.values()))


def _settled_calls(call_ids: Collection[UUID]) -> list[SettledCall]:
    logged = ModelCall.objects.filter(pk__in=call_ids).values_list("pk", "cost_usd", "is_estimated")
    known = {call_id: SettledCall(call_id, cost_usd, is_estimated) for call_id, cost_usd, is_estimated in logged}
    return [known.get(call_id) or SettledCall(call_id, None, is_estimated=True) for call_id in call_ids]
