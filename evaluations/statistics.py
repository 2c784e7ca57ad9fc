"""Compares two experiments case by case: an exact test and an interval, and what they mean in plain words.

Averages alone would call four of ten harmless changes worse. Whether two agents differ is seen from the cases that changed sides.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt
from typing import Final

ROUNDS: Final = 2000  # of the bootstrap
ENOUGH: Final = 10  # cases; an interval drawn from fewer looks surer than it is
LEVEL: Final = 0.05
SEED: Final = 20261123  # the same cases get the same interval on each look


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a candidate does beside a baseline on the same cases. Points are per cent of the cases."""

    better: int  # cases that pass now and did not before
    worse: int
    same: int
    p_value: float
    low: float
    high: float

    @property
    def count(self) -> int:
        return self.better + self.worse + self.same

    @property
    def points(self) -> float:
        return 100 * (self.better - self.worse) / self.count if self.count else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether the interval means something."""
        return self.count >= ENOUGH

    @property
    def chance(self) -> int:
        """Of 100 tries, how many would show as large a difference if there were none."""
        return round(100 * self.p_value)

    @property
    def is_hardly_chance(self) -> bool:
        """Whether the cases that changed sides say something."""
        return self.p_value < LEVEL


def compare(pairs: Sequence[tuple[bool, bool]]) -> Comparison:
    """Compare (passed before, passes now) of each case that both experiments have."""
    better = sum(now and not before for before, now in pairs)
    worse = sum(before and not now for before, now in pairs)
    low, high = bootstrap_interval([int(now) - int(before) for before, now in pairs])
    return Comparison(better, worse, len(pairs) - better - worse, mcnemar_p(better, worse), 100 * low, 100 * high)


def mcnemar_p(better: int, worse: int) -> float:
    """Return the two-sided p-value of McNemar's exact test: how likely such a split is when both directions are equally likely."""
    changed = better + worse
    tail = sum(comb(changed, count) for count in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / (1 << changed))


def bootstrap_interval(differences: Sequence[int]) -> tuple[float, float]:
    """Return the 95 % interval of the mean difference, by drawing cases with replacement."""
    if not differences:
        return 0.0, 0.0
    draw = random.Random(SEED)  # noqa: S311 no secret depends on it
    count = len(differences)
    means = sorted(sum(draw.choices(differences, k=count)) / count for _ in range(ROUNDS))
    return means[int(ROUNDS * LEVEL / 2)], means[int(ROUNDS * (1 - LEVEL / 2)) - 1]


def share_interval(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of which `count` of `of` were seen (Wilson's score interval). (0, 1) when nothing was seen."""
    if not of:
        return 0.0, 1.0
    share, z = count / of, 1.96
    middle = share + z * z / (2 * of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, (middle - half) / (1 + z * z / of)), min(1.0, (middle + half) / (1 + z * z / of))
