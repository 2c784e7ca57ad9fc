"""Looks at a canary, and lets its rules act: by beat, and when an admin opens its page (which only reads).

Beat comes each minute. A look reads all runs since the canary began (a second for 100,000), so the next one waits for a sixtieth of its
age: a minute in the first hour, 24 minutes after a day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from django.utils import timezone

from admin_config.models import Canary
from admin_config.services.canary.lifecycle import End, canary_promote, canary_take_back, open_canary
from admin_config.services.configuration import live_in_place_of
from evaluations.canary.decisions import CanaryProgress, Decision, decide
from evaluations.canary.measures import Measure, measures_of
from evaluations.canary.notices import notices_write
from evaluations.canary.rules import Rules
from evaluations.canary.sums import sums_of
from evaluations.models import CanaryLook
from tenants.context import tenant_tx
from tenants.errors import Conflict
from tenants.rounds import rows_round

LOOKS_OF_AN_AGE = 60  # after a look, the next one waits for this part of the canary's age


@dataclass(frozen=True, slots=True)
class Look:
    """How a canary does now."""

    canary: Canary
    rules: Rules
    measures: Sequence[Measure]
    live_runs: int
    canary_runs: int
    members: int  # who used it

    @property
    def decision(self) -> Decision | None:
        progress = CanaryProgress(self.canary_runs, self.canary.started_at, timezone.now(), self.canary.asked_at is not None)
        return decide(self.rules, self.measures, progress)

    def end(self, reason: str, author_id: int | None, values: Mapping[str, str | float] | None = None) -> End:
        return End(reason=reason, values=values or {}, author_id=author_id, figures=[measure.as_json() for measure in self.measures])


def look_at(canary: Canary) -> Look:
    """Return how the canary does, or did when it ended. One query, in the organization's `tenant_tx`."""
    rules = Rules.model_validate(canary.rules)
    sums = sums_of(canary)
    live_runs, canary_runs = sums.runs
    return Look(canary, rules, measures_of(sums, rules), live_runs, canary_runs, sums.members)


def canaries_decide() -> int:
    """Let the rules of all canaries act; return how many ended or were asked about. One that fails keeps no other one waiting."""
    return rows_round(_decide, [{"organization_id": organization_id} for organization_id in _organizations()], failure="canary_not_decided")


def _organizations() -> list[UUID]:
    """Return the organizations with a canary to look at, or with mails to write about one. One query over all organizations."""
    waiting = Canary.unscoped.using("system").filter(organization__is_active=True).exclude(ended_at__isnull=False, notice={})
    names = ("organization_id", "started_at", "looked_at", "notice")
    now = timezone.now()
    return [
        organization_id
        for organization_id, started_at, looked_at, notice in waiting.order_by().values_list(*names)
        if notice or looked_at is None or now - looked_at >= (now - started_at) / LOOKS_OF_AN_AGE
    ]


def _decide(organization_id: UUID) -> bool:
    """Act on the organization's canary, then write to its admins: also what a worker left that died in between."""
    with tenant_tx(organization_id):
        has_acted = _act()
        waiting = Canary.objects.exclude(notice={}).select_related("release", "base")
        announcements = [(canary, live_in_place_of(canary.release).number) for canary in waiting]
    for canary, live_number in announcements:
        notices_write(canary, Decision(**canary.notice), live_number)
        with tenant_tx(organization_id):
            Canary.objects.filter(pk=canary.pk, notice=canary.notice).update(notice={})
    return has_acted


def _act() -> bool:
    """Do what the rules of the open canary say, and note what admins are to be told. An admin may be quicker."""
    canary = open_canary()
    if canary is None:
        return False
    Canary.objects.filter(pk=canary.pk).update(looked_at=timezone.now())
    look = look_at(canary)
    figures = [measure.as_json() for measure in look.measures]
    CanaryLook.objects.create(canary=canary, canary_runs=look.canary_runs, live_runs=look.live_runs, figures=figures)
    decision = look.decision
    if decision is None:
        return False
    end = look.end(decision.reason, None, decision.values)
    try:
        match decision.act:
            case "take_back":
                canary_take_back(canary_id=canary.pk, end=end)
            case "promote":
                canary_promote(canary_id=canary.pk, end=end)
            case "ask":
                Canary.objects.filter(pk=canary.pk).update(asked_at=timezone.now())
    except Conflict:
        return False
    Canary.objects.filter(pk=canary.pk).update(notice=asdict(decision))
    return True
