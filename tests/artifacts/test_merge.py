from __future__ import annotations

import time
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from artifacts.text.merge import Hunk, merge
from tests.artifacts.writers import RandomWriters
from tests.support.suite.time_limits import scaled_to_load

BASE = "one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("theirs", "yours", "merged"),
    [
        ("one\ntwo\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n", "one\n2\nthree\nfour\nfive\n"),
        ("one\n2\nthree\nfour\nfive\n", "one\ntwo\nthree\n4\nfive\n", "one\n2\nthree\n4\nfive\n"),
        ("one\n2\nthree\nfour\nfive\n", "one\ntwo\n3\nfour\nfive\n", "one\n2\n3\nfour\nfive\n"),  # neighbours
        ("one\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour\nfive\nsix\n", "one\nthree\nfour\nfive\nsix\n"),
        ("one\n2\nthree\nfour\nfive\n", "one\n2\nthree\nfour\n5\n", "one\n2\nthree\nfour\n5\n"),  # both the same
        ("one\ntwo\nthree\nfour\nFIVE", "one\ntwo\nthree\nfour\nfive\nsix\n", "one\ntwo\nthree\nfour\nFIVE\nsix\n"),  # no lines glued
        ("", BASE, ""),
        ("one\n2\nthree\nfour\nfive\n", "one\nzwei\nthree\nfour\nfive\n", None),
        ("one\nthree\nfour\nfive\n", "one\nzwei\nthree\nfour\nfive\n", None),  # changed what the other took out
        ("one\ntwo\nA\nthree\nfour\nfive\n", "one\ntwo\nB\nthree\nfour\nfive\n", None),  # which of the two comes first?
        ("", "one\ntwo\nthree\nfour\nfive\nsix\n", "six\n"),
    ],
)
def test_what_one_side_changed_is_taken_and_what_both_changed_is_asked(theirs: str, yours: str, merged: str | None) -> None:
    assert merge(BASE, theirs, yours).text == merged
    assert merge(BASE, yours, theirs).text == merged


def test_a_conflict_has_both_sides_and_the_rest_is_merged() -> None:
    result = merge(BASE, "ONE\n2\nthree\nfour\nfive\n", "one\nzwei\nthree\nfour\nFIVE\n")
    assert result.text is None
    assert result.hunks == (
        Hunk("same", "ONE\n", "ONE\n", "ONE\n"),
        Hunk("conflict", "two\n", "2\n", "zwei\n"),
        Hunk("same", "three\nfour\nFIVE\n", "three\nfour\nFIVE\n", "three\nfour\nFIVE\n"),
    )


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "long line", "\x85", "\r"]), max_size=12).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_one_sided_changes_are_exact_and_sides_are_equals(base: str, one: str, other: str) -> None:
    assert merge(base, one, base).text == merge(base, base, one).text == merge(base, one, one).text == one
    there, back = merge(base, one, other), merge(base, other, one)
    assert there.text == back.text
    assert [(h.kind, h.theirs, h.yours) for h in there.hunks] == [(h.kind, h.yours, h.theirs) for h in back.hunks]


def both(hunk: Hunk) -> list[str]:
    return hunk.theirs.splitlines() + (hunk.yours.splitlines() if hunk.kind == "conflict" else [])


@pytest.mark.parametrize("seed", [1, 2])
def test_two_writers_and_an_agent_lose_no_line_in_a_thousand_rounds(seed: int) -> None:
    """Everybody works on what they saw last, which others have changed since."""
    writers = RandomWriters(Random(seed))
    text = "".join(f"{writers.line('nobody')}\n" for _ in range(30))
    base_texts = dict.fromkeys(("Alice", "Bob", "agent"), text)
    clean = 0
    for _ in range(1000):
        name = writers.random.choice([*base_texts])
        base, mine = base_texts[name], writers.edit(base_texts[name], name)
        result = merge(base, text, mine)
        if result.text is not None:
            clean, text = clean + 1, result.text
        else:  # whoever is asked keeps both
            text = "".join(f"{line}\n" for hunk in result.hunks for line in both(hunk))
        assert writers.lost_lines(text) == set()
        base_texts[name] = text
    assert clean > 300


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 100_000, "y\nx\n" * 50_000),
        ("".join(f"{n}\n" for n in range(50_000)), "".join(f"{n}\n" for n in range(50_000, 0, -1))),
        ("".join(f"{n % 700}\n" for n in range(60_000)), "".join(f"{n % 699}\n" for n in range(60_000))),
        ("\n".join(map(str, range(20_000))), "\n".join(map(str, range(0, 40_000, 2)))),
    ],
    ids=["two lines", "backwards", "nothing twice", "every other"],
)
def test_the_worst_texts_are_merged_in_time(old: str, new: str) -> None:
    started = time.process_time()
    assert merge(old, new, f"{old}\nend") is not None
    assert time.process_time() - started < scaled_to_load(5)
