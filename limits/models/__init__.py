"""Models of limits on messages, runs, tokens and cost, of budgets, and of plans, which have some of both.

Import the models from here; each module holds one group.
"""

from __future__ import annotations

from limits.models.budgets import NEAR_OVER, Budget, BudgetAccount, Hold
from limits.models.plans import OrganizationPlan, Plan, PlanBudget, PlanLimit
from limits.models.rate_limits import NUMBERS, OutagePolicy, RateLimit, WindowedLimit
from limits.models.scopes import EMBED_SCOPES, GROUP_SCOPES, Scope, ScopedModel

__all__ = [
    "EMBED_SCOPES",
    "GROUP_SCOPES",
    "NEAR_OVER",
    "NUMBERS",
    "Budget",
    "BudgetAccount",
    "Hold",
    "OrganizationPlan",
    "OutagePolicy",
    "Plan",
    "PlanBudget",
    "PlanLimit",
    "RateLimit",
    "Scope",
    "ScopedModel",
    "WindowedLimit",
]
