"""Sweeps over the budgets of all organizations: holds of lost calls, and alerts of budgets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import connections
from django.db.models.functions import Now

from limits.alerts import DUE
from limits.models import Hold

_BUDGETS: Final = f"""\
SELECT DISTINCT o.id, due.budget_id FROM ({DUE}) AS due JOIN tenants_organization o ON o.id = due.organization_id WHERE o.is_active
"""  # noqa: S608 - no value is in it


def expired_holds(limit: int) -> Mapping[UUID, set[UUID]]:
    """Return the ids of the calls whose process is lost, by organization, the oldest holds first, at most `limit`."""
    call_ids: defaultdict[UUID, set[UUID]] = defaultdict(set)
    holds = Hold.unscoped.using("system").filter(until__lt=Now()).order_by("until")
    for organization_id, call_id in holds.values_list("organization_id", "call_id")[:limit]:
        call_ids[organization_id].add(call_id)
    return call_ids


def budgets_to_alert(now: datetime) -> list[tuple[UUID, UUID]]:
    """Return the active organizations and their budgets of which owners are to be told."""
    with connections["system"].cursor() as cursor:
        cursor.execute(_BUDGETS, {"now": now})
        return list(cursor.fetchall())
