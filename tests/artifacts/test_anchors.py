from __future__ import annotations

import time
from dataclasses import replace

import pytest

from artifacts.anchors import anchor_find, anchor_make
from tests.support.suite.time_limits import scaled_to_load

BASE = "# Tea 🍵\n\nGreen tea is steeped at 80 °C. Black tea is steeped at 95 °C.\n\n- Buy tea\n- Buy tea\n- Buy milk\n"
LONG = "Black tea is steeped at 95 °C."


@pytest.mark.parametrize(
    ("original", "text", "expected"),
    [
        ("Green", BASE, "Green tea is"),
        ("Green", "A line before.\n" + BASE + "And one after.\n", "Green tea is"),
        ("Green", BASE.replace("milk", "sugar").replace("Black tea", "Oolong"), "Green tea is"),
        ("Green", BASE.replace("Green", "White"), None),
        ("Green", "Nothing of it is left, but Green stands here.", None),  # the word, at another place
        ("Green", BASE.replace("80 °C", "80 °C, Green tea"), "Green tea is"),  # the word twice: by what is around it
        (LONG, f"All new but this: {LONG} So it is found.", LONG),  # long enough to be itself
        (LONG, f"{LONG} {LONG}", None),
        ("Buy tea", BASE.replace("- Buy tea\n- Buy tea", "- Buy tea\n- Drink\n- Buy tea"), "Buy tea\n- Drink"),
    ],
)
def test_a_quote_is_found_again_by_its_surroundings_or_not_at_all(original: str, text: str, expected: str | None) -> None:
    anchor = anchor_make(BASE, original)
    assert anchor is not None
    place = anchor_find(text, anchor)
    assert place is None if expected is None else place is not None and text[place:].startswith(expected)


def test_in_the_text_that_it_was_made_for_the_start_decides() -> None:
    rows = "- same row\n" * 40
    second = anchor_make(rows, "same", after=200)
    assert second is not None
    assert anchor_find(rows, second) is None
    place = anchor_find(rows, second, is_unchanged=True)
    assert place is not None
    assert place >= 200


def test_a_quote_that_stands_everywhere_is_found_at_once_in_its_own_text() -> None:
    text = "🍵" + "a" * 1_000_000
    anchor = anchor_make(text, "a", after=900_000)
    assert anchor is not None
    started = time.process_time()
    assert anchor_find(text, anchor, is_unchanged=True) == 900_000
    assert time.process_time() - started < scaled_to_load(1)
    assert anchor_find("🍵", replace(anchor, start=1), is_unchanged=True) is None  # between the halves of one sign


def test_the_start_counts_as_a_browser_does() -> None:
    anchor = anchor_make("🍵🍵 tea", "tea")
    assert anchor is not None
    assert anchor.start == 5
    assert anchor_make("tea", "coffee") is None
    assert anchor_make("tea", "") is None
