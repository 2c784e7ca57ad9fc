"""Whether a canary is to be taken back, promoted, or asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from evaluations.canary.measures import KINDS, Measure
from evaluations.canary.rules import Rules
from evaluations.translation import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, and why: a sentence marked for translation, with its values."""

    act: Literal["take_back", "promote", "ask"]
    reason: str
    values: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CanaryProgress:
    """How far a canary is."""

    canary_runs: int
    started_at: datetime
    now: datetime
    was_asked: bool = False


def decide(rules: Rules, measures: Sequence[Measure], progress: CanaryProgress) -> Decision | None:
    """Return what the rules say; None: wait. Harm comes first, and only what is surely beyond its limit is harm."""
    if rules.is_automatic:
        harm = next((measure for measure in measures if measure.state == "harm"), None)
        if harm is not None and progress.canary_runs >= rules.min_runs:
            return _take_back_decision(harm)
        if _may_promote(rules, measures, progress):
            return Decision("promote", _("Within all limits after %(runs)s runs."), {"runs": progress.canary_runs})
    if not progress.was_asked and progress.now - progress.started_at >= timedelta(days=rules.ask_days):
        values = {"days": rules.ask_days, "runs": progress.canary_runs}
        return Decision("ask", _("It is still not decided after %(days)s days and %(runs)s runs."), values)
    return None


def _may_promote(rules: Rules, measures: Sequence[Measure], progress: CanaryProgress) -> bool:
    """A measure with too little in it, such as ratings that nobody gives, holds nothing up. A cost that nobody knows does."""
    if any(
        measure.key == "cost" and measure.limit is not None and measure.live is not None and measure.canary is None for measure in measures
    ):
        return False
    is_enough = progress.canary_runs >= rules.promote_runs and progress.now - progress.started_at >= timedelta(days=rules.promote_days)
    states = [measure.state for measure in measures if measure.limit is not None and measure.state != "few"]
    return is_enough and bool(states) and all(state == "safe" for state in states)


def _take_back_decision(measure: Measure) -> Decision:
    kind = KINDS[measure.key]
    assert measure.canary is not None, "it has an interval"
    assert measure.live is not None, "it has an interval"
    assert measure.difference is not None, "it has an interval"
    assert measure.limit is not None, "it is over it"
    values: dict[str, str | float] = {
        "measure": kind.label,
        "form": kind.form,
        "canary": measure.canary,
        "live": measure.live,
        "difference": measure.difference,
        "unit": measure.unit,
        "limit": measure.limit,
    }
    reason = _("%(measure)s: %(canary)s against %(live)s (%(difference)s %(unit)s, surely more than the limit of +%(limit)s).")
    return Decision("take_back", reason, values)
