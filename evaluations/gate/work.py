"""Begins the experiments that a draft's checks still need."""

from __future__ import annotations

from admin_config.services.drafts.draft import DraftChoice, whole_draft
from admin_config.services.settings_lock import settings_lock
from admin_config.services.trials import draft_snapshot
from evaluations.gate.checks import Check, Side, checks_of
from evaluations.models import Experiment
from evaluations.services.experiments import ExperimentFields, experiment_begin
from tenants.access import Actor


def checks_begin(actor: Actor, *, again: bool = False, choose: DraftChoice = whole_draft) -> int:
    """Begin the experiments that the draft's checks lack; return how many. `again`: repeat the draft's side of failed checks.

    `choose`: returns the part of the draft that is to go live. Needs the organization's `tenant_tx`. Raises ReleaseInvalid, BadRequest, Conflict.
    """
    settings_lock(actor.organization_id)  # two admins at once would ask, and pay, twice
    return sum(_begin(actor, check, again=again) for check in checks_of(draft_snapshot(choose)))


def _begin(actor: Actor, check: Check, *, again: bool) -> int:
    if check.state == "failed" and again:
        silent = [side for side in check.sides if side is not check.now and side.column is not None and side.column.slow_ms is None]
        for side in (check.now, *silent):  # a live release without answers gives nothing to compare with
            _experiment(actor, check, side)
        return 1 + len(silent)
    for side in check.missing_sides:
        _experiment(actor, check, side)
    return len(check.missing_sides)


def _experiment(actor: Actor, check: Check, side: Side) -> Experiment:
    requirement = check.requirement
    fields = ExperimentFields(
        data_set=requirement.data_set,
        agent_key=check.agent_key,
        agent_name=check.agent_name[:120],
        source=side.source,
        samples=requirement.samples,
        marked_samples=requirement.marked_samples,
        max_cost_usd=requirement.max_cost_usd,
        **check.content,
    )
    return experiment_begin(actor, fields, side.snapshot)
