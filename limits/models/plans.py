"""Rows of plans: limits and budgets under one name, which the operator gives to organizations."""

from __future__ import annotations

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.utils.translation import gettext_lazy

from limits.models.budgets import Amount
from limits.models.rate_limits import WindowedLimit
from limits.models.scopes import Scope
from tenants.models import TenantModel


class Plan(models.Model):
    """A set of limits and budgets under a name, which the platform's operator gives to organizations."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    name = models.CharField(max_length=60, unique=True, error_messages={"unique": gettext_lazy("There is a plan with this name.")})
    description = models.CharField(max_length=200, blank=True)
    version = models.PositiveIntegerField(default=1, editable=False)  # counts its changes
    is_default = models.BooleanField(
        "default", default=False, help_text=gettext_lazy("Organizations without a plan of their own have this one, within a minute.")
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["is_default"],
                condition=models.Q(is_default=True),
                name="plan_default_once",
                violation_error_message=gettext_lazy("Another plan is the default. Take that mark away first."),
            ),
        ]

    def __str__(self) -> str:
        return self.name


PLAN_SCOPES = [(scope.value, scope.label) for scope in (Scope.ORGANIZATION, Scope.EACH_MEMBER, Scope.EACH_TOKEN)]


class PlanLimit(WindowedLimit):
    """A limit of a plan."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="limits")
    scope = models.CharField("applies to", max_length=12, choices=PLAN_SCOPES)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["plan", "scope", "measure"],
                name="plan_limit_once",
                violation_error_message=gettext_lazy("The plan has a limit for this."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_scope_display()}: {self.get_measure_display().lower()}"


class PlanBudget(Amount):
    """A budget of a plan."""

    plan = models.ForeignKey(Plan, models.CASCADE, related_name="budgets")
    scope = models.CharField("applies to", max_length=12, choices=PLAN_SCOPES)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["plan", "scope", "period"],
                name="plan_budget_once",
                violation_error_message=gettext_lazy("The plan has a budget for this."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_scope_display()}: {self.get_period_display().lower()}"


class OrganizationPlan(TenantModel):
    """The plan that an organization has, with its name, which its admins are shown. The plan itself is the platform's."""

    plan_id = models.UUIDField()
    plan_version = models.PositiveIntegerField()  # whose limits and budgets the organization has
    name = models.CharField(max_length=60)
    by_default = models.BooleanField(default=False)  # nobody gave it one of its own

    class Meta(TenantModel.Meta):
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["organization"], name="organization_plan_once"),
        ]

    def __str__(self) -> str:
        return self.name
