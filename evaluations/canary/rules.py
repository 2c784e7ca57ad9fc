"""What ends a canary: how much worse each measure may be, and when there is enough to decide."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from evaluations.translation import gettext_noop as _

Limit = float | None  # None: this measure decides nothing


class Rules(BaseModel):
    """The rules of a canary. Limits are in points for shares, in per cent for cost and times, each beside the live release."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    is_automatic: bool = Field(True, title=_("Take back and promote by itself"))
    failed: Limit = Field(2, ge=0, le=100, title=_("Failed runs, points more"))
    stopped: Limit = Field(3, ge=0, le=100, title=_("Stopped answers, points more"))
    regenerated: Limit = Field(3, ge=0, le=100, title=_("Regenerated, points more"))
    thumbs_down: Limit = Field(5, ge=0, le=100, title=_("Thumbs down, points more"))
    cost: Limit = Field(25, ge=0, le=1000, title=_("Cost of a run, % more"))
    first_token: Limit = Field(50, ge=0, le=1000, title=_("Time to first token, % more"))
    duration: Limit = Field(50, ge=0, le=1000, title=_("Time of an answer, % more"))
    min_runs: int = Field(50, ge=20, le=100_000, title=_("Canary runs before taking back"))
    promote_runs: int = Field(400, ge=50, le=1_000_000, title=_("Canary runs before promoting"))
    promote_days: int = Field(1, ge=0, le=90, title=_("Days before promoting"))
    ask_days: int = Field(14, ge=1, le=365, title=_("Days until admins are asked"))

    @property
    def limits(self) -> dict[str, float]:
        """The limits of the measures that decide."""
        limits = {name: getattr(self, name) for name in LIMITS}
        return {name: float(limit) for name, limit in limits.items() if limit is not None}


LIMITS = ("failed", "stopped", "regenerated", "thumbs_down", "cost", "first_token", "duration")
NUMBERS = ("min_runs", "promote_runs", "promote_days", "ask_days")


def fields_of(rules: Rules) -> list[dict[str, Any]]:
    """Return the rules as a form shows them."""
    return [
        {"name": name, "label": Rules.model_fields[name].title, "value": getattr(rules, name), "is_limit": name in LIMITS}
        for name in (*LIMITS, *NUMBERS)
    ]
