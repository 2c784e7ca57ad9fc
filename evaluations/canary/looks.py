"""Looks at a canary, and lets its rules act: once a minute by beat, and when an admin opens its page (which only reads)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.utils import timezone
from pydantic import ValidationError

from admin_config.models import Canary
from admin_config.services.canary.lifecycle import End, canary_promote, canary_take_back, open_canary
from evaluations.canary.decisions import Decision, Stand, decide
from evaluations.canary.measures import Measure, measures_of
from evaluations.canary.notices import notices_write
from evaluations.canary.rules import Rules
from evaluations.canary.sums import sums_of
from tenants.context import tenant_tx
from tenants.errors import Conflict, ParleyError

log = structlog.get_logger(__name__)


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
        stand = Stand(self.canary_runs, self.canary.started_at, timezone.now(), self.canary.asked_at is not None)
        return decide(self.rules, self.measures, stand)

    def end(self, reason: str, author_id: int | None) -> End:
        return End(reason=reason, author_id=author_id, figures=[measure.as_json() for measure in self.measures])


def look_at(canary: Canary) -> Look:
    """Return how the canary does, or did when it ended. One query, in the organization's `tenant_tx`."""
    rules = Rules.model_validate(canary.rules)
    sums = sums_of(canary)
    live_runs, canary_runs = sums.runs
    return Look(canary, rules, measures_of(sums, rules), live_runs, canary_runs, sums.members)


def canaries_decide() -> int:
    """Let the rules of all canaries act; return how many ended or were asked about. One that fails keeps no other one waiting."""
    return sum(map(_decide_or_log, _organizations()))


def _organizations() -> list[UUID]:
    """Return the organizations with a canary under way. One query over all organizations."""
    running = Canary.unscoped.using("system").filter(ended_at=None, organization__is_active=True)
    return list(running.values_list("organization_id", flat=True))


def _decide_or_log(organization_id: UUID) -> bool:
    try:
        return _decide(organization_id)
    except (DatabaseError, ParleyError, ValidationError):
        log.exception("canary_not_decided", organization_id=str(organization_id))
        return False


def _decide(organization_id: UUID) -> bool:
    """Act on the organization's canary, then tell its admins. An admin may be quicker."""
    with tenant_tx(organization_id):
        canary = open_canary()
        decision = look_at(canary).decision if canary else None
        if canary is None or decision is None:
            return False
        try:
            _act(canary, decision)
        except Conflict:
            return False
    notices_write(canary, decision)
    return True


def _act(canary: Canary, decision: Decision) -> None:
    end = look_at(canary).end(decision.reason, None)
    match decision.act:
        case "take_back":
            canary_take_back(canary_id=canary.pk, end=end)
        case "promote":
            canary_promote(canary_id=canary.pk, end=end)
        case "ask":
            Canary.objects.filter(pk=canary.pk).update(asked_at=timezone.now())
