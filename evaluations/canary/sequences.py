"""Intervals for differences between two groups of members that hold at every look, so that looking each minute does no harm.

Members stop and rate in their own ways, so their runs are no independent draws: the variance is that between members (ratio estimator).
The interval is Robbins' normal mixture in information time (Howard et al. 2021, "Time-uniform, nonparametric, nonasymptotic confidence
sequences", section 3.2; asymptotic for our sums, hence the least sample of the rules and the test by simulation).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

TUNED_SHARE: Final = 0.05  # where intervals of shares are narrowest: at such a share, when enough runs are there to promote
TUNED_SPREAD: Final = 1.0  # the same for the spread of a mean, as a part of it


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over the members of one release: of how much each had (x) in how many runs (n)."""

    members: int = 0
    count: float = 0  # of runs
    total: float = 0
    squares: float = 0  # of x²
    products: float = 0  # of x n
    sizes: float = 0  # of n²

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def variance(self) -> float:
        """Of the mean, by the differences between members; infinite with a single member."""
        if self.members < 2 or not self.count:
            return math.inf
        between = self.squares - 2 * self.mean * self.products + self.mean**2 * self.sizes
        return max(0.0, between) / self.count**2 * self.members / (self.members - 1)

    @property
    def share_variance(self) -> float:
        """Of the mean as a share: at least that of independent runs, with one more of each outcome, so that none of 50 is no certainty."""
        share = (self.total + 1) / (self.count + 2)
        return max(self.variance, share * (1 - share) / self.count) if self.count else math.inf


@dataclass(frozen=True, slots=True)
class ArmSums:
    """The sums of both releases, by measure."""

    live: Mapping[str, Sums] = field(default_factory=dict)
    canary: Mapping[str, Sums] = field(default_factory=dict)

    @property
    def runs(self) -> tuple[int, int]:
        """Runs of the live release and of the canary that have ended."""
        live, canary = (int(arm["failed"].count) if arm else 0 for arm in (self.live, self.canary))
        return live, canary

    @property
    def members(self) -> int:
        """Members who used the canary."""
        return self.canary["failed"].members if self.canary else 0


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference with what it lies between."""

    difference: float
    low: float
    high: float


def share_interval(live: Sums, canary: Sums, *, level: float, runs: int) -> Interval:
    """Return the difference of two shares. `level`: how often it may miss the true one at any look; `runs`: where it is narrowest."""
    variance = live.share_variance + canary.share_variance
    return _interval(canary.mean - live.mean, variance, level, TUNED_SHARE * (1 - TUNED_SHARE) / runs)


def ratio_interval(live: Sums, canary: Sums, *, level: float, runs: int) -> Interval:
    """Return by which part the canary's mean is larger: 0.2 is a fifth more. Both means must be above 0."""
    variance = live.variance / live.mean**2 + canary.variance / canary.mean**2
    interval = _interval(math.log(canary.mean / live.mean), variance, level, TUNED_SPREAD**2 / runs)
    return Interval(*(_part(value) for value in (interval.difference, interval.low, interval.high)))


def _interval(difference: float, variance: float, level: float, tuned_variance: float) -> Interval:
    if not math.isfinite(variance):
        return Interval(difference, -math.inf, math.inf)
    information = 1 / max(variance, 1e-12)
    double_log = -2 * math.log(level)
    prior = 1 / tuned_variance / (double_log + math.log(1 + double_log))
    radius = math.sqrt((information + prior) / information**2 * (math.log((information + prior) / prior) + double_log))
    return Interval(difference, difference - radius, difference + radius)


def _part(logarithm: float) -> float:
    return math.expm1(min(logarithm, 50.0))
