"""What the sums of a canary mean: each measure with its difference to the live release, its interval and its limit."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from evaluations.canary.rules import Rules
from evaluations.canary.sequences import ArmSums, Interval, Sums, ratio_interval, share_interval
from evaluations.translation import gettext, gettext_lazy, gettext_noop
from tenants.localization.figures import FORMS, figure, figure_as_it_is, signed

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

LEVEL: Final = 0.05  # of all measures together: how often any interval may miss the truth at any look
FEW: Final = 30  # runs or ratings of the canary; fewer say nothing
FEW_MEMBERS: Final = 5

State = Literal["few", "watching", "safe", "harm", "free"]
STATES: Final[dict[State, StrOrPromise]] = {
    "few": gettext_lazy("Not enough yet"),
    "watching": gettext_lazy("Watching"),
    "safe": gettext_lazy("Safe so far"),
    "harm": gettext_lazy("Over the limit"),
    "free": gettext_lazy("No limit"),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the canary's page, as numbers; its words are the reader's. Differences and limits are in points or per cent; None: not known."""

    key: str
    live: float | None
    live_count: float
    canary: float | None
    canary_count: float
    unit: str
    difference: float | None
    low: float | None
    high: float | None
    limit: float | None
    state: State

    @property
    def label(self) -> str:
        return gettext(KINDS[self.key].label)

    @property
    def live_text(self) -> str:
        return self._format(self.live)

    @property
    def canary_text(self) -> str:
        return self._format(self.canary)

    def _format(self, mean: float | None) -> str:
        return "" if mean is None else FORMS[KINDS[self.key].form](mean)

    @property
    def live_of(self) -> str:
        return self._format_count(self.live_count)

    @property
    def canary_of(self) -> str:
        return self._format_count(self.canary_count)

    def _format_count(self, count: float) -> str:
        return f"{figure(count)} {gettext(KINDS[self.key].of)}"

    @property
    def state_label(self) -> str:
        return str(STATES[self.state])

    @property
    def signed_difference(self) -> str:
        return "" if self.difference is None else signed(self.difference)

    @property
    def change(self) -> str:
        return "" if self.difference is None else f"{self.signed_difference} {gettext(self.unit)}"

    @property
    def interval(self) -> str:
        return (
            ""
            if self.low is None or self.high is None
            else gettext("%(signed)s to %(signed_2)s") % {"signed": signed(self.low), "signed_2": signed(self.high)}
        )

    @property
    def limit_text(self) -> str:
        return "" if self.limit is None else f"+{figure_as_it_is(self.limit)} {gettext(self.unit)}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Kind:
    label: str  # marked for translation, like `of`
    form: str  # of its figures: a key of FORMS
    of: str
    is_share: bool


_RUNS: Final = gettext_noop("runs")
KINDS: Final = {
    "failed": _Kind(gettext_noop("Failed runs"), "share", _RUNS, True),
    "stopped": _Kind(gettext_noop("Answers stopped by members"), "share", _RUNS, True),
    "regenerated": _Kind(gettext_noop("Regenerated"), "share", _RUNS, True),
    "thumbs_down": _Kind(gettext_noop("Thumbs down, of rated"), "share", gettext_noop("ratings"), True),
    "cost": _Kind(gettext_noop("Cost of a run"), "money", _RUNS, False),
    "first_token": _Kind(gettext_noop("Time to first token"), "milliseconds", _RUNS, False),
    "duration": _Kind(gettext_noop("Time of an answer"), "seconds", _RUNS, False),
}


def measures_of(sums: ArmSums, rules: Rules) -> list[Measure]:
    """Return all measures in the order of the page."""
    level = LEVEL / max(1, len(rules.limits))
    return [_measure(key, sums.live.get(key, Sums()), sums.canary.get(key, Sums()), rules, level) for key in KINDS]


def _measure(key: str, live: Sums, canary: Sums, rules: Rules, level: float) -> Measure:
    kind, limit = KINDS[key], rules.limits.get(key)
    interval = _interval(kind, live, canary, rules, level)
    factor = 100
    values = [factor * value for value in (interval.difference, interval.low, interval.high)] if interval else [None, None, None]
    return Measure(
        key=key,
        live=live.mean if live.count else None,
        live_count=live.count,
        canary=canary.mean if canary.count else None,
        canary_count=canary.count,
        unit=gettext_noop("points") if kind.is_share else "%",
        difference=values[0],
        low=values[1],
        high=values[2],
        limit=limit,
        state=_state(canary, values[1], values[2], limit, rules),
    )


def _interval(kind: _Kind, live: Sums, canary: Sums, rules: Rules, level: float) -> Interval | None:
    """Return None while there is nothing to compare."""
    if not live.count or not canary.count:
        return None
    if kind.is_share:
        interval = share_interval(live, canary, level=level, runs=rules.promote_runs)
    elif live.mean > 0 and canary.mean > 0:
        interval = ratio_interval(live, canary, level=level, runs=rules.promote_runs)
    else:
        return None
    return interval if math.isfinite(interval.high) else None


def _state(canary: Sums, low: float | None, high: float | None, limit: float | None, rules: Rules) -> State:
    if low is None or high is None or canary.count < FEW or canary.members < FEW_MEMBERS:
        return "few"
    if limit is None:
        return "free"
    if low > limit:
        return "harm"
    return "safe" if high < limit else "watching"
