"""Rules of a canary, tried on many days of a simulation: no harm is seldom called harm, and true harm is found."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from evaluations.canary.decisions import CanaryProgress, Decision, decide
from evaluations.canary.measures import measures_of
from evaluations.canary.rules import Rules
from evaluations.canary.sequences import ArmSums, Sums

BEGAN = datetime(2026, 11, 18, 9, tzinfo=UTC)
LOOKS = 40  # of a day
CANARY_MEMBERS, LIVE_MEMBERS = 20, 180
RUNS_OF_LOOK = 50  # of all members
STRICT = Rules(failed=0, stopped=0, regenerated=0, thumbs_down=None, cost=None, first_token=None, duration=None, min_runs=50)


class Member:
    """A member with habits of their own: some stop often, others never."""

    def __init__(self, draw: random.Random, worse: float) -> None:
        self.shares = [min(0.95, draw.betavariate(0.5, 9.5) + extra) for extra in (0.0, worse, 0.0)]
        self.runs, self.had = 0, [0, 0, 0]

    def use(self, draw: random.Random) -> None:
        self.runs += 1
        self.had = [count + (draw.random() < share) for count, share in zip(self.had, self.shares, strict=True)]


def sums_of(members: list[Member]) -> dict[str, Sums]:
    active_members = [member for member in members if member.runs]
    return {
        name: Sums(
            len(active_members),
            sum(m.runs for m in active_members),
            sum(m.had[at] for m in active_members),
            sum(m.had[at] ** 2 for m in active_members),
            sum(m.had[at] * m.runs for m in active_members),
            sum(m.runs**2 for m in active_members),
        )
        for at, name in enumerate(("failed", "stopped", "regenerated"))
    }


def day(seed: int, rules: Rules, *, worse: float = 0.0) -> Decision | None:
    """Two thousand runs, looked at forty times; return the first decision. `worse`: so many more answers of the canary are stopped."""
    draw = random.Random(seed)
    canary = [Member(draw, worse) for _ in range(CANARY_MEMBERS)]
    live = [Member(draw, 0.0) for _ in range(LIVE_MEMBERS)]
    for look in range(1, LOOKS + 1):
        for member in draw.choices(canary + live, k=RUNS_OF_LOOK):
            member.use(draw)
        sums = ArmSums(sums_of(live), sums_of(canary))
        progress = CanaryProgress(sums.runs[1], BEGAN, BEGAN + timedelta(minutes=15 * look))
        if decision := decide(rules, measures_of(sums, rules), progress):
            return decision
    return None


def taken_back(days: int, rules: Rules, worse: float = 0.0) -> float:
    decisions = [day(seed, rules, worse=worse) for seed in range(days)]
    return sum(decision is not None and decision.act == "take_back" for decision in decisions) / days


def test_harm_is_found_and_no_harm_is_not() -> None:
    """The short version: limits of 0, where each look could call chance harm."""
    assert taken_back(12, STRICT) <= 1 / 12
    assert taken_back(6, Rules(), worse=0.3) >= 5 / 6


@pytest.mark.nightly
def test_of_500_days_without_a_difference_fewer_than_one_in_twenty_is_taken_back() -> None:
    assert taken_back(500, STRICT) < 0.05
    assert taken_back(100, Rules()) == 0
    assert taken_back(100, Rules(), worse=0.3) > 0.9
