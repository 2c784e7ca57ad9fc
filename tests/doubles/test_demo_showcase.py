"""The pieces behind the starters of the start page: each is found by its starter's words, and is what it promises."""

from __future__ import annotations

import ast
import json

import pytest

from chat.api import boot
from doubles.demo import showcase
from doubles.demo.diagrams import diagram
from doubles.demo.documents import write_document
from doubles.demo.programs import program
from doubles.demo.replies import suggestions
from doubles.demo.titles import conversation_title

STARTERS: dict[str, str] = {starter.picture: starter.text for starter in boot.STARTERS}


@pytest.mark.parametrize(
    ("picture", "title"),
    [
        ("document", "Green tea market brief"),
        ("plot", "Tea stock over twelve weeks"),
        ("sequence", "Signing in with a passkey"),
        ("sources", "How hot green tea should be"),
    ],
)
def test_each_starter_has_a_fitting_title_and_fitting_chips(picture: str, title: str) -> None:
    assert conversation_title(f"User: {STARTERS[picture]}") == title
    chips = json.loads(suggestions(f"<user>{STARTERS[picture]}</user><assistant>Done.</assistant>"))
    assert chips == list(next(piece for piece in showcase.PIECES if piece.chat_title == title).suggestions)


def test_the_brief_has_a_table_and_a_chart() -> None:
    brief = write_document("Green tea in Europe", STARTERS["document"])
    assert brief == showcase.BRIEF
    assert "| Germany |" in brief
    assert "```mermaid\nxychart-beta" in brief


def test_the_program_plots_and_runs_where_nothing_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    code = program(STARTERS["plot"])
    assert "plt.show()" in code
    without = code.replace("import matplotlib.pyplot as plt", "raise ImportError")
    exec(compile(ast.parse(without), "stock.py", "exec"), {})
    output = capsys.readouterr().out
    assert "Order Assam in week 7" in output
    assert "\u2588" in output


def test_the_diagram_is_of_the_sign_in() -> None:
    assert diagram(STARTERS["sequence"], "") == showcase.SIGN_IN


def test_a_title_that_is_cut_ends_with_a_word_that_means_something() -> None:
    assert conversation_title("User: Draw a sequence diagram of a login") == "Draw a sequence diagram"
