"""The set that ships: each template can be filled with its defaults, and what comes of it works."""

from __future__ import annotations

import ast
import csv
import io
import subprocess
import sys
from collections import Counter

import pytest

from agents.artifact_agents.mermaid import diagram_problem
from gallery.filling import placeholders_replace, title_of
from gallery.models import MAX_CATEGORY_CHARS, MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS, TemplateKind
from gallery.placeholders import GAP, names_in
from gallery.shapes import MAX_PROMPT_CHARS
from gallery.starters import Starter, starters

SET = [*starters().values()]
HARD = 'A "quoted" it\'s; 50 %, with\nlines \\ and {braces}'
SAMPLES = {"text": "Sample", "long_text": "One,\ntwo", "number": "7", "date": "2027-01-31"}


def values(starter: Starter, text: str = "") -> dict[str, str]:
    """Return defaults, and samples where a value is needed. `text`: for all texts."""
    return {
        one.name: text if text and one.kind in ("text", "long_text") else one.default or (SAMPLES[one.kind] if one.required else "")
        for one in starter.placeholders
    }


def filled_body(starter: Starter, text: str = "") -> str:
    return placeholders_replace(starter.kind, starter.body, values(starter, text))


def test_the_set_has_thirty_templates_of_all_kinds() -> None:
    assert len(SET) == 30
    assert Counter(starter.kind for starter in SET) == {
        TemplateKind.TEXT: 11,
        TemplateKind.PYTHON: 5,
        TemplateKind.MERMAID: 5,
        TemplateKind.SHEET: 4,
        TemplateKind.PROMPT: 5,
    }
    assert len({starter.title for starter in SET}) == 30
    for starter in SET:
        assert len(starter.title) <= MAX_TITLE_CHARS
        assert 0 < len(starter.description) <= MAX_DESCRIPTION_CHARS
        assert 0 < len(starter.category) <= MAX_CATEGORY_CHARS
        assert starter.placeholders, f"{starter.title} asks for nothing"


def test_every_gap_is_asked_for_and_filled() -> None:
    for starter in SET:
        assert {one.name for one in starter.placeholders} == {*names_in(starter.body)}, starter.title
        assert all(one.label for one in starter.placeholders), starter.title
        assert not GAP.search(filled_body(starter)), starter.title
        assert title_of(starter.kind, filled_body(starter), starter.title)


@pytest.mark.parametrize("starter", [one for one in SET if one.kind == TemplateKind.PYTHON], ids=lambda one: one.title)
def test_programs_run_with_their_defaults_and_compile_with_any_text(starter: Starter) -> None:
    """Without packages, as where an operator installed none."""
    run = subprocess.run([sys.executable, "-I", "-S", "-c", filled_body(starter)], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(run.stdout.splitlines()) > 3
    ast.parse(filled_body(starter, HARD))


@pytest.mark.parametrize("starter", [one for one in SET if one.kind == TemplateKind.MERMAID], ids=lambda one: one.title)
def test_diagrams_are_drawn_with_any_text(starter: Starter) -> None:
    assert diagram_problem(filled_body(starter)) is None
    assert diagram_problem(filled_body(starter, 'A "quoted" word; and more')) is None


def test_sheets_keep_their_columns_with_any_text() -> None:
    for starter in SET:
        if starter.kind == TemplateKind.SHEET:
            rows = [*csv.reader(io.StringIO(filled_body(starter, HARD)))]
            assert len({len(row) for row in rows}) == 1, starter.title
            assert any(HARD in cell for row in rows for cell in row), starter.title


def test_prompts_fit_the_message_box() -> None:
    assert all(len(starter.body) <= MAX_PROMPT_CHARS for starter in SET if starter.kind == TemplateKind.PROMPT)
