"""Which organizations the operator's overview shows, as its address says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy

from tenants.input.short_text import short_text
from usage.platform.organization_health import TROUBLES

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MAX_SEARCH: Final = 60  # characters
NO_PLAN: Final = "none"
OF_PLAN: Final = "plan:"  # before a plan's name
HEALTHY: Final = "healthy"
HEALTH: Final[Mapping[str, StrOrPromise]] = {HEALTHY: gettext_lazy("Healthy"), **TROUBLES}
ACTIVE: Final[Mapping[str, StrOrPromise]] = {
    "1": gettext_lazy("In the last 24 hours"),
    "7": gettext_lazy("In the last 7 days"),
    "30": gettext_lazy("In the last 30 days"),
    "longer": gettext_lazy("Longer ago, or never"),
}
_LONGER_THAN: Final = 30  # days
# Each of `f`, a row of usage.platform.organizations.
_CONDITIONS: Final[Mapping[str, str]] = {
    "q": "(strpos(lower(f.name), lower(%(q)s)) > 0 or strpos(f.slug, lower(%(q)s)) > 0)",
    "plan": "f.plan = %(plan)s",
    "health": "%(health)s = any(f.troubles)",
    "active": "f.active_at >= now() - %(active)s * interval '1 day'",
}


@dataclass(frozen=True, slots=True)
class OrganizationFilters:
    """Empty fields let all through."""

    q: str = ""  # a part of the name or the address
    plan: str = ""  # NO_PLAN, or OF_PLAN with a name
    health: str = ""  # a key of HEALTH
    active: str = ""  # a key of ACTIVE

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> OrganizationFilters:
        """Return what an address asks for. What is no filter is left out."""
        plan = parameters.get("plan", "").replace("\x00", "")
        return cls(
            q=short_text(parameters.get("q", ""), at_most=MAX_SEARCH),
            plan=plan if plan == NO_PLAN or plan.startswith(OF_PLAN) else "",
            health=parameters.get("health", "") if parameters.get("health") in HEALTH else "",
            active=parameters.get("active", "") if parameters.get("active") in ACTIVE else "",
        )

    def query(self) -> dict[str, str]:
        """Return what of an address says the same."""
        fields = {"q": self.q, "plan": self.plan, "health": self.health, "active": self.active}
        return {name: value for name, value in fields.items() if value}

    def sql(self) -> tuple[str, dict[str, Any]]:
        """Return a condition and its values."""
        conditions = {name: _CONDITIONS[name] for name in self.query()}
        values: dict[str, Any] = {"q": self.q, "plan": self.plan.removeprefix(OF_PLAN), "health": self.health, "active": self.active}
        if self.plan == NO_PLAN:
            values["plan"] = ""
        if self.health == HEALTHY:
            conditions["health"] = "f.troubles = array[]::text[]"
        if self.active == "longer":
            conditions["active"] = f"coalesce(f.active_at < now() - interval '{_LONGER_THAN} days', true)"
        elif self.active:
            values["active"] = int(self.active)
        return " and ".join(conditions.values()) or "true", values
