"""Whether a canary is to be taken back, promoted, or asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from evaluations.canary.measures import Measure
from evaluations.canary.rules import Rules


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, and why, for people."""

    act: Literal["take_back", "promote", "ask"]
    reason: str


@dataclass(frozen=True, slots=True)
class Stand:
    """How far a canary is."""

    canary_runs: int
    started_at: datetime
    now: datetime
    was_asked: bool = False


def decide(rules: Rules, measures: Sequence[Measure], stand: Stand) -> Decision | None:
    """Return what the rules say; None: wait. Harm comes first, and only what is surely beyond its limit is harm."""
    if rules.is_automatic:
        harm = next((measure for measure in measures if measure.state == "harm"), None)
        if harm is not None and stand.canary_runs >= rules.min_runs:
            return Decision("take_back", _why(harm))
        if _may_promote(rules, measures, stand):
            return Decision("promote", f"Within all limits after {stand.canary_runs:,} runs.")
    if not stand.was_asked and stand.now - stand.started_at >= timedelta(days=rules.ask_days):
        return Decision("ask", f"It is still not decided after {rules.ask_days} days and {stand.canary_runs:,} runs.")
    return None


def _may_promote(rules: Rules, measures: Sequence[Measure], stand: Stand) -> bool:
    """A measure with too little in it, such as ratings that nobody gives, holds nothing up. A cost that nobody knows does."""
    if any(measure.key == "cost" and measure.limit is not None and measure.live and not measure.canary for measure in measures):
        return False
    is_enough = stand.canary_runs >= rules.promote_runs and stand.now - stand.started_at >= timedelta(days=rules.promote_days)
    decided = [measure.state for measure in measures if measure.limit is not None and measure.state != "few"]
    return is_enough and bool(decided) and all(state == "safe" for state in decided)


def _why(measure: Measure) -> str:
    return f"{measure.label}: {measure.canary} against {measure.live} ({measure.change}, surely more than the limit of +{measure.limit:g})."
