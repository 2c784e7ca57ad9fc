"""Which counters a plan's limits share with an organization's own. Read by the pages of limits."""

from __future__ import annotations

from limits.models import RateLimit, Scope


def measures_of_plan(scope: Scope) -> set[str]:
    """Return what limits of the plan count by the same counters: whoever emptied those would get around the plan. One statement."""
    plan_scope = Scope.EACH_MEMBER if scope == Scope.MEMBER else scope  # what each member has counts by the member's own counters
    return set(RateLimit.objects.filter(from_plan=True, scope=plan_scope).values_list("measure", flat=True))
