"""Settles what budgets hold for model calls whose process died before it wrote their row in the call log (docs/decisions/0049)."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from chat.models import ModelCall
from limits.budget_accounts import SettledCall, holds_settle
from limits.sweeps import expired_holds
from tenants.context import tenant_tx
from tenants.models import Organization
from tenants.rounds import organizations_round

BATCH = 1000


def lost_holds_settle() -> int:
    """Settle expired holds of any organization, at most BATCH; return of how many calls.

    By what the call log says, else all that was held is taken for spent, as an estimate.
    """
    holds_by_organization = expired_holds(BATCH)
    organizations = Organization.objects.using("system").filter(pk__in=holds_by_organization)
    return organizations_round(lambda pk: _settle(pk, holds_by_organization[pk]), failure="holds_not_settled", organizations=organizations)


def _settle(organization_id: UUID, call_ids: Collection[UUID]) -> int:
    with tenant_tx(organization_id):
        holds_settle(_settled_calls(call_ids))
    return len(call_ids)


def _settled_calls(call_ids: Collection[UUID]) -> list[SettledCall]:
    rows = ModelCall.objects.filter(pk__in=call_ids).values_list("pk", "cost_usd", "is_estimated")
    calls_by_id = {call_id: SettledCall(call_id, cost_usd, is_estimated) for call_id, cost_usd, is_estimated in rows}
    return [calls_by_id.get(call_id) or SettledCall(call_id, None, is_estimated=True) for call_id in call_ids]
