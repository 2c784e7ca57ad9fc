"""Two experiments are compared case by case, and the words are no stronger than the numbers."""

from __future__ import annotations

import pytest

from evaluations.statistics import compare, mcnemar_p

FIXED, BROKEN, PASSES, FAILS = (False, True), (True, False), (True, True), (False, False)


@pytest.mark.parametrize(
    ("better", "worse", "p"), [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (3, 1, 0.625), (9, 1, 0.021484375)]
)
def test_the_exact_test_is_the_binomials(better: int, worse: int, p: float) -> None:
    assert mcnemar_p(better, worse) == pytest.approx(p)


def test_few_changes_tell_nothing() -> None:
    comparison = compare([FIXED] * 3 + [BROKEN] + [PASSES] * 20)
    assert (comparison.better, comparison.worse, comparison.is_hardly_chance) == (3, 1, False)
    assert comparison.low < 0 < comparison.high


def test_many_changes_in_one_direction_are_hardly_chance() -> None:
    comparison = compare([FIXED] * 9 + [BROKEN] + [FAILS] * 10)
    assert (comparison.better, comparison.worse, comparison.is_hardly_chance) == (9, 1, True)
    assert comparison.points == pytest.approx(40)
    assert 0 < comparison.low < comparison.points < comparison.high


def test_the_same_cases_give_the_same_interval() -> None:
    pairs = [FIXED, PASSES, FAILS, BROKEN]
    assert compare(pairs) == compare(pairs)


def test_nothing_changed_and_nothing_to_compare() -> None:
    assert not compare([PASSES, FAILS]).is_hardly_chance
    assert compare([]).p_value == 1.0
