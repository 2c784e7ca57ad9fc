"""Gives a plan to organizations: its limits and budgets become rows of theirs, beside their own. The default plan is for all without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import structlog
from celery import current_app
from django.db import transaction
from django.db.models import Count, F, QuerySet
from kombu.exceptions import KombuError

from limits.models import NUMBERS, Budget, OrganizationPlan, Plan, RateLimit
from security.audit import audit, platform_audit
from tenants.context import tenant_tx
from tenants.models import Organization

log = structlog.get_logger(__name__)

TASK: Final = "limits.tasks.plans_apply"
PLATFORM: Final = "auth"  # the role of the operator's site, which alone may read plans
NOBODY: Mapping[str, Any] = {"role": "", "group": None, "membership": None, "assistant": None, "embed_site": None}


def plan_assign(*, organization_id: UUID, plan: Plan | None, operator_id: int) -> None:
    """Give the organization the plan, or none: then it has the default one, if any. Its own limits and budgets stay.

    Opens its own transactions. The plan is locked meanwhile: a change of it is either in the rows already, or comes after them and finds the organization.
    """
    with transaction.atomic(using=PLATFORM):
        locked = _plans().select_for_update()
        new_plan = locked.get(pk=plan.pk) if plan else locked.filter(is_default=True).first()
        with tenant_tx(organization_id, using="default"):
            before = OrganizationPlan.objects.values_list("name", flat=True).first() or ""
            _write(new_plan, by_default=plan is None)
            change: dict[str, Any] = {
                "actor_user_id": operator_id,
                "action": "organizationplan.operator.change",
                "object_kind": "organizationplan",
                "object_id": organization_id,
                "object_label": new_plan.name if new_plan else "",
                "before": {"plan": before},
                "after": {"plan": new_plan.name if new_plan else ""},
            }
            audit(organization_id=organization_id, **change)
        platform_audit(organization_id=organization_id, **change)


def plan_note_change(plan_id: UUID) -> None:
    """Note that the plan was changed, inside the transaction of the change. A worker brings it to the organizations that have it."""
    Plan.objects.using(PLATFORM).filter(pk=plan_id).update(version=F("version") + 1)
    transaction.on_commit(_enqueue, using=PLATFORM)


def _enqueue() -> None:
    """Have a worker apply it now. While the broker is down this is only logged: each minute looks for changes."""
    try:
        current_app.send_task(TASK, expires=60, retry=False)
    except (KombuError, OSError) as error:
        log.warning("plans_not_queued", reason=type(error).__name__)


def plans_apply() -> int:
    """Bring organizations up to date whose plan was changed, or that have no plan of their own and another default, or none.

    Each has its own transaction. Returns how many it brought there. An organization that got another plan meanwhile keeps that one. What the plan
    says is read under the organization's lock, so of two changes at once the later one stays.
    """
    versions = dict(Plan.objects.using(PLATFORM).values_list("pk", "version"))
    default_id = Plan.objects.using(PLATFORM).filter(is_default=True).values_list("pk", flat=True).first()
    organization_plans = {row.organization_id: row for row in OrganizationPlan.unscoped.using("system")}
    organizations = Organization.objects.using("system").values_list("pk", flat=True)
    behind = [pk for pk in organizations if _is_behind(organization_plans.get(pk), versions, default_id)]
    return sum(_try_apply_plan(organization_id, default_id) for organization_id in behind)


def _try_apply_plan(organization_id: UUID, default_id: UUID | None) -> bool:
    try:
        _apply_plan(organization_id, default_id)
    except Exception:  # must not keep the others from their plans; the next round tries this one again
        log.exception("plan_not_applied", organization_id=str(organization_id))
        return False
    return True


def _apply_plan(organization_id: UUID, default_id: UUID | None) -> None:
    """Make the organization's rows those of the plan that it has now."""
    with tenant_tx(organization_id, using="default"):
        if default_id is not None:  # so that there is a row to lock, whoever else gives the organization a plan now
            first = OrganizationPlan(plan_id=default_id, plan_version=0, by_default=True)
            OrganizationPlan.objects.bulk_create([first], ignore_conflicts=True)
        row = OrganizationPlan.objects.select_for_update().first()
        if row is not None and not row.by_default:
            _write(_plans().get(pk=row.plan_id), by_default=False)
        else:
            _write(_plans().filter(is_default=True).first(), by_default=True)


def _is_behind(row: OrganizationPlan | None, versions: Mapping[UUID, int], default_id: UUID | None) -> bool:
    if row is None:
        return default_id is not None
    is_of_former_default = row.by_default and row.plan_id != default_id
    return is_of_former_default or versions.get(row.plan_id, row.plan_version) != row.plan_version


def organizations_with_plans() -> dict[UUID, int]:
    """Return how many organizations have each plan. One statement."""
    return dict(OrganizationPlan.unscoped.using("system").values_list("plan_id").annotate(Count("id")).order_by())


def plan_of(organization_id: UUID) -> OrganizationPlan | None:
    return OrganizationPlan.unscoped.using("system").filter(organization_id=organization_id).first()


def _plans() -> QuerySet[Plan]:
    """Return plans with their limits and budgets, read as the role that may. Three statements."""
    return Plan.objects.using(PLATFORM).prefetch_related("limits", "budgets")


Rows = dict[tuple[str, str], dict[str, Any]]


def _rows_of(plan: Plan) -> tuple[Rows, Rows]:
    """Return what limits and budgets of the plan say, by whom they are for and what they count or their period."""
    amounts = ("amount_usd", "alert_percents")
    limits = {(row.scope, row.measure): {name: getattr(row, name) for name in (*NUMBERS, "when_away")} for row in plan.limits.all()}
    budgets = {(row.scope, row.period): {name: getattr(row, name) for name in amounts} for row in plan.budgets.all()}
    return limits, budgets


def _write(plan: Plan | None, *, by_default: bool) -> None:
    """Make the current organization's rows those of the plan. A row that stays keeps its id, and so what was counted and spent."""
    limits, budgets = _rows_of(plan) if plan else ({}, {})
    if plan is None:
        OrganizationPlan.objects.all().delete()
    else:
        values = {"plan_id": plan.pk, "plan_version": plan.version, "name": plan.name, "by_default": by_default}
        OrganizationPlan.objects.update_or_create(defaults=values)
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
