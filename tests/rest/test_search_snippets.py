"""The words of a query, and the piece of a text that a hit shows."""

from __future__ import annotations

from chat.search.snippets import highlight, snippet
from chat.search.words import query_words, trigrams


def test_words_of_a_query() -> None:
    assert query_words("  Zölle, CUSTOMS 2_x don't") == {"zolle": "Zölle", "customs": "CUSTOMS", "2": "2", "x": "x", "don": "don", "t": "t"}
    assert trigrams("cat") == ["  c", " ca", "cat", "at "]


def test_a_snippet_is_read_without_markup() -> None:
    text = "# Tea\n\nA [link](https://example.org/), **bold**, `code`.\n\n| Kind | Colour |\n|---|--:|\n| Sencha | green |\n\n- [x] done\n"
    assert "".join(piece.text for piece in snippet([text], ["tea"])) == "Tea A link, bold, code. Kind · Colour Sencha · green done"
    assert [piece.text for piece in snippet([text], ["example"]) if piece.is_hit] == ["example"]
    code = "Run this:\n\n```python\nteas = tea__count\n```\n"
    assert [[piece.text for piece in snippet([code], [word]) if piece.is_hit] for word in ("python", "count")] == [["python"], ["count"]]


def test_a_snippet_shows_the_place_with_most_words() -> None:
    text = "customs. " + "filler " * 60 + "the customs of Kenya. " + "filler " * 60
    pieces = snippet([text], ["customs", "ken"])
    assert [piece.text for piece in pieces if piece.is_hit] == ["customs", "Ken"]
    assert pieces[0].text.startswith("… ")
    assert pieces[-1].text.endswith(" …")
    assert sum(len(piece.text) for piece in pieces) < 220
    assert highlight("nothing", ["x"]) == [("nothing", False)]
