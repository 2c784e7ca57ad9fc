"""The canary on the overview of an organization: how it did when its rules looked last, which costs no sum over its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from admin_config.models import Canary
from evaluations.admin.canaries import Drawing, drawing_of, verdict
from evaluations.canary.measures import Measure
from evaluations.canary.rules import Rules
from evaluations.models import CanaryLook

SHOWN_DAYS: Final = timedelta(days=7)
FEW_RUNS: Final = 10  # fewer tell no pace
MAX_FORECAST: Final = timedelta(days=180)  # the page names a day without its year


@dataclass(frozen=True, slots=True)
class CanaryCard:
    """How the canary under way did at its last look. `looked_at`: None before the first one, in its first minute."""

    canary: Canary
    rules: Rules
    looked_at: datetime | None
    canary_runs: int
    measures: Sequence[Measure]

    @property
    def lines(self) -> list[tuple[Measure, Drawing | None]]:
        return [(measure, drawing_of(measure)) for measure in self.measures]

    @property
    def verdict(self) -> str:
        return verdict(self.rules, self.canary_runs, self.measures)

    @property
    def decides_at(self) -> datetime | None:
        """When it has the runs and days that promoting needs, at the pace so far.

        None when it will not be promoted by itself, or not within MAX_FORECAST.
        """
        has_harm = any(measure.state == "harm" for measure in self.measures)
        if self.looked_at is None or self.canary_runs < FEW_RUNS or has_harm or not self.rules.is_automatic:
            return None
        started = self.canary.started_at
        runs_duration = (self.looked_at - started) * (self.rules.promote_runs / self.canary_runs)
        decides_after = max(runs_duration, timedelta(days=self.rules.promote_days), self.looked_at - started)
        return started + decides_after if decides_after - (self.looked_at - started) <= MAX_FORECAST else None


def overview_part(request: HttpRequest) -> dict[str, Any]:
    """Return the canary under way, and those that wait for an admin: asked about, or ended by themselves within days. One statement."""
    last = CanaryLook.objects.filter(canary=OuterRef("pk")).order_by("-looked_at")
    look = last.values(figures_then=JSONObject(at="looked_at", runs="canary_runs", figures="figures"))
    recent = Canary.objects.exclude(ended_at__lt=timezone.now() - SHOWN_DAYS).select_related("release", "base", "group")
    canaries = list(recent.defer("release__content", "base__content").annotate(last_look=Subquery(look[:1]))[:5])
    card = next((_card(canary) for canary in canaries if canary.is_open), None)
    waiting = [canary for canary in canaries if (canary.asked_at is not None if canary.is_open else canary.by_itself)]
    return {"canary_card": card, "waiting_canaries": waiting}


def _card(canary: Any) -> CanaryCard:
    """Return the card of a canary with its `last_look`."""
    look = canary.last_look or {"at": "", "runs": 0, "figures": []}
    measures = [Measure(**figures) for figures in look["figures"]]
    return CanaryCard(canary, Rules.model_validate(canary.rules), parse_datetime(look["at"]), look["runs"], measures)
