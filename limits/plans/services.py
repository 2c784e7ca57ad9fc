"""Gives a plan to organizations: its limits and budgets become rows of theirs, beside their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count

from limits.models import Budget, OrganizationPlan, Plan, RateLimit
from security.audit import audit, platform_audit
from tenants.context import tenant_tx

NOBODY: Mapping[str, Any] = {"role": "", "group": None, "membership": None, "assistant": None}


def plan_assign(*, organization_id: UUID, plan: Plan | None, operator_id: int) -> None:
    """Give the organization the plan, or none. Its own limits and budgets stay. Opens its own transaction; reads the plan before."""
    rows = _rows_of(plan)
    with tenant_tx(organization_id, using="default"):
        before = OrganizationPlan.objects.values_list("name", flat=True).first() or ""
        _write(plan, *rows)
        change: dict[str, Any] = {
            "actor_user_id": operator_id,
            "action": "organizationplan.operator.change",
            "object_kind": "organizationplan",
            "object_id": organization_id,
            "object_label": plan.name if plan else "",
            "before": {"plan": before},
            "after": {"plan": plan.name if plan else ""},
        }
        audit(organization_id=organization_id, **change)
    platform_audit(organization_id=organization_id, **change)


def plan_apply(plan: Plan) -> int:
    """Bring the rows of all organizations with the plan up to date, each in its own transaction; return how many have it."""
    rows = _rows_of(plan)
    found = list(OrganizationPlan.unscoped.using("system").filter(plan_id=plan.pk).values_list("organization_id", flat=True))
    for organization_id in found:
        with tenant_tx(organization_id, using="default"):
            _write(plan, *rows)
    return len(found)


def organizations_with_plans() -> dict[UUID, int]:
    """Return how many organizations have each plan. One statement."""
    return dict(OrganizationPlan.unscoped.using("system").values_list("plan_id").annotate(Count("id")).order_by())


def plan_of(organization_id: UUID) -> OrganizationPlan | None:
    return OrganizationPlan.unscoped.using("system").filter(organization_id=organization_id).first()


Rows = dict[tuple[str, str], dict[str, Any]]


def _rows_of(plan: Plan | None) -> tuple[Rows, Rows]:
    """Return what limits and budgets of the plan say, by whom they are for and what they count or their period. Two statements."""
    if plan is None:
        return {}, {}
    numbers = ("per_minute", "per_hour", "per_day", "per_month")
    amounts = ("amount_usd", "warn_percent")
    limits = {(row.scope, row.measure): {name: getattr(row, name) for name in numbers} for row in plan.limits.all()}
    budgets = {(row.scope, row.period): {name: getattr(row, name) for name in amounts} for row in plan.budgets.all()}
    return limits, budgets


def _write(plan: Plan | None, limits: Rows, budgets: Rows) -> None:
    """Make the current organization's rows those of the plan. A row that stays keeps its id, and so what was counted and spent."""
    if plan is None:
        OrganizationPlan.objects.all().delete()
    else:
        OrganizationPlan.objects.update_or_create(defaults={"plan_id": plan.pk, "name": plan.name})
    reason = {"reason": f"Plan {plan.name}" if plan else ""}
    for row in RateLimit.objects.filter(from_plan=True):
        if (row.scope, row.measure) not in limits:
            row.delete()
    for budget in Budget.objects.filter(from_plan=True):
        if (budget.scope, budget.period) not in budgets:
            budget.delete()
    for (scope, measure), values in limits.items():
        RateLimit.objects.update_or_create(from_plan=True, scope=scope, measure=measure, **NOBODY, defaults={**values, **reason})
    for (scope, period), values in budgets.items():
        Budget.objects.update_or_create(from_plan=True, scope=scope, period=period, **NOBODY, defaults={**values, **reason})
