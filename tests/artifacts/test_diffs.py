from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from artifacts.text.diffs import changed_lines, diff
from artifacts.text.lines import changes_between, split_lines


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [("", "", (0, 0)), ("", "a\nb\n", (2, 0)), ("a\nb\n", "", (0, 2)), ("a", "a\n", (0, 0)), ("a\nb\nc\n", "a\nB\nc\nd\n", (2, 1))],
)
def test_lines_that_came_and_went_are_counted(old: str, new: str, expected: tuple[int, int]) -> None:
    assert changed_lines(old, new) == expected


def test_a_diff_shows_changes_with_three_lines_around_them() -> None:
    old = "".join(f"{n}\n" for n in range(1, 31))
    new = old.replace("\n5\n", "\nfive\nand a half\n").replace("\n9\n", "\n").replace("\n25\n", "\ntwenty-five\n")
    text_diff = diff(old, new)
    assert (text_diff.added, text_diff.removed) == (3, 3)
    first, second = text_diff.hunks
    assert (first.from_start, first.to_start, second.from_start, second.to_start) == (2, 2, 22, 22)
    assert "".join(f"{line.op}{line.text}," for line in first.lines) == " 2, 3, 4,-5,+five,+and a half, 6, 7, 8,-9, 10, 11, 12,"
    assert "".join(f"{line.op}{line.text}," for line in second.lines) == " 22, 23, 24,-25,+twenty-five, 26, 27, 28,"


@settings(max_examples=150, deadline=None)
@given(*[st.lists(st.sampled_from("abcdef"), max_size=30).map("\n".join)] * 2)
def test_the_changes_make_the_one_text_of_the_other(old: str, new: str) -> None:
    lines, new_lines = split_lines(old), split_lines(new)
    assert "".join(lines) == old
    result_lines, end = list[str](), 0
    for change in changes_between(lines, new_lines):
        result_lines += lines[end : change.low] + new_lines[change.new_low : change.new_high]
        end = change.high
    assert result_lines + lines[end:] == new_lines


def test_many_gaps_together_cost_no_more_than_one_text_may() -> None:
    def gaps(lines: str) -> list[str]:
        return [line for n in range(40) for line in (str(n), *lines * 130)]

    old, new = gaps("abb"), gaps("bba")
    whole = [change for change in changes_between(old, new) if change.high - change.low == 390]
    assert 0 < len(whole) < 40
